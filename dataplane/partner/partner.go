// Package partner is what a link port knows of the station at the other end, and what
// it tells it of itself by STATION. It is pure: now (nanoseconds, monotonic) is an
// argument, and nothing of it allocates.
//
//	p := partner.New(start)
//	p.Heard(frame, list, now)                // for every valid control frame
//	p.Listen(list, start, now)               // and what is in it, of a station that LLR believes
//	p.Review(self, sent, now)                // each round
//	list = p.Say(self, list, asked, now)     // STATION, with what LLR says
//	for n, ok := p.Probe(now); ok; …         // control frames of n octets to be sent
//	p.Carries()                              // the longest frame that gets across
//	p.Problem()                              // what an operator has to mend
package partner

import "uelink/wire"

// Silence is how long a partner stays known, in nanoseconds, without a valid control
// frame where one is expected. One that speaks STATION sends them each second.
const Silence = 3_000_000_000

// introduction is how long, in nanoseconds, a partner that is there may take to say by STATION what
// it is: longer than it takes to say it twice, as it must to be believed. An older one never does.
const introduction = 2 * stationInterval

// stationItems is how many control ordered sets a probe has: those of STATION.
const stationItems = 3

// unlimited is longer than any frame.
const unlimited = 1 << 16

// Partner is what is known of one partner: at first that there is none.
type Partner struct {
	known       bool
	mac         wire.MAC
	start       uint32       // that it has last said, believed or not
	started     bool         // it has said one
	lastControl int64        // when the last valid control frame came
	introduces  int64        // until when it may still say for the first time what it takes; 0: it has, or never will
	speaks      bool         // it has sent STATION since it is known
	told        wire.Station // what it last said
	toldAt      int64
	controls    uint16 // valid control frames that have come
	shims       bool   // a data frame with a shim has come from it
	addressed   bool   // one with addresses of the link outside has been delivered
	restedAt    int64  // when nothing was outstanding last

	pins   bool     // this end keeps to one partner
	pinned wire.MAC // which one that is; zero: the first that is heard

	announces int64 // until when this end tells all that its address is another

	leave   leave
	seen    seen
	problem Problem
	station station
	probe   probe
	longest longest
}

// New returns a partner that is not known. start is the start id of this end, 0 to
// wire.StartMask: random, new at each start.
func New(start uint32) Partner {
	return Partner{station: station{start: start & wire.StartMask}}
}

// Known tells whether there is one: a valid control frame has come, and none has been
// missing for too long.
func (p *Partner) Known() bool { return p.known }

// MAC is its address.
func (p *Partner) MAC() wire.MAC { return p.mac }

// Speaks tells whether it says by STATION who it is, as older ones do not.
func (p *Partner) Speaks() bool { return p.known && p.speaks }

// Heard notes a valid control frame of the partner, its address, and the start id that it says.
func (p *Partner) Heard(frame []byte, list []wire.CtlOS, now int64) {
	if start, ok := startOf(list); ok || !p.known {
		p.start, p.started = start, ok
	}
	if !p.known {
		p.station.early = earlyStations
		p.introduces = now + introduction
	}
	p.known, p.lastControl = true, now
	p.controls++
	p.mac = wire.MAC(frame[wire.AddrLen:])
	p.seen.silent, p.seen.etherType = false, 0
	p.longest.came(len(frame), now)
	if len(frame) > wire.MinFrameLen && len(list) == stationItems {
		p.station.probed(now)
	}
}

// Listen takes what is in a control frame of the station that LLR believes to be the
// partner, whose start id is start; another's is passed over. So are items in a frame that does not say
// a start id: the partner always says who it is, and anybody else may have sent them.
func (p *Partner) Listen(list []wire.CtlOS, start uint32, now int64) {
	if said, ok := startOf(list); !ok || said != start {
		return
	}
	told := p.told
	told.Leaves, told.Resumes = 0, false
	for i := range list {
		told.Update(list[i])
	}
	if told.Start != start {
		return
	}
	if !p.speaks || start != p.told.Start {
		p.Restarted()
	}
	p.speaks, p.told, p.toldAt = true, told, now
	p.introduces = 0
	p.left(told.Leaves, now)
	p.station.answers = told.Local || told.Remote || told.CBFC || told.Addressed
	p.probe.reported(told, now)
}

// Introduces tells whether it is there and may be about to say what it takes.
func (p *Partner) Introduces() bool { return p.introduces != 0 }

// Busy tells whether it takes no frames now, by its word.
func (p *Partner) Busy() bool { return p.Speaks() && p.told.Busy }

// VCs is how many virtual channels the partner takes frames on, at least 1.
func (p *Partner) VCs() int {
	if !p.Speaks() || !p.told.TakesVCs {
		return 1
	}
	return max(1, int(p.told.VCs))
}

// CBFC tells whether it has CBFC on.
func (p *Partner) CBFC() bool { return p.Speaks() && p.told.CBFC }

// TakesPartner tells whether it takes data frames that are for itself.
func (p *Partner) TakesPartner() bool { return p.Speaks() && p.told.Partner }

// Start is its start id.
func (p *Partner) Start() uint32 { return p.told.Start }

// Restarted forgets what belongs to a start of the partner that is over.
func (p *Partner) Restarted() {
	p.shims, p.addressed = false, false
	p.seen.sent, p.seen.sentAt = 0, 0
	p.probe = probe{want: p.probe.want}
	p.station.early = earlyStations
}

// Shimmed notes a data frame of it with a shim in our dialect and a good FCS image. From
// now on it sends no other.
func (p *Partner) Shimmed() { p.shims = true }

// Unshimmed says that frames without a shim may come from it again: LLR is off, or on
// its way off.
func (p *Partner) Unshimmed() { p.shims = false }

// Shims tells whether a frame without a shim can only be a damaged one.
func (p *Partner) Shims() bool { return p.known && p.shims }

// Silent tells whether nothing has come from it for too long.
func (p *Partner) Silent(now int64) bool { return p.known && now-p.lastControl > Silence }

// Stopped says that this end itself did not run for so many nanoseconds, and has heard nobody
// meanwhile: that is not the partner's silence.
func (p *Partner) Stopped(ns int64) { p.lastControl += ns }

// Forget is for a partner that is silent. missed: it was expected to speak.
func (p *Partner) Forget(missed bool) {
	p.known, p.speaks, p.told, p.introduces = false, false, wire.Station{}, 0
	p.leave.until = 0
	p.Restarted()
	p.seen.silent = missed
}

// Await notes how many frames wait for an acknowledgement: a partner that says nothing
// for Silence while some do is silent, though not yet forgotten.
func (p *Partner) Await(outstanding int, now int64) {
	if outstanding == 0 || p.Away(now) {
		p.restedAt = now
	} else if now-max(p.lastControl, p.restedAt) > Silence {
		p.seen.silent = true
	}
}

// Carries is how long a link frame may be that gets across, as far as is known, in
// octets: what the partner takes, and what the wire carries.
func (p *Partner) Carries() int {
	if !p.Speaks() {
		return unlimited
	}
	return min(int(p.told.Largest), p.probe.carries())
}

// Deadline is when Say, Probe or Review has something to do by itself, or math.MaxInt64.
func (p *Partner) Deadline() int64 {
	d := p.station.deadline()
	if p.probes() {
		d = min(d, p.probe.due)
	}
	if p.introduces != 0 {
		d = min(d, p.introduces)
	}
	if p.leave.until != 0 {
		d = min(d, p.leave.until)
	}
	return d
}
