package plan

import (
	"context"
	"fmt"
	"time"
)

// timerCases returns the cases of the replay timer, of its limit, and of a full replay buffer.
func timerCases() []Case {
	return []Case{
		{ID: "9", Title: "Replay timer", lossy: true, run: timerCase,
			Stimulus: "ten frames, whose LLR_ACKs are lost for several periods of the replay timer; then the same with " +
				"another timer",
			Correction: "timers of 40 and 20 ms: hardware has timers up to 65,535 ns, and a program may wait longer " +
				"for the CPU. The median of all waits must be within 10 %, and no wait shorter than 90 %. A replay begins with the oldest " +
				"unacknowledged frame. Before the replay, a tail probe (one copy of the last frame) asks whether the last " +
				"frame was lost"},
		{ID: "12", Title: "Full replay buffer", lossy: true, run: overflowCase,
			Stimulus: "OUTSTANDING_FRAMES_MAX 100, REPLAY_COUNT_MAX 3, no LLR_ACK arrives, more frames than fit",
			Correction: "a full buffer only blocks: the buffer discards no frame and causes no FLUSH. FLUSH follows too many " +
				"replays, and in FLUSH best effort frames leave without sequence numbers"},
		{ID: "15", Title: "Retry limit", lossy: true, run: limitCase,
			Stimulus: "REPLAY_COUNT_MAX 3; (a) the first of 100 frames is lost for ever, and so are all LLR_ACKs and " +
				"LLR_NACKs; (b) the 50th frame is lost for ever, and LLR_NACKs arrive; (c) as (b), with RE_INIT_ON_FLUSH",
			Correction: "SAI-LLR limits the replays of the replay timer (\"Replay timer: can be performed multiple times, capped " +
				"by REPLAY_COUNT_MAX, if no further LLR_ACKs are received\"); an LLR_NACK starts a replay by a rule without a " +
				"limit. So TX_REPLAY is 3 if no LLR_NACK arrives, and each LLR_NACK that arrives may add 1"},
	}
}

// timerCase runs case 9: ten frames are not acknowledged. A sends the frames again by the replay timer, of 40 ms and
// after a reload of 20 ms.
func timerCase(ctx context.Context, t *trial) error {
	s := common().withTimer(40 * time.Millisecond)
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	if err := t.timed(ctx, s.timer); err != nil {
		return err
	}
	s = s.withTimer(20 * time.Millisecond)
	if err := t.reload(ctx, 0, s); err != nil {
		return err
	}
	return t.timed(ctx, s.timer)
}

// timed drops the LLR_ACKs of ten frames for several periods of the replay timer, and records when the frames are sent
// again.
func (t *trial) timed(ctx context.Context, timer time.Duration) error {
	before, err := t.counters(ctx, 0)
	if err != nil {
		return err
	}
	for _, text := range []string{
		fmt.Sprintf("from=b kind=ack,nack seq=+1.. for=%v drop", 5*timer+timer/2),
	} {
		if err := t.onlyRule(text); err != nil {
			return err
		}
	}
	frames, err := t.watched(ctx, 0, func() error {
		if _, err := t.carry(ctx, 10, 256, 10); err != nil {
			return err
		}
		return await(ctx, "A's frames are acknowledged after the wire stops dropping LLR_ACKs", func() (bool, string) {
			l, err := t.link(ctx, 0)
			return err == nil && l.OutstandingFrames == 0, fmt.Sprint(l.OutstandingFrames, err)
		})
	})
	if err != nil {
		return err
	}
	r := resentOf(dataSent(frames), timer)
	waits := r.waits
	prefix := fmt.Sprintf("timer %v: ", timer)
	least(t, prefix+"replays of the timer", 3, len(waits))
	within(t, prefix+"median wait before a replay", timer*9/10, timer*11/10, median(waits))
	if len(waits) > 0 {
		sortTimes(waits)
		least(t, prefix+"shortest wait before a replay", timer*9/10, waits[0])
		t.show(prefix+"longest wait before a replay", waits[len(waits)-1])
	}
	equal(t, prefix+"replays that do not begin with the oldest unacknowledged frame", 0, r.astray)
	t.show(prefix+"tail probes (copies of the last frame alone, no replays)", r.probes)
	after, err := t.counters(ctx, 0)
	least(t, prefix+"TX_REPLAY", 3, after.TxReplay-before.TxReplay)
	if err != nil {
		return err
	}
	z, err := t.counters(ctx, 1)
	least(t, prefix+"B RX_DUPLICATE_SEQ", 1, z.RxDuplicateSeq)
	return err
}

