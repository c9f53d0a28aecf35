package llr

import "uelink/wire"

// space is the largest sequence number of a machine, one less than a power of two. Numbers run from 0 to space and
// wrap.
type space uint32

// standard is the space of the 20 bits in the formats.
const standard space = wire.SeqMask

// add returns the sequence number seq + n; n may be negative.
func (s space) add(seq uint32, n int) uint32 { return (seq + uint32(n)) & uint32(s) }

// distance returns by how many sequence numbers b lies ahead of a.
func (s space) distance(a, b uint32) uint32 { return (b - a) & uint32(s) }

// behind reports whether the sequence number b lies in the half of the space behind a.
func (s space) behind(a, b uint32) bool { return s.distance(a, b) > uint32(s)/2 }

// ahead reports whether the sequence number b lies in the half of the space ahead of a.
func (s space) ahead(a, b uint32) bool { return a != b && !s.behind(a, b) }

// NewLinkOf returns an end of a link like NewLink, but with sequence numbers of only bits bits, 3 to wire.SeqBits:
// with so few bits a test can visit every state of two ends. The window must be at most half of the numbers.
func NewLinkOf(bits int, p Profile, initSeq uint32, nonce [2]byte) *Link {
	l := NewLink(p, initSeq, nonce)
	s := space(1)<<bits - 1
	l.Tx.space, l.Tx.hello.space, l.Rx.space, l.Rx.partner.space, l.Rx.reorder.space = s, s, s, s, s
	l.Tx.seq &= uint32(s)
	return l
}
