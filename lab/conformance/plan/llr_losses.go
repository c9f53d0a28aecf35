package plan

import (
	"context"
	"fmt"
	"time"

	"uelink/wire"
)

// lossCase runs case 7.
func lossCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, common()); err != nil {
		return err
	}
	id, err := t.rule("from=a kind=data copy=first p=5% drop")
	if err != nil {
		return err
	}
	frames, err := t.watched(ctx, 1, func() error {
		_, err := t.carry(ctx, 1000, 256, 32)
		return err
	})
	if err != nil {
		return err
	}
	if err := t.nacks(ctx, id, frames); err != nil {
		return err
	}
	return t.counted(ctx)
}

// nacks records that B has asked for what the rule took, and for nothing else.
func (t *trial) nacks(ctx context.Context, id string, frames []seen) error {
	hits, err := t.wire.hits(id)
	if err != nil {
		return err
	}
	by, err := t.both(ctx)
	if err != nil {
		return err
	}
	least(t, "frames that the wire took", 1, hits)
	o := observe(frames, t.replay)
	equal(t, "LLR_NACKs without a gap", 0, o.needless)
	equal(t, "LLR_NACKs with another number than that of the last frame in order", 0, o.misnumbered)
	equal(t, "LLR_ACKs while a gap was open and an LLR_NACK sent", 0, o.early)
	equal(t, "gaps without an LLR_NACK", 0, o.silent)
	most(t, "LLR_NACKs, of the frames that the wire took", hits, by[1].TxNackCtlOS)
	equal(t, "LLR_NACKs that A has received", by[1].TxNackCtlOS, by[0].RxNackCtlOS)
	return nil
}

// counted records that the statistics of both ends agree with each other after losses.
func (t *trial) counted(ctx context.Context) error {
	by, err := t.both(ctx)
	if err != nil {
		return err
	}
	a, z := by[0], by[1]
	equal(t, "A TX_OK without frames sent again", z.RxExpectedSeqGood+z.RxKept, a.TxOK-a.TxReplayedFrames)
	least(t, "A TX_REPLAY", 1, a.TxReplay)
	most(t, "A TX_REPLAY, each with one frame at least", a.TxReplayedFrames, a.TxReplay)
	least(t, "B RX_MISSING_SEQ", 1, z.RxMissingSeq)
	t.show("frames sent again", a.TxReplayedFrames)
	return nil
}

// nackCase runs case 8.
func nackCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, common()); err != nil {
		return err
	}
	id, err := t.rule("from=a kind=data nth=50 drop")
	if err != nil {
		return err
	}
	var atA []seen
	received, err := t.watched(ctx, 1, func() (err error) {
		atA, err = t.watched(ctx, 0, func() error {
			_, err := t.carry(ctx, 100, 256, 32)
			return err
		})
		return err
	})
	if err != nil {
		return err
	}
	if err := t.nacks(ctx, id, received); err != nil {
		return err
	}
	equal(t, "LLR_NACKs", 1, count(sets(received, wire.LLRNack, true), func(s set) bool { return !s.repeat }))
	frames := dataSent(atA)
	if len(frames) < 100 {
		return fmt.Errorf("%d of 100 frames of A are shown", len(frames))
	}
	first, copies, when := uint32(0), 0, time.Time{}
	for _, f := range frames {
		if f.again && copies == 0 {
			first, when = f.seq, f.at
		}
		if f.again {
			copies++
		}
	}
	equal(t, "number of the first frame sent again, from the first one on", 49, wire.SeqDistance(frames[0].seq, first))
	most(t, "frames sent again, of those on the way", 32, copies)
	if nacks := sets(atA, wire.LLRNack, false); len(nacks) > 0 {
		t.show("LLR_NACK to the first frame sent again", when.Sub(nacks[0].at))
	}
	return t.counted(ctx)
}

// count returns how many elements of a list have a property.
func count[T any](list []T, has func(T) bool) (n int) {
	for _, e := range list {
		if has(e) {
			n++
		}
	}
	return n
}

// damageCase runs case 10.
func damageCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, common()); err != nil {
		return err
	}
	id, err := t.rule("from=a kind=data every=100 copy=first corrupt=100:10")
	if err != nil {
		return err
	}
	frames, err := t.watched(ctx, 1, func() error {
		_, err := t.carry(ctx, 1000, 256, 16)
		return err
	})
	if err != nil {
		return err
	}
	hits, err := t.wire.hits(id)
	if err != nil {
		return err
	}
	by, err := t.both(ctx)
	if err != nil {
		return err
	}
	equal(t, "B RX_BAD", hits, by[1].RxBad)
	if t.replay == goBackN {
		equal(t, "B RX_EXPECTED_SEQ_BAD", hits, by[1].RxExpectedSeqBad)
	} else {
		most(t, "B RX_EXPECTED_SEQ_BAD", hits, by[1].RxExpectedSeqBad)
	}
	equal(t, "B TX_NACK_CTL_OS", hits, by[1].TxNackCtlOS)
	o := observe(frames, t.replay)
	equal(t, "LLR_NACKs with another number than that of the last frame in order", 0, o.misnumbered)
	least(t, "A TX_REPLAY", 1, by[0].TxReplay)
	return nil
}

// burstCase runs case 16.
func burstCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, common()); err != nil {
		return err
	}
	id, err := t.rule("from=a kind=data copy=first nth=101 burst=100 drop")
	if err != nil {
		return err
	}
	atA, err := t.watched(ctx, 0, func() error {
		_, err := t.carry(ctx, 1000, 256, 400)
		return err
	})
	if err != nil {
		return err
	}
	hits, err := t.wire.hits(id)
	if err != nil {
		return err
	}
	equal(t, "frames that the wire took", 100, hits)
	least(t, "frames sent again", 100, again(dataSent(atA)))
	by, err := t.both(ctx)
	if err != nil {
		return err
	}
	t.show("B RX_MISSING_SEQ", by[1].RxMissingSeq)
	least(t, "LLR_NACKs", 1, by[1].TxNackCtlOS)
	t.show("LLR_NACK to the next LLR_ACK", recovery(atA).Round(time.Microsecond))
	return t.counted(ctx)
}

// recovery returns the time from the first LLR_NACK to the next LLR_ACK, as A sees them; 0 without an LLR_NACK.
func recovery(frames []seen) time.Duration {
	nacks, acks := sets(frames, wire.LLRNack, false), sets(frames, wire.LLRAck, false)
	if len(nacks) == 0 {
		return 0
	}
	for _, a := range acks {
		if a.at.After(nacks[0].at) {
			return a.at.Sub(nacks[0].at)
		}
	}
	return 0
}
