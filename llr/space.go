package llr

import "uelink/wire"

// space is the sequence numbers of a machine: 0 up to it, and then 0 again. It is one less than a power of
// two.
type space uint32

// standard is the 20 bits that the formats carry.
const standard space = wire.SeqMask

// add is seq + n; n may be negative.
func (s space) add(seq uint32, n int) uint32 { return (seq + uint32(n)) & uint32(s) }

// distance is how far b lies ahead of a.
func (s space) distance(a, b uint32) uint32 { return (b - a) & uint32(s) }

// behind tells whether b lies in the half of the space behind a.
func (s space) behind(a, b uint32) bool { return s.distance(a, b) > uint32(s)/2 }

// ahead tells whether b lies in the half of the space ahead of a.
func (s space) ahead(a, b uint32) bool { return a != b && !s.behind(a, b) }

// NewLinkOf is NewLink with sequence numbers of fewer bits, 3 to wire.SeqBits: so few that every
// state of two ends can be visited. The window is to be at most half of them.
func NewLinkOf(bits int, p Profile, initSeq uint32, nonce [2]byte) *Link {
	l := NewLink(p, initSeq, nonce)
	s := space(1)<<bits - 1
	l.Tx.space, l.Tx.hello.space, l.Rx.space, l.Rx.partner.space = s, s, s, s
	l.Tx.seq &= uint32(s)
	return l
}
