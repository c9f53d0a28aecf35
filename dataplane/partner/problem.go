package partner

import (
	"fmt"
	"time"

	"uelink/wire"
)

// Problem is why the two ends do not work together, as far as is known.
type Problem uint8

// The problems; the first that applies counts, OtherProtocol before Silent.
const (
	None          Problem = iota
	EtherType             // the partner's control frames have another EtherType
	Loop                  // control frames of this end come back
	Tagged                // control frames come with a VLAN tag
	Silent                // the partner sends nothing
	Dialect               // the partner uses another dialect
	DataEtherType         // the partner's data frames have another EtherType
	FCS                   // one end demands an FCS image that the other does not send
	NoLLRThere            // this end asks for LLR, and the partner does not accept
	NoLLRHere             // the partner asks for LLR, and this end does not accept
	Largest               // the partner accepts only shorter frames than this end may send
	WireLimit             // the wire carries only shorter frames than this end may send
	NoData                // the partner receives control frames but no data frames
	NoAddressed           // this end is addressed, and the partner accepts no addressed frames
	SendsHosts            // this end is addressed, and the partner's frames have the addresses of hosts
	OtherProtocol         // the partner speaks HIPPI-6400-PH, or LLR where this end speaks HIPPI-6400-PH
)

// bareFCSLimit is how many data frames in a row may lack the FCS image demanded by this end before the partner, and
// not the wire, is blamed.
const bareFCSLimit = 16

// How long a condition must last before it is a problem: the other end may just be applying its
// configuration, or a frame may still be on the wire.
const (
	modeLasts = 500 * time.Millisecond
	dataLasts = time.Second
)

// dataLeast is how many data frames must be sent before missing data frames count.
const dataLeast = 4

// seen holds the observations of the partner's frames, with times.
type seen struct {
	silent     bool
	cameBackAt wire.Time // when a control frame of this end came back last; 0 = never
	taggedAt   wire.Time // when a control frame behind a VLAN tag was received last; 0 = never
	otherAt    wire.Time // when a frame of the other link protocol was received last; 0 = never
	etherType  uint16    // of control frames under another EtherType; 0 = none
	dialect    bool      // a data frame was of the other dialect
	withoutFCS int       // data frames in a row that lacked a demanded FCS image
	thereSince wire.Time // since when the partner has not accepted LLR; 0 = it accepts
	hereSince  wire.Time // since when this end has not accepted LLR; 0 = it accepts
	sent       uint64    // data frames sent, plus 1, when this start of the partner was first heard; 0 = not heard
	sentAt     wire.Time // when dataLeast further frames were sent; 0 = not yet
}

// ReceivedOtherEtherType records a control frame under EtherType t, which this end does not use for control
// frames.
func (p *Partner) ReceivedOtherEtherType(t uint16) { p.seen.etherType = t }

// ReceivedTagged records a control frame behind a VLAN tag.
func (p *Partner) ReceivedTagged(now wire.Time) { p.seen.taggedAt = now }

// ReceivedOtherProtocol records that a frame of the other link protocol (HIPPI-6400-PH instead of LLR, or the
// reverse) arrived at time now: the two ends are configured differently.
func (p *Partner) ReceivedOtherProtocol(now wire.Time) { p.seen.otherAt = now }

// ReceivedOtherDialect records a data frame in the dialect that this end does not use.
func (p *Partner) ReceivedOtherDialect() { p.seen.dialect = true }

// ReceivedGoodData records a data frame in our dialect with a good FCS image.
func (p *Partner) ReceivedGoodData() { p.seen.dialect, p.seen.withoutFCS = false, 0 }

// ReceivedWithoutFCS records a data frame without the FCS image that this end demands.
func (p *Partner) ReceivedWithoutFCS() { p.seen.withoutFCS++ }

