package partner

import (
	"fmt"

	"uelink/wire"
)

// Problem is what keeps the two ends from working together, as far as is known.
type Problem uint8

// The problems, the first that there is counts.
const (
	None          Problem = iota
	EtherType             // its control frames have another EtherType
	Loop                  // frames of this end come back to it
	Tagged                // control frames come with a VLAN tag
	Silent                // it says nothing
	Dialect               // it speaks another dialect
	DataEtherType         // its data frames have another EtherType
	FCS                   // one end demands an FCS image that the other does not send
	NoLLRThere            // this end asks for LLR, and it does not accept it
	NoLLRHere             // it asks for LLR, and this end does not accept it
	Largest               // it takes shorter frames than this end may send
	WireLimit             // so does the wire
	NoData                // control frames get there, data frames do not
	NoAddressed           // this end is addressed, and it takes no such frames
	SendsHosts            // this end is addressed, and its frames have the addresses of hosts
)

// bareFCSLimit is how many data frames in a row may lack the FCS image that this
// end demands before the partner, and not the wire, is blamed.
const bareFCSLimit = 16

// What has to last before it is a problem, in nanoseconds: an end that has just been
// configured may follow, a frame may be on its way.
const (
	modeLasts = 500_000_000
	dataLasts = 1_000_000_000
)

// dataLeast is how many data frames have to be missing before they are missed.
const dataLeast = 4

// seen is what the partner's frames show, and for how long.
type seen struct {
	silent     bool
	cameBackAt int64  // when a frame of this end came back last; 0 = none has
	taggedAt   int64  // when a control frame behind a VLAN tag came last; 0 = none has
	etherType  uint16 // of control frames that are not ours; 0 = none
	dialect    bool   // a data frame was of the other dialect
	withoutFCS int    // data frames in a row that lacked a demanded FCS image
	thereSince int64  // it has not accepted LLR since; 0 = it has
	hereSince  int64  // likewise for this end
	sent       uint64 // data frames sent when this start of the partner was first heard; 0 = none
	sentAt     int64  // when dataLeast more were sent; 0 = not yet
}

// OtherEtherType notes a control frame under an EtherType that is not ours.
func (p *Partner) OtherEtherType(t uint16) { p.seen.etherType = t }

// Tagged notes a control frame behind a VLAN tag.
func (p *Partner) Tagged(now int64) { p.seen.taggedAt = now }

// OtherDialect notes a data frame in the dialect that this end does not speak.
func (p *Partner) OtherDialect() { p.seen.dialect = true }

// Understood notes a data frame in our dialect with a good FCS image.
func (p *Partner) Understood() { p.seen.dialect, p.seen.withoutFCS = false, 0 }

// WithoutFCS notes a data frame that lacks the FCS image that this end demands.
func (p *Partner) WithoutFCS() { p.seen.withoutFCS++ }

// Review finds out what the problem is now. self is this end as its port knows it, sent
// how many data frames with a shim it has sent.
func (p *Partner) Review(self wire.Station, sent uint64, now int64) {
	p.problem = p.review(self, sent, now)
	if now >= p.leave.until {
		p.leave.until = 0
	}
	if now >= p.introduces {
		p.introduces = 0
	}
}

func (p *Partner) review(self wire.Station, sent uint64, now int64) Problem {
	there := lasts(p.Speaks() && !self.Dynamic && self.Remote && !p.told.Local, &p.seen.thereSince, modeLasts, now)
	here := lasts(p.Speaks() && !self.Dynamic && p.told.Remote && !self.Local, &p.seen.hereSince, modeLasts, now)
	data := p.missesData(sent, now)
	switch s := &p.seen; {
	case s.etherType != 0:
		return EtherType
	case lately(s.cameBackAt, now):
		return Loop
	case !p.known && lately(s.taggedAt, now):
		return Tagged
	case s.silent:
		return Silent
	case s.dialect || p.Speaks() && p.told.UE1 != self.UE1:
		return Dialect
	case p.Speaks() && p.told.EtherType != self.EtherType:
		return DataEtherType
	case s.withoutFCS >= bareFCSLimit || p.Speaks() && p.told.FCS != self.FCS:
		return FCS
	case there:
		return NoLLRThere
	case here:
		return NoLLRHere
	case p.probes() && p.probe.takes < p.probe.want:
		return Largest
	case p.probe.limit > 0:
		return WireLimit
	case data && p.probe.since == 0: // nor is the wire being probed for a limit
		return NoData
	case self.Addressed && p.known && p.introduces == 0 && !p.TakesAddressed():
		return NoAddressed
	case self.Addressed && p.SendsHosts():
		return SendsHosts
	}
	return None
}

// lately tells whether something has been seen, and not too long ago; at is when it was seen last, 0 never.
func lately(at, now int64) bool { return at != 0 && now-at <= Silence }

// lasts tells whether something has been so for that long; since is when it began.
func lasts(is bool, since *int64, long, now int64) bool {
	switch {
	case !is:
		*since = 0
	case *since == 0:
		*since = now
	}
	return is && now-*since >= long
}

// missesData tells whether data frames do not arrive there, by the partner's word.
func (p *Partner) missesData(sent uint64, now int64) bool {
	s := &p.seen
	switch {
	case !p.Speaks():
		return false
	case s.sent == 0 || sent+1 < s.sent: // or the counters were cleared
		s.sent = sent + 1
	case s.sentAt == 0 && sent+1-s.sent >= dataLeast:
		s.sentAt = now
	}
	return s.sentAt != 0 && !p.told.SeenShim && p.toldAt-s.sentAt >= dataLasts
}

// Problem is what Review has found.
func (p *Partner) Problem() Problem { return p.problem }

// Text says what is wrong and what to do; control is the EtherType of this end's control
// frames.
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
	case Silent:
		return "partner is silent: is uelinkd running there with LLR on?"
	case Dialect:
		d := wire.DialectSeed
		if self.UE1 {
			d = wire.DialectUE1
		}
		return fmt.Sprintf("partner speaks dialect %s, this port %s: set the same dialect at both ends", d.Other(), d)
	case DataEtherType:
		return fmt.Sprintf("partner sends data under EtherType %#04x, this port under %#04x: set the same "+
			"ethertypes at both ends", p.told.EtherType, self.EtherType)
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
	}
	return p.lengthText()
}

// lengthText is Text for what is about the length of frames.
func (p *Partner) lengthText() string {
	switch b := &p.probe; p.problem {
	case Largest:
		return fmt.Sprintf("partner takes link frames of up to %d octets, this port may have to send %d: raise the MTU "+
			"there by %d, or lower the MTU of the edge here", b.takes, b.want, b.want-b.takes)
	case WireLimit:
		return fmt.Sprintf("the wire carries link frames of up to %d octets, this port may have to send %d: raise the MTU "+
			"of what is on the way by %d, or lower the MTU of the edges",
			b.limit, b.want, b.want-b.limit)
	}
	return ""
}
