package plan

import (
	"context"
	"fmt"
	"slices"
	"time"

	"uelink/wire"
)

// frameCases returns the cases of numbers, losses and damage.
func frameCases() []Case {
	return []Case{
		{ID: "4", Title: "Numbering", run: numberingCase, Stimulus: "1,000 frames over a good wire"},
		{ID: "5", Title: "Wrap of the sequence numbers", long: true, run: wrapCase,
			Stimulus:   "frames until sequence number 1048575 has passed; the frames around the wrap are watched",
			Correction: "in the plan's text sequence numbers wrap at 524287; numbers of 20 bits wrap at 1048575"},
		{ID: "6", Title: "Frames are kept until they are acknowledged", lossy: true, run: bufferCase,
			Stimulus: "100 frames, each LLR_ACK held until all are outstanding and the replay timer has expired"},
		{ID: "7", Title: "Random loss", lossy: true, run: lossCase, Stimulus: "5 % of 1,000 frames lost, at their first sending"},
		{ID: "8", Title: "A gap makes one LLR_NACK", lossy: true, run: nackCase, Stimulus: "the 50th of 100 frames lost"},
		{ID: "10", Title: "Damage", lossy: true, run: damageCase,
			Stimulus: "of 1,000 frames each hundredth has a bit flipped, at its first sending"},
		{ID: "16", Title: "Burst of losses", lossy: true, run: burstCase,
			Stimulus: "of 1,000 frames 100 in a row are lost, at their first sending",
			Correction: "MISSING_SEQ counts the frames that arrive after a gap, not the lost frames: the 100 lost frames are " +
				"the hits of the cable's rule that drops frames. The recovery time is shown and not judged: the time " +
				"depends on the frames in flight behind the burst"},
	}
}

// numberingCase runs case 4: 1,000 frames over a good wire have consecutive numbers, and both ends count the same.
func numberingCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, common()); err != nil {
		return err
	}
	before, err := t.both(ctx)
	if err != nil {
		return err
	}
	frames, err := t.watched(ctx, 0, func() error {
		_, err := t.carry(ctx, 1000, 256, 32)
		return err
	})
	if err != nil {
		return err
	}
	t.consecutive(frames, 1000)
	after, err := t.both(ctx)
	if err != nil {
		return err
	}
	probes := after[0].TxTailProbe - before[0].TxTailProbe
	t.show("tail probes (copies of the last frame, because B was slow to acknowledge)", probes)
	equal(t, "A TX_OK, less repeated last frames (tail probes)", 1000, after[0].TxOK-before[0].TxOK-probes)
	equal(t, "A TX_REPLAY", 0, after[0].TxReplay-before[0].TxReplay)
	equal(t, "B RX_OK, less repeated last frames (tail probes)", 1000, after[1].RxOK-before[1].RxOK-probes)
	equal(t, "B RX_EXPECTED_SEQ_GOOD", 1000, after[1].RxExpectedSeqGood-before[1].RxExpectedSeqGood)
	equal(t, "B RX_DUPLICATE_SEQ, one for each tail probe", probes, after[1].RxDuplicateSeq-before[1].RxDuplicateSeq)
	equal(t, "B RX_MISSING_SEQ", 0, after[1].RxMissingSeq-before[1].RxMissingSeq)
	return t.acknowledged(ctx, before[1].TxAckCtlOS, before[0].RxAckCtlOS)
}

// acknowledged records that A has received as many LLR_ACKs as B has sent during the case. acksB and acksA are the
// counts of B and A from the beginning of the case.
func (t *trial) acknowledged(ctx context.Context, acksB, acksA uint64) error {
	var sent, received uint64
	err := await(ctx, "the last LLR_ACK arrives", func() (bool, string) {
		counters, err := t.both(ctx)
		sent, received = counters[1].TxAckCtlOS-acksB, counters[0].RxAckCtlOS-acksA
		return err == nil && sent == received, fmt.Sprintf("%d LLR_ACKs counted as sent, %d as received", sent, received)
	})
	if err != nil && ctx.Err() == nil {
		err = nil // the figure below shows different counts
	}
	equal(t, "LLR_ACKs that A has received, as many as B has sent", sent, received)
	least(t, "LLR_ACKs", 1, sent)
	return err
}

