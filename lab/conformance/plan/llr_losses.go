package plan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uelink/dataplane/fault/analyzer"
	"uelink/llr"
	"uelink/wire"
)

// struck is what a case of losses has seen while a rule struck frames of A.
type struck struct {
	at       [2][]seen // the frames of the link ports of A and B
	hits     uint64    // messages hit by the rule
	counters [2]llr.Counters
	flow     analyzer.Flow // of A's data, as the wire has measured it
}

// strike starts both ends again, and carries n frames each way, at most window of them on the way, under a rule. It
// records whether all arrived, and returns what was seen.
func (t *trial) strike(ctx context.Context, rule string, n uint64, window int) (s struck, err error) {
	if err := errors.Join(t.fresh(ctx, common()), t.wire.forget()); err != nil {
		return s, err
	}
	id, err := t.rule(rule)
	if err != nil {
		return s, err
	}
	s.at[1], err = t.watched(ctx, 1, func() (err error) {
		s.at[0], err = t.watched(ctx, 0, func() error {
			_, err := t.carry(ctx, n, 256, window)
			return err
		})
		return err
	})
	if err == nil {
		s.hits, err = t.wire.hits(id)
	}
	if err == nil {
		s.counters, err = t.both(ctx)
	}
	if err == nil {
		s.flow, err = t.wire.measured()
	}
	return s, err
}

// lossCase runs case 7.
func lossCase(ctx context.Context, t *trial) error {
	s, err := t.strike(ctx, "from=a kind=data copy=first p=5% drop", 1000, 32)
	if err != nil {
		return err
	}
	t.nacks(&s)
	t.counted(&s.counters)
	return nil
}

// nacks records that B has asked for what the rule took, and for nothing else.
func (t *trial) nacks(s *struck) {
	least(t, "frames that the wire took", 1, s.hits)
	o := observe(s.at[1], t.replay)
	equal(t, "LLR_NACKs without a gap", 0, o.needless)
	equal(t, "LLR_NACKs with another number than that of the last frame in order", 0, o.misnumbered)
	equal(t, "LLR_ACKs while a gap was open and an LLR_NACK sent", 0, o.early)
	equal(t, "gaps without an LLR_NACK", 0, o.silent)
	most(t, "LLR_NACKs, of the frames that the wire took", s.hits, s.counters[1].TxNackCtlOS)
	equal(t, "LLR_NACKs that A has received", s.counters[1].TxNackCtlOS, s.counters[0].RxNackCtlOS)
	t.measured(&s.flow)
}

// measured records the wire's own measurements of losses on the way from A, by its clock.
func (t *trial) measured(f *analyzer.Flow) {
	equal(t, "lost frames without a good copy, counted at the wire", 0, f.Unrepaired)
	equal(t, "LLR_NACKs for a frame already delivered, counted at the wire", 0, f.FalseNacks)
	equal(t, "LLR_ACKs of a frame not yet delivered, counted at the wire", 0, f.FalseAcks)
	t.show("lost frame to its good copy, the middle, the longest", fmt.Sprintf("%v, %v",
		f.LostToGood.P50.Round(time.Microsecond), f.LostToGood.Max.Round(time.Microsecond)))
	if f.NackToResent.Count > 0 {
		t.show("LLR_NACK to the first frame sent again, the middle", f.NackToResent.P50.Round(time.Microsecond))
	}
}

// counted records that the statistics of both ends agree after losses.
func (t *trial) counted(counters *[2]llr.Counters) {
	a, z := counters[0], counters[1]
	equal(t, "TX_OK of end A, without frames sent again", z.RxExpectedSeqGood+z.RxKept, a.TxOK-a.TxReplayedFrames)
	least(t, "A TX_REPLAY", 1, a.TxReplay)
	most(t, "A TX_REPLAY, each with one frame at least", a.TxReplayedFrames, a.TxReplay)
	least(t, "B RX_MISSING_SEQ", 1, z.RxMissingSeq)
	t.show("frames sent again", a.TxReplayedFrames)
}

// nackCase runs case 8.
func nackCase(ctx context.Context, t *trial) error {
	s, err := t.strike(ctx, "from=a kind=data nth=50 drop", 100, 32)
	if err != nil {
		return err
	}
	t.nacks(&s)
	equal(t, "LLR_NACKs", 1, count(sets(s.at[1], wire.LLRNack, true), func(s set) bool { return !s.repeat }))
	frames := dataSent(s.at[0])
	if len(frames) < 100 {
		return fmt.Errorf("%d of 100 frames of A are shown", len(frames))
	}
	first, copies := uint32(0), 0
	for _, f := range frames {
		if f.repeated && copies == 0 {
			first = f.seq
		}
		if f.repeated {
			copies++
		}
	}
	equal(t, "number of the first frame sent again, from the first one on", 49, wire.SeqDistance(frames[0].seq, first))
	most(t, "frames sent again, of those on the way", 32, copies)
	t.counted(&s.counters)
	return nil
}

// count returns how many elements of a list have a property.
func count[T any](list []T, match func(T) bool) (n int) {
	for _, e := range list {
		if match(e) {
			n++
		}
	}
	return n
}

// damageCase runs case 10.
func damageCase(ctx context.Context, t *trial) error {
	s, err := t.strike(ctx, "from=a kind=data every=100 copy=first corrupt=100:10", 1000, 16)
	if err != nil {
		return err
	}
	a, z := s.counters[0], s.counters[1]
	equal(t, "B RX_BAD", s.hits, z.RxBad)
	if t.replay == goBackN {
		equal(t, "B RX_EXPECTED_SEQ_BAD", s.hits, z.RxExpectedSeqBad)
	} else {
		most(t, "B RX_EXPECTED_SEQ_BAD", s.hits, z.RxExpectedSeqBad)
	}
	equal(t, "B TX_NACK_CTL_OS", s.hits, z.TxNackCtlOS)
	o := observe(s.at[1], t.replay)
	equal(t, "LLR_NACKs with another number than that of the last frame in order", 0, o.misnumbered)
	least(t, "A TX_REPLAY", 1, a.TxReplay)
	return nil
}

// burstCase runs case 16.
func burstCase(ctx context.Context, t *trial) error {
	s, err := t.strike(ctx, "from=a kind=data copy=first nth=101 burst=100 drop", 1000, 400)
	if err != nil {
		return err
	}
	equal(t, "frames that the wire took", 100, s.hits)
	least(t, "frames sent again", 100, countRepeated(dataSent(s.at[0])))
	t.show("B RX_MISSING_SEQ", s.counters[1].RxMissingSeq)
	least(t, "LLR_NACKs", 1, s.counters[1].TxNackCtlOS)
	t.show("LLR_NACK to the next LLR_ACK", recovery(s.at[0]).Round(time.Microsecond))
	t.measured(&s.flow)
	t.counted(&s.counters)
	return nil
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
