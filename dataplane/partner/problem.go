package partner

import (
	"time"

	"uelink/wire"
)

// Problem is why the two ends do not work together, as far as is known. Its number is that of a trouble in STATION
// (wire.Trouble): a number never changes its meaning.
type Problem uint8

// The problems. Package dataplane/remedy has what either end does about each.
const (
	None          Problem = iota
	EtherType             // the partner's control frames have another EtherType
	Loop                  // control frames of this end come back
	Tagged                // control frames come with a VLAN tag
	Silent                // the partner sends nothing
	Dialect               // the partner uses another dialect
	DataEtherType         // the partner's data frames have another EtherType
	FCS                   // an end demands an FCS image that the other does not send
	NoLLRThere            // this end asks for LLR, and the partner does not accept
	NoLLRHere             // the partner asks for LLR, and this end does not accept
	Largest               // the partner accepts only shorter frames than this end may send; A: octets of the longest
	WireLimit             // the wire is too short for frames of this end; A: octets of the longest crossing frame
	NoData                // the partner receives control frames but no data frames
	NoAddressed           // this end is addressed, and the partner accepts no addressed frames
	SendsHosts            // this end is addressed, and the partner's frames have the addresses of hosts
	OtherProtocol         // the partner speaks HIPPI-6400-PH, or LLR where this end speaks HIPPI-6400-PH

	// Problems by the flags and the trouble in the partner's STATION. This end does not report them back.
	TooShort    // the partner may have to send longer frames than this end accepts
	NoDataHere  // the partner's control frames arrive, and its data frames do not
	Unheard     // the partner does not hear this end
	HostsHere   // the partner is addressed, and this end's frames have the addresses of hosts
	Reported    // the partner reports a trouble not seen at this end
	SameAddress // both ends have the same address, and this end is addressed
	Credits     // as a trouble only: a channel of the sender is not lossless, see remedy.Credits
	CreditsHere // the partner reports Credits
	Replay      // as a trouble only: selective replay is wanted, and the other end goes back N
	ReplayHere  // the partner reports Replay
	VCs         // the partner accepts frames on fewer virtual channels than this end has
	VCsHere     // the partner has more virtual channels than this end
)

// bareFCSLimit is how many data frames in a row may lack the FCS image demanded by this end before the partner, and
// not the wire, is blamed.
const bareFCSLimit = 16

// How long a condition must last before it is a problem: the other end may just be applying its
// configuration, or a frame may still be on the wire.
const (
	modeLasts   = 500 * time.Millisecond
	dataLasts   = time.Second
	reportLasts = time.Second
)

// dataLeast is how many data frames must be sent before missing data frames count.
const dataLeast = 4

// seen holds the observations of the partner's frames, with times.
type seen struct {
	silent     bool
	awaits     wire.Time // since when an unknown partner is awaited; 0 = no partner is awaited
	cameBackAt wire.Time // when a control frame of this end came back last; 0 = never
	sameAt     wire.Time // when a control frame of another station with this end's address was received last; 0 = never
	taggedAt   wire.Time // when a control frame behind a VLAN tag was received last; 0 = never
	otherAt    wire.Time // when a frame of the other link protocol was received last; 0 = never
	etherType  uint16    // foreign EtherType under which a control frame came last; 0 = none came
	otherData  uint16    // EtherType of data in the STATION of the frame under etherType; 0 = no STATION
	otherStart uint32    // start id in the frame under etherType; 0 = none
	otherMAC   wire.MAC  // sender of the frame under etherType, or of the last frame of the other link protocol
	dialect    bool      // a data frame was of the other dialect
	withoutFCS int       // data frames in a row that lacked a demanded FCS image
	thereSince wire.Time // since when the partner has not accepted LLR; 0 = the partner accepts LLR
	hereSince  wire.Time // begin of the time without acceptance of LLR here; 0 = LLR is accepted
	sent       uint64    // data frames sent, plus 1, when this start of the partner was first heard; 0 = not heard
	sentAt     wire.Time // when dataLeast data frames had been sent after sent was set; 0 = not yet
	reports    wire.Time // begin of the partner's report of a trouble; 0 = no report
}

// ReceivedOtherEtherType records a control frame, with its control ordered sets, under an EtherType that this end does
// not use for control frames.
func (p *Partner) ReceivedOtherEtherType(frame []byte, list []wire.CtlOS) {
	p.seen.etherType, p.seen.otherMAC = wire.EtherType(frame), wire.MAC(frame[wire.AddrLen:])
	var report wire.Station
	for i := range list {
		report.Update(list[i])
	}
	p.seen.otherData, p.seen.otherStart = report.EtherType, report.Start
}

