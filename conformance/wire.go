package conformance

import (
	"uelink/dataplane/lab"
	"uelink/wire"
)

// What a wire in memory does to the frames that cross it.

// dataSeq is the number of a data frame; ok is false of one that has none, and of control.
func dataSeq(f []byte) (seq uint32, ok bool) {
	if wire.EtherType(f) != wire.EtherTypeData {
		return 0, false
	}
	p, fault := wire.ParseData(f, wire.DialectSeed)
	return p.Seq, fault == wire.NoFault && p.Sequenced
}

// once does something to the frame number n from now on, from 1, the first time it comes.
func once(b *lab.Bench, n int, do lab.Script) lab.Script {
	wanted, done := wire.SeqAdd(b.A.NextSeq(), n-1), false
	return func(f []byte) bool {
		if seq, ok := dataSeq(f); !ok || seq != wanted || done {
			return true
		}
		done = true
		return do(f)
	}
}

// drop loses a frame.
func drop([]byte) bool { return false }

// damage flips a bit of what a frame carries.
func damage(f []byte) bool {
	f[len(f)/2] ^= 0x10
	return true
}

// poison inverts the FCS image of a frame: its sender knew that it was damaged.
func poison(f []byte) bool {
	for i := len(f) - wire.FCSLen; i < len(f); i++ {
		f[i] = ^f[i]
	}
	return true
}

// answers has every LLR_ACK and LLR_NACK changed, or taken out where change is false.
func answers(change func(*wire.CtlOS) bool) lab.Script {
	return func(f []byte) bool {
		if wire.EtherType(f) != wire.EtherTypeControl {
			return true
		}
		var list [wire.MaxCtlOS]wire.CtlOS
		n, _, fault := wire.ParseControl(f, &list)
		if fault != wire.NoFault {
			return true
		}
		left := list[:0]
		for _, c := range list[:n] {
			if c.Type != wire.LLRAck && c.Type != wire.LLRNack || change(&c) {
				left = append(left, c)
			}
		}
		if len(left) == 0 {
			return false
		}
		end := wire.PutControl(f, wire.MAC(f[wire.AddrLen:]), wire.EtherTypeControl, left)
		clear(f[end:])
		return true
	}
}

// blocked keeps every answer back.
func blocked() lab.Script { return answers(func(*wire.CtlOS) bool { return false }) }

// frozen has no answer say more than that n frames from now on have come.
func frozen(b *lab.Bench, n int) lab.Script {
	last := wire.SeqAdd(b.A.NextSeq(), n-1)
	return answers(func(c *wire.CtlOS) bool {
		if !wire.SeqBehind(last, c.Seq) {
			c.Type, c.Seq = wire.LLRAck, last
		}
		return true
	})
}
