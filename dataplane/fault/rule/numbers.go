package rule

import "uelink/wire"

// half is half of the sequence space.
const half = 1 << (wire.SeqBits - 1)

// numbers is the sequence numbers of the data frames of one way. The zero value knows none.
type numbers struct {
	begun bool
	next  uint32                         // after the highest data number
	seen  [1 << wire.SeqBits / 64]uint64 // a bit for each number of the half behind next

	initSeq  uint32
	initData [2]byte
	hasInit  bool
}

// initialize records an LLR_INIT. An LLR_INIT different from the last begins new numbers.
func (n *numbers) initialize(c *wire.CtlOS) {
	if n.hasInit && n.initSeq == c.Seq && n.initData == c.InitData {
		return
	}
	n.hasInit, n.initSeq, n.initData = true, c.Seq, c.InitData
	n.begun, n.next = true, c.Seq
	clear(n.seen[:])
}

// sent records the number of a data frame. repeated reports whether the number was seen before, and fresh whether it is
// the number after the highest.
func (n *numbers) sent(seq uint32) (repeated, fresh bool) {
	if !n.begun {
		n.begun, n.next = true, seq
	}
	fresh = seq == n.next
	if ahead := wire.SeqDistance(n.next, seq); ahead < half {
		// Numbers half a round ahead of the highest are forgotten: they come again.
		for i := range ahead + 1 {
			old := wire.SeqAdd(n.next, int(i)+half)
			n.seen[old/64] &^= 1 << (old % 64)
		}
		n.next = wire.SeqAdd(seq, 1)
	}
	repeated = n.seen[seq/64]>>(seq%64)&1 != 0
	n.seen[seq/64] |= 1 << (seq % 64)
	return repeated, fresh
}
