package rule

import (
	"bytes"

	"uelink/wire"
)

// key is the property of a message that a condition is about.
type key uint8

// The keys of conditions, from= to inner=.
const (
	keyFrom key = iota
	keySeq
	keyCopy
	keyVC
	keyPriority
	keyItem
	keyFCS
	keyLen
	keyOctets
	keyInner
)

// condition is a key=values of a rule: the message must have one of the values, or with not, none of them.
type condition struct {
	key    key
	not    bool
	spans  []span
	places []place // octets, inner
	set    uint32  // bitmap of the values. copy: 1 first copy, 2 later copy; from, vc, pri, item, fcs: 1<<value
}

// span is a range of numbers, both ends included.
type span struct {
	from, to uint32
	relative bool // from and to count from the way's first data number after the rule was armed; that number is 1
	next     bool // the number after the highest data number
}

// place is octets at an offset, compared under a mask.
type place struct {
	at          int
	value, mask []byte
}

// in reports whether octets have the value at the offset at, in the bits of the mask.
func (p *place) in(octets []byte) bool {
	if p.at+len(p.value) > len(octets) {
		return false
	}
	for i, v := range p.value {
		if (octets[p.at+i]^v)&p.mask[i] != 0 {
			return false
		}
	}
	return true
}

// matches reports whether a message has all properties that the rule asks for.
func (s *state) matches(m *message, w *Wire) bool {
	r := s.rule
	if r.kinds&m.kinds == 0 {
		return false
	}
	for i := range r.conditions {
		c := &r.conditions[i]
		if s.meets(c, m, w) == c.not {
			return false
		}
	}
	return true
}

// meets reports whether a message fulfils a condition of the rule, apart from a "not" before it.
func (s *state) meets(c *condition, m *message, w *Wire) bool {
	switch c.key {
	case keyFrom:
		return c.set>>m.way&1 != 0
	case keySeq:
		return s.numbered(c, m)
	case keyCopy:
		return m.copies != 0 && c.set&m.copies != 0
	case keyVC:
		return c.set&m.vcs() != 0
	case keyPriority:
		return c.set&m.priorities() != 0
	case keyItem:
		return m.item >= 0 && c.set>>m.item&1 != 0
	case keyFCS:
		return c.set>>m.fcs()&1 != 0
	case keyLen:
		return contains(c.spans, uint32(len(m.octets())))
	case keyOctets:
		return anywhere(c.places, m.octets())
	default:
		return anywhere(c.places, m.inner(w.scratch[:0]))
	}
}

// numbered reports whether the message has one of the sequence numbers of condition c: a number of a range, or the next
// number not seen yet. A relative range counts from the base of the data frames' way, and has no number before the base
// is known.
func (s *state) numbered(c *condition, m *message) bool {
	if !m.hasSeq {
		return false
	}
	if m.kinds&micropacketKinds != 0 { // TSEQ is no number of LLR
		return contains(c.spans, m.seq)
	}
	way := m.dataWay()
	for i := range c.spans {
		sp := &c.spans[i]
		from, to := sp.from, sp.to
		switch {
		case sp.next:
			if m.fresh {
				return true
			}
			continue
		case sp.relative && !s.based[way]:
			continue
		case sp.relative:
			from, to = wire.SeqAdd(s.base[way]-1, int(from)), wire.SeqAdd(s.base[way]-1, int(to))
		}
		if wire.SeqDistance(from, m.seq) <= wire.SeqDistance(from, to) {
			return true
		}
	}
	return false
}

func contains(spans []span, n uint32) bool {
	for _, s := range spans {
		if s.from <= n && n <= s.to {
			return true
		}
	}
	return false
}

func anywhere(places []place, octets []byte) bool {
	for i := range places {
		if places[i].in(octets) {
			return true
		}
	}
	return false
}

// xorAt flips the bits of pattern in octets, from index at on. octets must reach to the end of pattern.
func xorAt(octets []byte, at int, pattern []byte) {
	for i, b := range pattern {
		octets[at+i] ^= b
	}
}

// dcbxOUIs are the OUIs whose TLVs carry DCBX: of IEEE 802.1 with the subtypes 9 to 12, and of CEE.
var dcbxOUIs = [2][3]byte{{0x00, 0x80, 0xC2}, {0x00, 0x1B, 0x21}}

// hasDCBX reports whether an LLDPDU (TLVs of a type, a length and content) has a TLV of DCBX, of IEEE or CEE.
func hasDCBX(pdu []byte) bool {
	for len(pdu) >= 2 {
		kind, n := pdu[0]>>1, int(pdu[0]&1)<<8|int(pdu[1])
		if kind == 0 || 2+n > len(pdu) {
			return false
		}
		if info := pdu[2 : 2+n]; kind == 127 && n >= 4 {
			ieee := bytes.Equal(info[:3], dcbxOUIs[0][:]) && info[3] >= 9 && info[3] <= 12
			if ieee || bytes.Equal(info[:3], dcbxOUIs[1][:]) {
				return true
			}
		}
		pdu = pdu[2+n:]
	}
	return false
}