// limited returns the settings with REPLAY_COUNT_MAX 3, a replay timer of 20 ms, and action as FLUSH_LLR_FRAME_ACTION.
// A link in FLUSH stays there.
func limited(action string) settings {
	s := common().withTimer(20 * time.Millisecond)
	s.count, s.flush, s.reInit = 3, action, false
	return s
}

// flushed waits until A has entered FLUSH.
func (t *trial) flushed(ctx context.Context) error {
	return await(ctx, "A enters FLUSH", func() (bool, string) {
		c, err := t.counters(ctx, 0)
		l, linkErr := t.link(ctx, 0)
		return err == nil && linkErr == nil && (c.TxFlush > 0 || l.FlushReason != ""), fmt.Sprintf("%s, TX_REPLAY %d %v",
			l.TxStatus, c.TxReplay, err)
	})
}

// burst carries n frames each way, some of them lost, without a long wait for lost frames.
func (t *trial) burst(ctx context.Context, n uint64, size, window int) error {
	c := t.between(n, size, window)
	c.LossTimeout, c.GiveUp = 100*time.Millisecond, 300*time.Millisecond
	_, err := t.send(ctx, c)
	return err
}

// overflowCase runs case 12: no LLR_ACK arrives, and more frames come than the replay buffer takes, by their number and
// then by their octets. In FLUSH, best effort frames leave without sequence numbers.
func overflowCase(ctx context.Context, t *trial) error {
	s := limited("best_effort")
	s.frames = 100
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	if err := t.blocked(ctx, s, "replay buffer full by number of frames: ", 256, 100); err != nil {
		return err
	}
	before, err := t.bare(ctx)
	if err != nil {
		return err
	}
	if err := t.burst(ctx, 50, 256, 10); err != nil {
		return err
	}
	after, err := t.bare(ctx)
	least(t, "frames sent without a sequence number in FLUSH", 50, after-before)
	if err != nil {
		return err
	}
	l, err := t.link(ctx, 0)
	if err != nil {
		return err
	}
	equal(t, "A LLR_TX_STATUS without RE_INIT_ON_FLUSH", "FLUSH", l.TxStatus.String())
	s = limited("discard")
	s.octets = 50_000
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	return t.blocked(ctx, s, "replay buffer full by number of octets: ", 1000, 50)
}

// bare returns how many frames A has sent without a number.
func (t *trial) bare(ctx context.Context) (uint64, error) {
	l, err := t.ends[0].client.LLRCountersOf(ctx, t.ends[0].port)
	return l.TxBare, err
}

// blocked lets no LLR_ACK arrive and sends more frames than fit, 400 of size octets, and records that room of them are
// sent before FLUSH, and that s.count replays precede FLUSH.
func (t *trial) blocked(ctx context.Context, s settings, prefix string, size int, room uint64) error {
	if err := t.onlyRule("from=b kind=ack,nack drop"); err != nil {
		return err
	}
	ended := make(chan error, 1)
	frames, err := t.watched(ctx, 0, func() error {
		go func() { ended <- t.burst(ctx, 400, size, 400) }()
		err := t.flushed(ctx)
		if sendErr := <-ended; err == nil {
			err = sendErr
		}
		return err
	})
	if err != nil {
		return err
	}
	c, err := t.counters(ctx, 0)
	if err != nil {
		return err
	}
	first := uint64(0)
	for _, f := range dataSent(frames) {
		if !f.repeated {
			first++
		}
	}
	equal(t, prefix+"frames sent with a sequence number before FLUSH", room, first)
	equal(t, prefix+"frames flushed", room, c.TxFlushedFrames)
	equal(t, prefix+"times that A entered FLUSH", 1, c.TxFlush)
	equal(t, prefix+"TX_REPLAY", uint64(s.count), c.TxReplay)
	return nil
}