// ReceivedTagged records a control frame behind a VLAN tag.
func (p *Partner) ReceivedTagged(now wire.Time) { p.seen.taggedAt = now }

// ReceivedOtherProtocol records that a frame of the other link protocol (HIPPI-6400-PH instead of LLR, or the
// reverse) arrived from a station at time now: the two ends are configured differently.
func (p *Partner) ReceivedOtherProtocol(from wire.MAC, now wire.Time) {
	p.seen.otherAt, p.seen.otherMAC = now, from
}

// ReceivedOtherDialect records a data frame in the dialect not used by this end.
func (p *Partner) ReceivedOtherDialect() { p.seen.dialect = true }

// ReceivedGoodData records a data frame in our dialect with a good FCS image.
func (p *Partner) ReceivedGoodData() { p.seen.dialect, p.seen.withoutFCS = false, 0 }

// ReceivedWithoutFCS records a data frame without the FCS image demanded by this end.
func (p *Partner) ReceivedWithoutFCS() { p.seen.withoutFCS++ }

// UpdateProblem determines the present problem with the partner, and ends the waits for a restart and for the first
// STATION once they are over. self is the port's knowledge of this end; sent is the number of data frames sent with a
// shim.
func (p *Partner) UpdateProblem(self wire.Station, sent uint64, now wire.Time) {
	p.problem = p.findProblem(self, sent, now)
	if now >= p.leave.until {
		p.leave.until = 0
	}
	if now >= p.introducing {
		p.introducing = 0
	}
}

// findProblem returns the first problem with the partner that applies, in the order of importance.
func (p *Partner) findProblem(self wire.Station, sent uint64, now wire.Time) Problem {
	partnerOff := lasts(p.SendsStation() && !self.Dynamic && self.Remote && !p.reported.Local,
		&p.seen.thereSince, modeLasts, now)
	ownOff := lasts(p.SendsStation() && !(self.Dynamic && p.reported.Dynamic) && p.reported.Remote && !self.Local,
		&p.seen.hereSince, modeLasts, now)
	data := p.missesData(sent, now)
	reports := lasts(p.SendsStation() && p.reported.Trouble.Number != 0, &p.seen.reports, reportLasts, now)
	switch s := &p.seen; {
	case s.etherType != 0:
		return EtherType
	case lately(s.cameBackAt, now):
		return Loop
	case !p.present && lately(s.taggedAt, now):
		return Tagged
	case lately(s.otherAt, now):
		return OtherProtocol
	case s.silent:
		return Silent
	case s.dialect || p.SendsStation() && p.reported.UE1 != self.UE1:
		return Dialect
	case p.SendsStation() && p.reported.EtherType != self.EtherType:
		return DataEtherType
	case s.withoutFCS >= bareFCSLimit || p.SendsStation() && p.reported.FCS != self.FCS:
		return FCS
	case partnerOff:
		return NoLLRThere
	case ownOff:
		return NoLLRHere
	case p.probing() && p.probe.takes < p.probe.required:
		return Largest
	case p.probe.limit > 0 && p.probe.limit < p.probe.required:
		return WireLimit
	case data && p.probe.since == 0: // data does not arrive, and no search for a limit of the wire is under way
		return NoData
	case self.Addressed && p.present && p.introducing == 0 && !p.AcceptsAddressed():
		return NoAddressed
	case self.Addressed && p.SendsHosts():
		return SendsHosts
	case p.SendsStation() && p.reported.Addressed && !self.Addressed:
		return HostsHere
	case self.Addressed && p.present && lately(s.sameAt, now):
		return SameAddress
	case reports:
		return p.reportedProblem(self)
	case p.SendsStation() && p.introducing == 0 && p.VCs() < int(self.VCs):
		return VCs
	case p.SendsStation() && p.introducing == 0 && p.VCs() > max(1, int(self.VCs)):
		return VCsHere
	}
	return None
}

// reportedProblem returns the problem at this end behind the trouble in the partner's STATION, such as TooShort for
// Largest. A trouble that no state of this end confirms stays a mere report (Reported).
func (p *Partner) reportedProblem(self wire.Station) Problem {
	switch t := p.reported.Trouble; {
	case Problem(t.Number) == Largest && t.A > self.Largest && t.A <= p.reported.Largest:
		return TooShort
	case Problem(t.Number) == NoData && !p.shims:
		return NoDataHere
	case Problem(t.Number) == Silent:
		return Unheard
	case Problem(t.Number) == Credits:
		return CreditsHere
	case Problem(t.Number) == Replay:
		return ReplayHere
	}
	return Reported
}

