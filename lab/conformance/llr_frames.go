package conformance

import (
	"uelink/lab/simulated"
	"uelink/llr"
)

// goodFrames runs LLR-01 and records the results: 100 frames of a good wire are counted at both ends, and the
// modes read back as set.
func goodFrames(t *trial) {
	for _, t.size = range countSizes() {
		b := t.bench(nil)
		s := t.stream(b, 100)
		a, z := b.A.Link().LLR, b.B.Link().LLR
		t.exact("A TX_OK", 100, a.Counters.TxOK)
		t.exact("B RX_OK", 100, z.Counters.RxOK)
		t.exact("B RX_EXPECTED_SEQ_GOOD", 100, z.Counters.RxExpectedSeqGood)
		t.exact("B RX_INIT_CTL_OS, equal to A TX_INIT_CTL_OS", a.Counters.TxInitCtlOS, z.Counters.RxInitCtlOS)
		t.exact("A RX_ACK_CTL_OS, equal to B TX_ACK_CTL_OS", z.Counters.TxAckCtlOS, a.Counters.RxAckCtlOS)
		t.flag("A LLR_MODE_LOCAL", true, a.Local)
		t.flag("A LLR_MODE_REMOTE", true, a.Remote)
		t.word("A LLR_TX_STATUS", llr.TxAdvance, a.TxStatus)
		t.word("B LLR_RX_STATUS", llr.RxSendAcks, z.RxStatus)
		t.whole(s)
	}
}

// droppedFrame runs LLR-02 and records the results: one of 100 frames is dropped and retried once.
func droppedFrame(t *trial) {
	for _, t.size = range countSizes() {
		b := t.bench(nil)
		b.B.SetScript(once(b, 50, drop))
		s := t.stream(b, 100)
		t.exact("A RX_NACK_CTL_OS", 1, countersOf(b.A).RxNackCtlOS)
		t.exact("A TX_REPLAY", 1, countersOf(b.A).TxReplay)
		t.exact("B RX_EXPECTED_SEQ_GOOD", 100, countersOf(b.B).RxExpectedSeqGood)
		t.whole(s)
	}
}

// badFrame runs LLR-04 and records the results: of 1,000 frames, (a) one has a bad CRC, (b) one is missing.
func badFrame(t *trial) {
	for _, t.size = range countSizes() {
		t.badFrame("(a) bad CRC", damage, 1)
		t.badFrame("(b) gap", drop, 0)
	}
}

// badFrame spoils frame 500 of 1,000 by a script, and records that B asks for it once. bad is the wanted count of bad
// frames.
func (t *trial) badFrame(name string, do simulated.Script, bad uint64) {
	b := t.bench(nil)
	b.B.SetScript(once(b, 500, do))
	t.note = name + ", frame 500 of 1000"
	s := t.stream(b, 1000)
	t.exact("B TX_NACK_CTL_OS", 1, countersOf(b.B).TxNackCtlOS)
	t.exact("B RX_REPLAY", 1, countersOf(b.B).RxReplay)
	t.exact("B RX_EXPECTED_SEQ_BAD", bad, countersOf(b.B).RxExpectedSeqBad)
	t.whole(s)
	t.note = ""
}

// poisonedFrame runs LLR-05 and records the results: one of 100 frames is poisoned. The frame uses a sequence
// number and is dropped.
func poisonedFrame(t *trial) {
	for _, t.size = range countSizes() {
		b := t.bench(nil)
		b.B.SetScript(once(b, 50, poison))
		s := t.stream(b, 100)
		t.exact("B RX_EXPECTED_SEQ_POISONED", 1, countersOf(b.B).RxExpectedSeqPoisoned)
		t.exact("B RX_POISONED", 1, countersOf(b.B).RxPoisoned)
		t.exact("B TX_NACK_CTL_OS", 0, countersOf(b.B).TxNackCtlOS)
		t.exact("B RX_REPLAY", 0, countersOf(b.B).RxReplay)
		t.exact("A TX_REPLAY", 0, countersOf(b.A).TxReplay)
		t.exact("frames delivered", 99, s.Delivered)
		t.exact("frames out of order, doubled or damaged", 0, s.Reordered+s.Duplicated+s.Damaged)
	}
}
