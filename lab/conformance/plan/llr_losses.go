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
	flow     analyzer.Flow // the wire's measurements of A's data
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

// lossCase runs case 7: 5 % of 1,000 frames are lost at their first sending. All arrive, B asks for the lost frames
// alone, and the statistics of both ends agree.
func lossCase(ctx context.Context, t *trial) error {
	s, err := t.strike(ctx, "from=a kind=data copy=first p=5% drop", 1000, 32)
	if err != nil {
		return err
	}
	t.nacks(&s)
	t.counted(&s.counters)
	return nil
}

// misnumbered is the name of a figure that two cases record.
const misnumbered = "LLR_NACKs whose sequence number is not that of the last frame in order"

// nacks records that B has asked for the frames that the rule dropped, and for no other frames.
func (t *trial) nacks(s *struck) {
	least(t, "frames that the wire dropped", 1, s.hits)
	o := observe(s.at[1], t.replay)
	equal(t, "LLR_NACKs that B sent while no frame was missing", 0, o.needless)
	equal(t, misnumbered, 0, o.misnumbered)
	equal(t, "LLR_ACKs sent between the LLR_NACK of a gap and the missing frame", 0, o.early)
	equal(t, "gaps without an LLR_NACK", 0, o.silent)
	most(t, "LLR_NACKs that B has sent, at most one for each frame that the wire dropped", s.hits,
		s.counters[1].TxNackCtlOS)
	equal(t, "LLR_NACKs that A has received", s.counters[1].TxNackCtlOS, s.counters[0].RxNackCtlOS)
	t.measured(&s.flow)
}

// measured records the wire's own measurements of losses on the way from A, by its clock.
func (t *trial) measured(f *analyzer.Flow) {
	equal(t, "lost frames without a later good copy, counted by the wire", 0, f.Unrepaired)
	equal(t, "LLR_NACKs for a frame already delivered, counted by the wire", 0, f.FalseNacks)
	equal(t, "LLR_ACKs of a frame not yet delivered, counted by the wire", 0, f.FalseAcks)
	t.show("time from a lost frame to a good copy: median, longest", fmt.Sprintf("%v, %v",
		f.LostToGood.P50.Round(time.Microsecond), f.LostToGood.Max.Round(time.Microsecond)))
	if f.NackToResent.Count > 0 {
		t.show("median time from an LLR_NACK to the first frame sent again", f.NackToResent.P50.Round(time.Microsecond))
	}
}

// counted records that the statistics of both ends agree after losses.
func (t *trial) counted(counters *[2]llr.Counters) {
	a, z := counters[0], counters[1]
	equal(t, "TX_OK of end A, without frames sent again", z.RxExpectedSeqGood+z.RxKept, a.TxOK-a.TxReplayedFrames)
	least(t, "A TX_REPLAY", 1, a.TxReplay)
	most(t, "A TX_REPLAY, at most the number of frames that A sent again", a.TxReplayedFrames, a.TxReplay)
	least(t, "B RX_MISSING_SEQ", 1, z.RxMissingSeq)
	t.show("frames sent again", a.TxReplayedFrames)
}

// nackCase runs case 8: the 50th of 100 frames is lost. B sends one LLR_NACK, and A sends again from this frame on, at
// most the window.
func nackCase(ctx context.Context, t *trial) error {
	s, err := t.strike(ctx, "from=a kind=data nth=50 drop", 100, 32)
	if err != nil {
		return err
	}
	t.nacks(&s)
	equal(t, "LLR_NACKs", 1, count(sets(s.at[1], wire.LLRNack, true), func(s set) bool { return !s.repeat }))
	frames := dataSent(s.at[0])
	if len(frames) < 100 {
		return fmt.Errorf("the watch of A's link port shows %d of 100 frames", len(frames))
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
	equal(t, "first frame sent again, counted from the first frame of the case", 49,
		wire.SeqDistance(frames[0].seq, first))
	most(t, "frames sent again, at most the window", 32, copies)
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

// damageCase runs case 10: each hundredth frame has a bit flipped at its first sending. B counts each as bad and sends
// one LLR_NACK for each, and all frames arrive.
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
	equal(t, misnumbered, 0, o.misnumbered)
	least(t, "A TX_REPLAY", 1, a.TxReplay)
	return nil
}

// burstCase runs case 16: 100 frames in a row are lost at their first sending. All arrive, and the time of the recovery
// is shown.
func burstCase(ctx context.Context, t *trial) error {
	s, err := t.strike(ctx, "from=a kind=data copy=first nth=101 burst=100 drop", 1000, 400)
	if err != nil {
		return err
	}
	equal(t, "frames that the wire dropped", 100, s.hits)
	least(t, "frames sent again", 100, countRepeated(dataSent(s.at[0])))
	t.show("B RX_MISSING_SEQ", s.counters[1].RxMissingSeq)
	least(t, "LLR_NACKs", 1, s.counters[1].TxNackCtlOS)
	t.show("time at A from the first LLR_NACK received to the next LLR_ACK received",
		recovery(s.at[0]).Round(time.Microsecond))
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
