// Package partner keeps the state of the station at the other end of a link port, as its control and data frames show
// it, and schedules this end's STATION. It is pure: now (a wire.Time) is an argument, and no call
// allocates.
//
//	p := partner.New(start)
//	p.ReceivedControl(frame, list, now)              // every valid control frame
//	p.ReceivedStation(list, start, now)              // its STATION, if LLR believes its start id
//	p.UpdateProblem(self, sent, now)                 // each round
//	list = p.AppendStation(self, list, asked, now)   // STATION, in front of LLR's control ordered sets
//	for n, ok := p.Probe(now); ok; …                 // send control frames of n octets
//	p.MaxFrame()                                     // the longest frame that gets across
//	p.Finding(self)                                  // the problem for an operator to solve
package partner

import (
	"time"

	"uelink/wire"
)

// Silence is how long a partner stays known without an expected valid control frame. A partner with
// STATION sends one each second.
const Silence = 3 * time.Second

// introduction is how long this end waits for a known partner's first STATION: time enough for the partner to send
// STATION twice. An older partner never sends STATION.
const introduction = 2 * stationInterval

// stationItems is the number of control ordered sets in a probe: the items of STATION.
const stationItems = 3

// unlimited is longer than any frame.
const unlimited = 1 << 16

// Partner is the state of one partner; at first no partner is known.
type Partner struct {
	present      bool
	mac          wire.MAC
	start        uint32       // latest start id of the partner, believed or not
	started      bool         // the partner has sent a start id
	lastControl  wire.Time    // when the last valid control frame came
	introducing  wire.Time    // until when the first STATION may still come; 0: it has come, or never will
	sendsStation bool         // STATION was received since the partner is known
	reported     wire.Station // the last STATION
	reportedAt   wire.Time
	controls     uint16    // valid control frames received
	shims        bool      // a data frame with a shim was received
	addressed    bool      // a data frame with outer addresses of the link was delivered
	restedAt     wire.Time // last time at which no frame was outstanding

	pins   bool     // the end keeps to one partner
	pinned wire.MAC // address of this partner; zero: the first partner heard

	announces wire.Time // end of the time in which this end announces its changed address to all stations

	probed bool // the last control frame received was a probe: its STATION leaves out the partner's trouble

	lost   bool // the partner was forgotten because of silence, and frames still go to its address
	native bool // an ordinary frame without a shim was received since the last control frame

	leave   leave
	seen    seen
	problem Problem
	station station
	probe   probe
	longest longest
}

// New returns the state of a partner that is not known yet. start is the start id of this end, 0 to
// wire.StartMask, random at each start.
func New(start uint32) Partner {
	return Partner{station: station{start: start & wire.StartMask}}
}

// Present reports whether there is a partner: a valid control frame was received, and its control frames have not
// stayed away for too long.
func (p *Partner) Present() bool { return p.present }

// MAC returns the partner's hardware address.
func (p *Partner) MAC() wire.MAC { return p.mac }

// SendsStation reports whether the partner sends STATION; partners of older versions do not.
func (p *Partner) SendsStation() bool { return p.present && p.sendsStation }

// ReceivedControl handles a valid control frame of the partner, with its control ordered sets: it records its length,
// source address and start id. The first frame makes the partner known. A probe schedules an answer.
func (p *Partner) ReceivedControl(frame []byte, list []wire.CtlOS, now wire.Time) {
	if start, ok := startOf(list); ok || !p.present {
		p.start, p.started = start, ok
	}
	if !p.present {
		p.station.early = earlyStations
		p.introducing = now.Add(introduction)
		p.reported = wire.Station{} // forget the STATION of the lost partner
	}
	p.present, p.lost, p.native, p.lastControl = true, false, false, now
	p.controls++
	p.mac = wire.MAC(frame[wire.AddrLen:])
	p.seen.silent, p.seen.etherType, p.seen.otherAt = false, 0, 0
	p.longest.received(len(frame), now)
	if p.probed = len(frame) > wire.MinFrameLen && len(list) == stationItems; p.probed {
		p.station.receivedProbe(now)
	}
}

// ReceivedStation handles the STATION of a control frame. start is the start id that LLR believes to be the
// partner's. STATION with another start id is ignored, and so is STATION in a frame without a start id: the partner
// always sends its start id, so the frame may be from another station. The first STATION of a partner is believed if
// STATION says how long frames may be and what forms of frames the partner accepts. Without the length, every frame
// would count as too long; without the forms, frames in a form for a former partner could be outstanding for ever. An
// older partner never says what forms it accepts: its STATION is believed after the time introduction.
func (p *Partner) ReceivedStation(list []wire.CtlOS, start uint32, now wire.Time) {
	if id, ok := startOf(list); !ok || id != start {
		return
	}
	reported := p.reported
	reported.Leaves, reported.Resumes = 0, false
	if !p.probed {
		reported.Trouble = wire.Trouble{}
	}
	for i := range list {
		reported.Update(list[i])
	}
	if reported.Start != start || reported.Largest == 0 || p.introducing != 0 && !hasServices(list) {
		return
	}
	if !p.sendsStation || start != p.reported.Start {
		p.Restarted()
	}
	p.sendsStation, p.reported, p.reportedAt = true, reported, now
	p.introducing = 0
	p.receivedLeave(reported.Leaves, now)
	p.station.answers = reported.Local || reported.Remote || reported.CBFC || reported.Addressed
	p.probe.receivedReport(reported, now)
}