// limitCase runs case 15: one frame is lost at every sending, (a) without LLR_NACKs, (b) with LLR_NACKs, (c) with
// RE_INIT_ON_FLUSH. Three replays by the timer end in FLUSH; in (c) the link then works again.
func limitCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, limited("discard")); err != nil {
		return err
	}
	if err := t.limit(ctx, "(a) ", 1, true); err != nil {
		return err
	}
	before, err := t.counters(ctx, 0)
	if err != nil {
		return err
	}
	if err := t.burst(ctx, 10, 256, 10); err != nil {
		return err
	}
	after, err := t.counters(ctx, 0)
	if err != nil {
		return err
	}
	equal(t, "(a) TX_DISCARD of ten more frames", 10, after.TxDiscard-before.TxDiscard)
	bare, err := t.bare(ctx)
	if err != nil {
		return err
	}
	equal(t, "(a) frames sent without a sequence number", 0, bare)
	if err := t.fresh(ctx, limited("discard")); err != nil {
		return err
	}
	if err := t.limit(ctx, "(b) ", 50, false); err != nil {
		return err
	}
	s := limited("block")
	s.reInit = true
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	return t.limitAndBack(ctx)
}

// limit loses the same one of 100 frames at every sending, and records how A gives up. lost is the number of the frame,
// from 1. If silent is true, all LLR_ACKs and LLR_NACKs are lost, too.
func (t *trial) limit(ctx context.Context, prefix string, lost uint64, silent bool) error {
	if err := t.wire.clear(); err != nil {
		return err
	}
	if silent {
		if _, err := t.rule("from=b kind=ack,nack,gap drop"); err != nil {
			return err
		}
	}
	if _, err := t.rule(fmt.Sprintf("from=a kind=data seq=+%d drop", lost)); err != nil {
		return err
	}
	before, err := t.both(ctx)
	if err != nil {
		return err
	}
	if err := t.burst(ctx, 100, 256, 100); err != nil {
		return err
	}
	if err := t.flushed(ctx); err != nil {
		return err
	}
	counters, err := t.both(ctx)
	if err != nil {
		return err
	}
	a, z := counters[0], counters[1]
	nacks := a.RxNackCtlOS + a.RxNackRepeated
	within(t, prefix+"TX_REPLAY: 3, and at most 1 more for each LLR_NACK", 3, 3+nacks, a.TxReplay)
	if silent {
		equal(t, prefix+"LLR_NACKs that A has received", 0, nacks)
	}
	equal(t, prefix+"times that A entered FLUSH", 1, a.TxFlush)
	equal(t, prefix+"frames flushed: from the lost frame on", 101-lost, a.TxFlushedFrames)
	equal(t, prefix+"frames that B has accepted", lost-1, z.RxExpectedSeqGood-before[1].RxExpectedSeqGood)
	l, err := t.link(ctx, 0)
	if err != nil {
		return err
	}
	equal(t, prefix+"A LLR_TX_STATUS", "FLUSH", l.TxStatus.String())
	equal(t, prefix+"A reports a port error", true, len(l.ErrorStatus) > 0)
	t.show(prefix+"port error status", l.ErrorStatus)
	return nil
}

// limitAndBack loses a frame for ever with RE_INIT_ON_FLUSH, and records that the link works again.
func (t *trial) limitAndBack(ctx context.Context) error {
	if err := t.onlyRule("from=a kind=data seq=+50 drop"); err != nil {
		return err
	}
	if err := t.burst(ctx, 100, 256, 100); err != nil {
		return err
	}
	if err := t.flushed(ctx); err != nil {
		return err
	}
	if err := t.wire.clear(); err != nil {
		return err
	}
	if err := t.up(ctx); err != nil {
		return err
	}
	d, err := t.send(ctx, t.between(100, 256, 32))
	t.whole("(c) after FLUSH and INIT: ", &d)
	c, askErr := t.counters(ctx, 0)
	equal(t, "(c) times that A entered FLUSH", 1, c.TxFlush)
	if err == nil {
		err = askErr
	}
	return err
}
