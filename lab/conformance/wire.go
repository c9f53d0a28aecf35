package conformance

import (
	"uelink/lab/simulated"
	"uelink/wire"
)

// Scripts of a wire in memory: a script sees each frame, may change it, and returns false to drop it.

// dataSeq returns the LLR sequence number of a data frame. ok is false for control frames and frames without a
// number.
func dataSeq(f []byte) (seq uint32, ok bool) {
	if wire.EtherType(f) != wire.EtherTypeData {
		return 0, false
	}
	p, fault := wire.ParseData(f, wire.DialectSeed)
	return p.Seq, fault == wire.NoFault && p.Sequenced
}

// once returns a script for the wire that applies do to the n-th data frame that A sends from now on (n from 1),
// the first time that the frame arrives; a replay of it passes.
func once(b *simulated.Bench, n int, do simulated.Script) simulated.Script {
	wanted, done := wire.SeqAdd(b.A.NextSeq(), n-1), false
	return func(f []byte) bool {
		if seq, ok := dataSeq(f); !ok || seq != wanted || done {
			return true
		}
		done = true
		return do(f)
	}
}

// drop makes the simulated wire lose a frame: it returns false.
func drop([]byte) bool { return false }

// damage flips a bit in the payload of a frame on the simulated wire, and returns true: the frame goes on.
func damage(f []byte) bool {
	f[len(f)/2] ^= 0x10
	return true
}

// poison inverts the FCS image of a frame on the simulated wire, as a sender does that knows the frame to be damaged,
// and returns true: the frame goes on.
func poison(f []byte) bool {
	for i := len(f) - wire.FCSLen; i < len(f); i++ {
		f[i] = ^f[i]
	}
	return true
}

// answers returns a script for the wire that calls change for every LLR_ACK and LLR_NACK in control frames, and
// removes those for which change returns false. Control frames left empty are dropped.
func answers(change func(*wire.CtlOS) bool) simulated.Script {
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

// blocked returns a script for the wire that removes every LLR_ACK and LLR_NACK.
func blocked() simulated.Script { return answers(func(*wire.CtlOS) bool { return false }) }

// frozen returns a script for the wire that changes every LLR_ACK and LLR_NACK beyond the next n frames of A into
// an LLR_ACK of the n-th.
func frozen(b *simulated.Bench, n int) simulated.Script {
	last := wire.SeqAdd(b.A.NextSeq(), n-1)
	return answers(func(c *wire.CtlOS) bool {
		if !wire.SeqBehind(last, c.Seq) {
			c.Type, c.Seq = wire.LLRAck, last
		}
		return true
	})
}