// hasServices reports whether a control frame has the abilities of its sender.
func hasServices(list []wire.CtlOS) bool {
	for i := range list {
		if list[i].Type == wire.StationCtlOS && list[i].Item == wire.StationServices {
			return true
		}
	}
	return false
}

// Introducing reports whether the partner is known but has not sent its STATION yet.
func (p *Partner) Introducing() bool { return p.introducing != 0 }

// Busy reports whether the partner accepts no frames at present, by its STATION.
func (p *Partner) Busy() bool { return p.SendsStation() && p.reported.Busy }

// VCs returns on how many virtual channels the partner accepts frames, at least 1.
func (p *Partner) VCs() int {
	if !p.SendsStation() && !p.lost || !p.reported.TakesVCs {
		return 1
	}
	return max(1, int(p.reported.VCs))
}

// CBFC reports whether the partner has switched CBFC on, by its STATION.
func (p *Partner) CBFC() bool { return p.SendsStation() && p.reported.CBFC }

// AcceptsPartnerFrames reports whether the partner accepts data frames that are for the partner itself and not for
// a host behind it (CC_Update).
func (p *Partner) AcceptsPartnerFrames() bool { return p.SendsStation() && p.reported.Partner }

// Start returns the partner's start id, from its STATION.
func (p *Partner) Start() uint32 { return p.reported.Start }

// OwnStart returns the start id of this end.
func (p *Partner) OwnStart() uint32 { return p.station.start }

// Restarted drops the state that belongs to the partner's former start.
func (p *Partner) Restarted() {
	p.shims, p.addressed = false, false
	p.seen.sent, p.seen.sentAt = 0, 0
	p.probe = probe{want: p.probe.want, required: p.probe.required}
	p.station.early = earlyStations
}

// ReceivedShim handles a data frame with a shim in our dialect and a good FCS image. From now on the partner sends no
// data frame without a shim.
func (p *Partner) ReceivedShim() { p.shims = true }

// AllowUnshimmed records that the partner may send frames without a shim again: LLR is off, or going off.
func (p *Partner) AllowUnshimmed() { p.shims = false }

// SendsShims reports whether the partner sends all data frames with a shim, so that a frame without a shim can
// only be damaged.
func (p *Partner) SendsShims() bool { return p.present && p.shims }

// Silent reports whether nothing was received from the partner for Silence.
func (p *Partner) Silent(now wire.Time) bool { return p.present && now.Sub(p.lastControl) > Silence }

// SilentFor returns the time since the last valid control frame of the partner.
func (p *Partner) SilentFor(now wire.Time) time.Duration { return now.Sub(p.lastControl) }

// Missing reports whether no partner answers: none is known, or the known partner is silent though frames are
// outstanding.
func (p *Partner) Missing() bool { return !p.present || p.seen.silent }

// ThisEndStopped excludes a time in ns, in which this process did not run and received no frame, from the partner's
// silence.
func (p *Partner) ThisEndStopped(d time.Duration) { p.lastControl = p.lastControl.Add(d) }

// Forget makes a silent partner unknown. missed is true if frames of the partner were expected: the partner is lost and
// may still receive frames (Lost), unless it has announced that it leaves, or frames without a shim come in its place.
func (p *Partner) Forget(missed bool) {
	if p.lost = missed && p.present && !p.Leaving() && !p.native; !p.lost {
		p.reported = wire.Station{}
	}
	p.present, p.sendsStation, p.introducing = false, false, 0
	p.leave.until = 0
	p.Restarted()
	p.seen.silent = missed
}

// Lost reports whether the partner is unknown because it has become silent, and nothing shows that another station
// is there now: the wire may carry frames to the partner and none back. MAC, AcceptsAddressed and VCs are those of
// the lost partner.
func (p *Partner) Lost() bool { return p.lost }

// ReceivedNative handles an ordinary frame without a shim. If no control frame follows, the other end of the wire is
// a host without uelink, which knows no shim.
func (p *Partner) ReceivedNative() {
	p.native = true
	if p.lost {
		p.lost, p.reported = false, wire.Station{}
	}
}

// CheckAbsence begins the problem of a silent partner if no partner was heard for the time Silence although frames of a
// partner were awaited.
func (p *Partner) CheckAbsence(awaited bool, now wire.Time) {
	if lasts(awaited && !p.present, &p.seen.awaits, Silence, now) {
		p.seen.silent = true
	}
}

// CheckSilence marks the partner silent, but still known, if it sends nothing for Silence while frames are
// outstanding.
func (p *Partner) CheckSilence(outstanding int, now wire.Time) {
	if outstanding == 0 || p.Away(now) {
		p.restedAt = now
	} else if now.Sub(max(p.lastControl, p.restedAt)) > Silence {
		p.seen.silent = true
	}
}

// MaxFrame returns the longest link frame that gets across, in octets, as far as is known: the smaller of the
// partner's limit and the wire's.
func (p *Partner) MaxFrame() int {
	if !p.SendsStation() {
		return unlimited
	}
	return min(int(p.reported.Largest), p.probe.carries())
}

// Deadline returns when to call AppendStation, Probe or UpdateProblem next if nothing arrives, or wire.Never.
func (p *Partner) Deadline() wire.Time {
	d := p.station.deadline()
	if p.probing() {
		d = min(d, p.probe.due)
	}
	if p.introducing != 0 {
		d = min(d, p.introducing)
	}
	if p.leave.until != 0 {
		d = min(d, p.leave.until)
	}
	return d
}