// trouble returns the trouble for this end's STATION: the number and the operands of a problem seen by this end itself;
// zero without a problem, or for one known from the partner's STATION.
func (p *Partner) trouble() (t wire.Trouble) {
	if p.problem == None || p.problem >= TooShort {
		return t
	}
	t.Number = uint8(p.problem)
	switch p.problem {
	case Largest:
		t.A = uint16(p.probe.required)
	case WireLimit:
		t.A = uint16(p.probe.limit)
	default: // no operands
	}
	return t
}

// lately reports whether an event last occurred less than Silence ago. at is the time of its last occurrence, 0 if
// there was none.
func lately(at, now wire.Time) bool { return at != 0 && now.Sub(at) <= Silence }

// lasts reports whether a condition has been true for at least the time long. since holds, from call to call, the time
// at which the condition became true.
func lasts(condition bool, since *wire.Time, long time.Duration, now wire.Time) bool {
	switch {
	case !condition:
		*since = 0
	case *since == 0:
		*since = now
	}
	return condition && now.Sub(*since) >= long
}

// missesData reports whether, by the partner's STATION, data frames of this end do not arrive: a while after at least
// dataLeast frames, the partner still has seen no shim. sent is the number of data frames sent.
func (p *Partner) missesData(sent uint64, now wire.Time) bool {
	s := &p.seen
	switch {
	case !p.SendsStation():
		return false
	case s.sent == 0 || sent+1 < s.sent: // the counters were cleared, or this start is new
		s.sent = sent + 1
	case s.sentAt == 0 && sent+1-s.sent >= dataLeast:
		s.sentAt = now
	}
	return s.sentAt != 0 && !p.reported.SeenShim && p.reportedAt.Sub(s.sentAt) >= dataLasts
}

// Problem returns the problem with the partner that the last UpdateProblem found.
func (p *Partner) Problem() Problem { return p.problem }

// Finding is a problem with the partner, and the facts for its remedy.
type Finding struct {
	Problem
	Acts    bool         // this end has the lower start id: of two differing settings, the setting of this end changes
	Awaits  bool         // the partner has the lower start id
	Octets  int          // Largest, TooShort, WireLimit: octets of the longest frame that the sender may send
	Carries int          // octets of the longest frame that crosses
	Control uint16       // EtherType: of the partner's control frames
	Data    uint16       // EtherType, DataEtherType: of the partner's data frames; 0: not known
	From    wire.MAC     // EtherType, OtherProtocol: the partner's address
	Trouble wire.Trouble // Reported, CreditsHere, ReplayHere
	VCs     int          // VCs, VCsHere: virtual channels of the partner
	Lost    bool         // Silent: frames still leave to the partner
	Heard   bool         // Silent: the partner was heard before
	Native  bool         // Silent: frames without a shim have arrived since the last control frame
}

// Finding returns the problem found by the last UpdateProblem, with the facts for its remedy, and which end acts
// against it. self is the port's knowledge of this end.
func (p *Partner) Finding(self wire.Station) Finding {
	f := Finding{Problem: p.problem}
	theirs := p.reported.Start
	switch p.problem {
	case EtherType:
		f.Control, f.Data, f.From, theirs = p.seen.etherType, p.seen.otherData, p.seen.otherMAC, p.seen.otherStart
	case DataEtherType:
		f.Data = p.reported.EtherType
	case OtherProtocol:
		f.From = p.seen.otherMAC
	case Largest:
		f.Octets, f.Carries = p.probe.required, p.probe.takes
	case TooShort:
		f.Octets, f.Carries = int(p.reported.Trouble.A), int(self.Largest)
	case WireLimit:
		f.Octets, f.Carries = p.probe.required, p.probe.limit
	case Silent:
		f.Lost, f.Heard, f.Native = p.lost, p.mac != wire.MAC{}, p.native
	case Reported, CreditsHere, ReplayHere:
		f.Trouble = p.reported.Trouble
	case VCs, VCsHere:
		f.VCs = p.VCs()
	default: // the other problems have no further facts
	}
	if p.problem == FCS || p.problem == OtherProtocol { // the end with FCS images, or with LLR, never acts
		f.Acts, f.Awaits = p.problem == FCS && !self.FCS, p.problem == OtherProtocol || self.FCS
		return f
	}
	f.Acts, f.Awaits = theirs != 0 && p.station.start < theirs, theirs != 0 && p.station.start > theirs
	return f
}
