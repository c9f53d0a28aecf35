package conformance

import (
	"uelink/cbfc"
	"uelink/lab/simulated"
	"uelink/wire"
)

// creditSizes returns the pairs of credit size and packet overhead, in octets, that CBFC-01 and CBFC-02 run with.
func creditSizes() []cbfc.Size {
	return []cbfc.Size{
		{Credit: 32}, {Credit: 128}, {Credit: 256, Overhead: -16}, {Credit: 512, Overhead: 20}, {Credit: 1024},
		{Credit: 2048, Overhead: 127},
	}
}

// enough returns a credit limit, in credits of this size, with room for two of the longest frames.
func enough(unit cbfc.Size) int { return max(64, 2*int(cost(9400, unit))) }

// senderCounts runs CBFC-01 and records the results: the sender consumes credits by the standard's formula, for
// frames of every size.
func senderCounts(t *trial) {
	t.countAll(func(b *simulated.Bench, want uint64, run func()) {
		before := vcOf(b.A, 1).Sender
		run()
		after := vcOf(b.A, 1).Sender
		t.exact("A SENDER_CREDITS_CONSUMED", want, counted(before.Consumed, after.Consumed))
		t.exact("A SENDER_CREDITS_FREED", want, counted(before.Freed, after.Freed))
	})
}

// receiverCounts runs CBFC-02 and records the results: the receiver consumes credits by the standard's formula,
// for frames of every size.
func receiverCounts(t *trial) {
	t.countAll(func(b *simulated.Bench, want uint64, run func()) {
		before := vcOf(b.B, 1).Receiver
		run()
		after := vcOf(b.B, 1).Receiver
		t.exact("B RECEIVER_CREDITS_CONSUMED", want, counted(before.Consumed, after.Consumed))
		t.exact("B RECEIVER_CREDITS_FREED", want, counted(before.Freed, after.Freed))
	})
}

// countAll sends 100 frames of every frame size from A to B, with every credit size. With the smallest credits it
// then sends 4,000 frames, so that counters of 20 bits wrap to 0. It calls check for each batch: check has to call
// run, which sends the frames, and to compare the counters with want, the credits by the formula.
func (t *trial) countAll(check func(b *simulated.Bench, want uint64, run func())) {
	const vc, frames, round = 1, 100, 4000
	for _, unit := range creditSizes() {
		b := t.bench(func(o *simulated.Options) { credited(o, 2, 1<<vc, enough(unit), unit) })
		lost := uint64(0)
		carry := func(frames uint64) {
			check(b, frames*cost(t.size, unit)&(1<<20-1), func() {
				s := t.onVC(b, b.A, vc, frames)
				b.Carry(s)
				b.WaitIdle()
				lost += s.Frames - s.Delivered
			})
		}
		for _, t.size = range allSizes() {
			carry(frames)
		}
		if unit.Credit == cbfc.MinCreditSize {
			t.note = "4000 frames: counters of 20 bits wrap to 0"
			carry(round)
			t.note = ""
		}
		t.size = 0
		t.exact("frames lost", 0, lost)
		t.exact("A CBFC_SENDER_CREDITS_USED", 0, used(b.A))
		t.exact("credits held by B", 0, uint64(vcOf(b.B, vc).Receiver.Held))
	}
}

// repairedCounts runs CBFC-03 and records the results: without LLR, 100 frames are damaged while CC_Update is held
// back. The receiver does not count the damaged frames. The next CC_Update makes all counters equal.
func repairedCounts(t *trial) {
	const vc, frames = 1, 100
	for _, t.size = range countSizes() {
		b := t.bench(func(o *simulated.Options) {
			credited(o, 2, 1<<vc, 1024, chunkCredits)
			o.Link.LLR.Local, o.Link.LLR.Remote = false, false
		})
		c := cost(t.size, chunkCredits)
		b.Carry(t.onVC(b, b.A, vc, frames))
		b.WaitIdle()
		t.note = "CC_Updates stopped, 100 bad frames"
		b.B.SetScript(withoutCounts(damage))
		b.Carry(t.onVC(b, b.A, vc, frames))
		s, r := vcOf(b.A, vc).Sender, vcOf(b.B, vc).Receiver
		t.exact("frames that B received with a bad FCS image", frames, b.B.Link().Counters.RxBareBadFCS)
		t.exact("A SENDER_CREDITS_CONSUMED", 2*frames*c, uint64(s.Consumed))
		t.exact("A SENDER_CREDITS_USED", frames*c, uint64(s.Used))
		t.exact("B RECEIVER_CREDITS_CONSUMED", frames*c, uint64(r.Consumed))
		t.exact("B RECEIVER_CREDITS_FREED", frames*c, uint64(r.Freed))
		t.note = "CC_Updates resumed"
		b.B.SetScript(nil)
		b.WaitIdle()
		s, r = vcOf(b.A, vc).Sender, vcOf(b.B, vc).Receiver
		t.exact("B RECEIVER_CREDITS_CONSUMED, equal to A SENDER_CREDITS_CONSUMED", 2*frames*c, uint64(r.Consumed))
		t.exact("B RECEIVER_CREDITS_FREED, equal to A SENDER_CREDITS_FREED", uint64(s.Freed), uint64(r.Freed))
		t.exact("A CBFC_SENDER_CREDITS_USED", 0, used(b.A))
		t.exact("credits of bad frames that B returned", frames*c, vcOf(b.B, vc).Counters.Repaired)
		t.note = ""
	}
}

// withoutCounts returns a script for the wire that drops every data frame with a CC_Update, and applies do to
// every other data frame.
func withoutCounts(do simulated.Script) simulated.Script {
	return func(f []byte) bool {
		if wire.EtherType(f) != wire.EtherTypeData {
			return true
		}
		if p, fault := wire.ParseData(f, wire.DialectSeed); fault == wire.NoFault && p.Partner {
			return false
		}
		return do(f)
	}
}
