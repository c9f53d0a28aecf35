package conformance

import (
	"time"

	"uelink/lab/simulated"
	"uelink/llr"
)

// flushSize is the frame size of cases that end in FLUSH.
const flushSize = 256

// replays is REPLAY_COUNT_MAX of the FLUSH cases. A retry after the replay timer sends the first askedAgain
// outstanding frames, because the partner may only be slow.
const (
	replays    = 3
	askedAgain = 4 // frames
)

// threeReplays changes the settings to REPLAY_COUNT_MAX 3, and FLUSH discards frames.
func threeReplays(o *simulated.Options) {
	o.Profile.MaxReplayCount, o.Profile.FlushAction = replays, llr.Discard
}

// replayCount runs LLR-03 and records the results: no acknowledgement arrives, (a) because LLR_ACK is blocked, (b)
// because LLR_ACK is frozen at a number. Three retries, then FLUSH.
func replayCount(t *trial) {
	t.size = flushSize
	for _, c := range []struct {
		name  string
		acked uint64
		wire  func(b *simulated.Bench) simulated.Script
	}{
		{"(a) LLR_ACK blocked", 0, func(*simulated.Bench) simulated.Script { return blocked() }},
		{"(b) LLR_ACK frozen at frame 10", 10, func(b *simulated.Bench) simulated.Script { return frozen(b, 10) }},
	} {
		b := t.bench(threeReplays)
		b.A.SetScript(c.wire(b))
		t.note = c.name + ", of 100 frames; a retry of the replay timer sends the first four"
		t.stream(b, 100)
		a := b.A.Link().LLR
		t.exact("A TX_REPLAY", replays, a.Counters.TxReplay)
		t.exact("frames that A sent again in replays", replays*askedAgain, a.Counters.TxOK-100-a.Counters.TxTailProbe)
		t.exact("A FLUSH entered", 1, a.Counters.TxFlush)
		t.exact("A frames flushed", 100-c.acked, a.Counters.TxFlushedFrames)
		t.word("A LLR_TX_STATUS", llr.TxFlush, a.TxStatus)
	}
}

// outstandingFrames runs LLR-06 and records the results: OUTSTANDING_FRAMES_MAX is 4, and no LLR_ACK arrives. Only
// four frames are sent, each once and in three replays. Then FLUSH discards the rest.
func outstandingFrames(t *trial) {
	const window = 4
	t.size = flushSize
	b := t.bench(func(o *simulated.Options) {
		threeReplays(o)
		o.Profile.MaxOutstandingFrames = window
	})
	b.A.SetScript(blocked())
	s := t.stream(b, 100)
	a, z := b.A.Link().LLR, countersOf(b.B)
	t.exact("A TX_OK", window+replays*window, a.Counters.TxOK)
	t.exact("A TX_REPLAY", replays, a.Counters.TxReplay)
	t.exact("B RX_EXPECTED_SEQ_GOOD", window, z.RxExpectedSeqGood)
	t.exact("B RX_DUPLICATE_SEQ", replays*window, z.RxDuplicateSeq)
	t.exact("A frames flushed", window, a.Counters.TxFlushedFrames)
	t.exact("A TX_DISCARD", 100-window, a.Counters.TxDiscard)
	t.word("A LLR_TX_STATUS", llr.TxFlush, a.TxStatus)
	t.exact("frames delivered", window, s.Delivered)
}

// reInit runs LLR-08 and records the results: with RE_INIT_ON_FLUSH, INIT follows FLUSH, and the link works again.
func reInit(t *trial) {
	t.size = flushSize
	b := t.bench(func(o *simulated.Options) {
		threeReplays(o)
		o.Profile.ReInitOnFlush = true
	})
	before := countersOf(b.A)
	b.A.SetScript(blocked())
	flushed := func() bool { return countersOf(b.A).TxFlush > 0 }
	s := &simulated.Stream{From: b.A, To: b.B, Frames: 1, Size: t.size}
	b.Carry(s)
	b.Until(flushed, time.Second)
	b.A.SetScript(nil)
	b.Establish()
	after := b.A.Link().LLR
	t.exact("A FLUSH entered", 1, after.Counters.TxFlush)
	t.exact("A TX_INIT_CTL_OS after FLUSH", 1, after.Counters.TxInitCtlOS-before.TxInitCtlOS)
	t.exact("A RX_INIT_ECHO_CTL_OS after FLUSH", 1, after.Counters.RxInitEchoCtlOS-before.RxInitEchoCtlOS)
	t.word("A LLR_TX_STATUS", llr.TxAdvance, after.TxStatus)
	t.whole(t.stream(b, 100))
}