// UpdateProblem determines the present problem with the partner. self is this end as its port knows it; sent is
// the number of data frames with a shim that this end has sent.
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
	static := p.SendsStation() && !self.Dynamic
	there := lasts(static && self.Remote && !p.reported.Local, &p.seen.thereSince, modeLasts, now)
	here := lasts(static && p.reported.Remote && !self.Local, &p.seen.hereSince, modeLasts, now)
	data := p.missesData(sent, now)
	switch s := &p.seen; {
	case s.etherType != 0:
		return EtherType
	case lately(s.cameBackAt, now):
		return Loop
	case !p.known && lately(s.taggedAt, now):
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
	case there:
		return NoLLRThere
	case here:
		return NoLLRHere
	case p.probing() && p.probe.takes < p.probe.required:
		return Largest
	case p.probe.limit > 0 && p.probe.limit < p.probe.required:
		return WireLimit
	case data && p.probe.since == 0: // nor is the wire being probed for a limit
		return NoData
	case self.Addressed && p.known && p.introducing == 0 && !p.AcceptsAddressed():
		return NoAddressed
	case self.Addressed && p.SendsHosts():
		return SendsHosts
	}
	return None
}

// lately reports whether an event last occurred less than Silence ago. at is the time of its last occurrence, 0 if
// there was none.
func lately(at, now wire.Time) bool { return at != 0 && now.Sub(at) <= Silence }

// lasts reports whether a condition (is) has been true for at least long; since keeps when it became true, between
// the calls.
func lasts(is bool, since *wire.Time, long time.Duration, now wire.Time) bool {
	switch {
	case !is:
		*since = 0
	case *since == 0:
		*since = now
	}
	return is && now.Sub(*since) >= long
}

// missesData reports whether the partner's STATION shows that data frames of this end do not arrive; sent is the
// number of data frames that this end has sent.
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

// Text returns in words the problem with the partner and its solution; control is the EtherType of this end's
// control frames.
func (p *Partner) Text(self wire.Station, control uint16) string {
	switch p.problem {
	case EtherType:
		return fmt.Sprintf("partner sends under EtherType %#04x, this port expects data %#04x and control %#04x: set the "+
			"same ethertypes at both ends", p.seen.etherType, self.EtherType, control)
	case Loop:
		return "control frames of this port come back to it (rx_looped) and are not listened to: is there a loop on the " +
			"way, or a bridge port in hairpin mode?"
	case Tagged:
		return "control frames come with a VLAN tag, and a link takes none: have the switch send the VLAN untagged to this " +
			"port"
	case OtherProtocol:
		return "partner speaks protocol hippi6400, this port llr: set the same protocol at both ends"
	case Silent:
		text := "partner is silent: is uelinkd running there with LLR on?"
		if p.lost {
			text += " Frames still leave to it, in the shim and without LLR: does the wire carry frames of one direction only?"
		}
		return text
	case Dialect:
		d := wire.DialectSeed
		if self.UE1 {
			d = wire.DialectUE1
		}
		return fmt.Sprintf("partner speaks dialect %s, this port %s: set the same dialect at both ends", d.Other(), d)
	case DataEtherType:
		return fmt.Sprintf("partner sends data under EtherType %#04x, this port under %#04x: set the same "+
			"ethertypes at both ends", p.reported.EtherType, self.EtherType)
	case FCS:
		if self.FCS {
			return "partner sends no FCS image and this port demands one: set fcs alike at both ends"
		}
		return "this port sends no FCS image and the partner demands one: set fcs alike at both ends"
	case NoLLRThere:
		return "partner does not accept LLR from this port: set llr.local there, or take llr.remote back here"
	case NoLLRHere:
		return "partner asks for LLR and this port does not accept it: set llr.local here, or take llr.remote back there"
	case NoData:
		return "partner hears control frames of this port but no data frame: does its interface, and all on the way, take " +
			"frames with other addresses?"
	case NoAddressed:
		return "partner takes no frames with addresses of the link (encapsulation: addressed): they leave transparent; " +
			"update uelink there, or set encapsulation: transparent here"
	case SendsHosts:
		return "partner sends frames with the addresses of hosts: this port takes them in promiscuous mode; set " +
			"encapsulation: addressed there, too"
	default:
		return p.lengthText()
	}
}

// lengthText returns in words a problem with the length of frames and its solution; empty for other problems.
func (p *Partner) lengthText() string {
	switch b := &p.probe; p.problem {
	case Largest:
		return fmt.Sprintf("partner takes link frames of up to %d octets, this port may have to send %d: raise the MTU "+
			"there by %d, or lower the MTU of the edge here", b.takes, b.required, b.required-b.takes)
	case WireLimit:
		return fmt.Sprintf("the wire carries link frames of up to %d octets, this port may have to send %d: raise the MTU "+
			"of what is on the way by %d, or lower the MTU of the edges",
			b.limit, b.required, b.required-b.limit)
	default:
		return ""
	}
}