// watched watches the link port of end i while use runs, and returns its frames.
func (t *trial) watched(ctx context.Context, i int, use func() error) ([]seen, error) {
	l, err := t.look(ctx, i)
	if err != nil {
		return nil, err
	}
	if err := use(); err != nil {
		_, _ = l.end(ctx)
		return nil, err
	}
	return l.end(ctx)
}

// consecutive records that A has sent n frames with consecutive numbers. Copies are passed over.
func (t *trial) consecutive(frames []seen, n int) {
	sent := slices.DeleteFunc(dataSent(frames), func(f seen) bool { return f.repeated })
	breaks := 0
	for i := 1; i < len(sent); i++ {
		if sent[i].seq != wire.SeqAdd(sent[i-1].seq, 1) {
			breaks++
		}
	}
	equal(t, "numbered frames that A has sent", n, len(sent))
	equal(t, "sequence numbers that do not follow the previous number", 0, breaks)
}

// wrapCase runs case 5: it sends frames until 1,000 before the last sequence number, and watches the 2,000 frames
// around the wrap. Their numbers are consecutive, modulo 2^20, and no frame is lost.
func wrapCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, common()); err != nil {
		return err
	}
	const around = 1000
	c, err := t.ends[0].client.LLRCountersOf(ctx, t.ends[0].port)
	if err != nil {
		return err
	}
	first := c.TxSeq
	before := wire.SeqDistance(first, wire.SeqMask) - around
	t.show("first sequence number", first)
	d, err := t.send(ctx, t.between(uint64(before), 60, 256))
	if err != nil {
		return err
	}
	t.whole("before the wrap: ", &d)
	var sent uint64
	frames, err := t.watched(ctx, 0, func() error {
		d, err := t.carry(ctx, 2*around, 60, 32)
		sent = d.Sent
		return err
	})
	if err != nil {
		return err
	}
	t.consecutive(frames, int(sent))
	wraps := 0
	for _, f := range dataSent(frames) {
		if f.seq == wire.SeqMask && !f.repeated {
			wraps++
		}
	}
	equal(t, "frames that A sent with sequence number 1048575, without resent frames", 1, wraps)
	counters, err := t.both(ctx)
	equal(t, "LLR_ACKs received by A that match no frame", 0, counters[0].RxAckNackSeqError)
	equal(t, "B RX_MISSING_SEQ", 0, counters[1].RxMissingSeq)
	return err
}

// bufferCase runs case 6: the LLR_ACKs of 100 frames are held. A keeps all frames, also after a replay by the timer,
// and frees all when the LLR_ACKs arrive.
func bufferCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, common().withTimer(50*time.Millisecond)); err != nil {
		return err
	}
	if _, err := t.rule("id=acks from=b kind=ack,nack hold=released"); err != nil {
		return err
	}
	d, err := t.carry(ctx, 100, 256, 100)
	if err != nil {
		return err
	}
	l, err := t.link(ctx, 0)
	if err != nil {
		return err
	}
	equal(t, "frames that wait at A for an LLR_ACK, as many as B delivered", int(d.Delivered), l.OutstandingFrames)
	err = await(ctx, "the replay timer expires", func() (bool, string) {
		c, err := t.counters(ctx, 0)
		return err == nil && c.TxReplayedFrames > 0, fmt.Sprint(c.TxReplay, err)
	})
	if err != nil {
		return err
	}
	link, err := t.link(ctx, 0)
	if err != nil {
		return err
	}
	equal(t, "frames outstanding after the replay", int(d.Delivered), link.OutstandingFrames)
	if err := t.wire.remove("acks"); err != nil {
		return err
	}
	err = await(ctx, "A frees its frames after the wire has released the LLR_ACKs", func() (bool, string) {
		l, err = t.link(ctx, 0)
		return err == nil && l.OutstandingFrames == 0, fmt.Sprint(l.OutstandingFrames, err)
	})
	if err != nil {
		return err
	}
	times, err := t.ends[0].client.LLRCountersOf(ctx, t.ends[0].port)
	if t.replay == goBackN { // selective replay sends one frame, which takes no time
		least(t, "time of A in TX REPLAY", time.Nanosecond, times.TxReplayTime)
	}
	least(t, "A TX_REPLAY", 1, times.TxReplay)
	if err != nil {
		return err
	}
	c, err := t.counters(ctx, 1)
	within(t, "B RX_DUPLICATE_SEQ, at most one for each frame sent again", 1, times.TxReplayedFrames, c.RxDuplicateSeq)
	return err
}
