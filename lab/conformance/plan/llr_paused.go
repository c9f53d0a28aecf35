package plan

import (
	"context"
	"fmt"
	"time"

	"uelink/control/api"
	"uelink/lab/traffic"
)

// pausedCases returns the cases of losses while no new frame may leave.
func pausedCases() []Case {
	const nearest = "uelink has PFC only between edge and host. On the link, lost CF_Updates of a lossless channel stop " +
		"the sender, which comes nearest to a pause by PFC"
	return []Case{
		{ID: "19", Title: "Loss while missing credits stop the sender", lossy: true, run: pausedLossCase, Correction: nearest,
			Stimulus: "the CF_Updates of channel 3 are lost until all credits of the channel are used; one of the last " +
				"frames is lost"},
		{ID: "20", Title: "Replay timer expires while missing credits stop the sender", lossy: true,
			run: pausedTimeoutCase, Correction: nearest,
			Stimulus: "as case 19, and LLR_ACKs and LLR_NACKs are lost for several periods of the replay timer"},
	}
}

// channelLimit is the credits of the lossless channel of these cases. A frame of 256 octets costs one.
const channelLimit = 64

// lossless returns the settings with a lossless channel 3 for frames of priority 3.
func lossless(s settings) settings {
	s.credits = fmt.Sprintf("mode: static, credit_timeout: 100ms, vcs: [{index: 3, lossless: true, limit: %d}]",
		channelLimit)
	s.edge = "qos: {trust: dot1p}, pfc: {mode: static, priorities: [3], xoff: 64, xon: 32, headroom: 1024, rate: 1Gbps}"
	return s
}

// uncredited returns in words the first channel of end i that is configured as lossless and has no credits, and why; ""
// if all have credits.
func (t *trial) uncredited(ctx context.Context, i int) (state string) {
	c, err := t.ends[i].client.CBFCOf(ctx, t.ends[i].port)
	if err != nil {
		return err.Error()
	}
	for _, vc := range c.VCs {
		if vc.Lossless && vc.Phase != "lossless" {
			return fmt.Sprintf("channel %d of %s: %s %s", vc.VC, t.ends[i].name, vc.Phase, vc.Failure)
		}
	}
	return ""
}

// channel returns the state of channel 3 at end i. It is an error if the channel has no credits there.
func (t *trial) channel(ctx context.Context, i int) (v api.VirtualChannel, err error) {
	c, err := t.ends[i].client.CBFCOf(ctx, t.ends[i].port)
	for _, vc := range c.VCs {
		if vc.VC == 3 {
			return vc, err
		}
	}
	if err == nil {
		err = fmt.Errorf("%s has no channel 3 with credits", t.ends[i].name)
	}
	return v, err
}

// prioritized returns a stream of n frames of priority 3, which take channel 3.
func (t *trial) prioritized(n uint64, window int) traffic.Config {
	c := t.between(n, 256, window)
	c.Priorities = []uint8{3}
	return c
}

// pausedLossCase runs case 19: a frame is lost while the sender has no credits. B asks for the frame by LLR_NACK.
func pausedLossCase(ctx context.Context, t *trial) error {
	return t.paused(ctx, lossless(common().withTimer(50*time.Millisecond)), "")
}

// pausedTimeoutCase runs case 20: as case 19, but LLR_ACKs and LLR_NACKs are lost, too, for 100 ms: five periods of the
// replay timer, which starts the replays.
func pausedTimeoutCase(ctx context.Context, t *trial) error {
	s := lossless(common().withTimer(20 * time.Millisecond))
	return t.paused(ctx, s, "from=b kind=ack,nack seq=+60.. for=100ms drop")
}

// paused uses up the credits of a channel while a frame is lost, and records that replays go on and no new frame leaves
// until the credits are back. answers is a rule that drops LLR_ACKs and LLR_NACKs, too; "" for none.
func (t *trial) paused(ctx context.Context, s settings, answers string) error {
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	for _, text := range []string{
		"id=pause from=b kind=cf_update vc=3 drop", "from=a kind=data seq=+60 copy=first drop", answers,
	} {
		if text == "" {
			continue
		}
		if _, err := t.rule(text); err != nil {
			return err
		}
	}
	before, err := t.counters(ctx, 0)
	if err != nil {
		return err
	}
	ended, sent := make(chan error, 1), traffic.Direction{}
	go func() {
		c := t.prioritized(500, 400)
		c.LossTimeout, c.GiveUp = patience, patience
		var err error
		sent, err = t.send(ctx, c)
		ended <- err
	}()
	stopErr := t.stopped(ctx)
	if stopErr == nil {
		stopErr = t.whileStopped(ctx, before.TxOK-before.TxReplayedFrames, answers != "")
	}
	if err := t.wire.remove("pause"); err != nil && stopErr == nil {
		stopErr = err
	}
	if err := <-ended; err != nil || stopErr != nil {
		return fmt.Errorf("%w %w", stopErr, err)
	}
	t.whole("after the credits are back: ", &sent)
	after, err := t.counters(ctx, 0)
	equal(t, "A TX_DISCARD", 0, after.TxDiscard)
	return err
}

// stopped waits until the credits of the channel are used up and all frames are acknowledged.
func (t *trial) stopped(ctx context.Context) error {
	return await(ctx, "A has used all its credits, and B has acknowledged all frames", func() (bool, string) {
		v, err := t.channel(ctx, 0)
		l, linkErr := t.link(ctx, 0)
		ok := err == nil && linkErr == nil && v.CreditsUsed >= v.SenderCreditLimit && l.OutstandingFrames == 0
		return ok, fmt.Sprintf("A uses %d of %d credits, and %d frames are not acknowledged; error: %v",
			v.CreditsUsed, v.SenderCreditLimit, l.OutstandingFrames, err)
	})
}

// whileStopped records the counters of a sender without credits. numbered is how many frames A had sent before. With
// timed, LLR_NACKs are lost too, so that only the replay timer starts replays.
func (t *trial) whileStopped(ctx context.Context, numbered uint64, timed bool) error {
	first, err := t.counters(ctx, 0)
	if err != nil {
		return err
	}
	v, err := t.channel(ctx, 0)
	if err != nil {
		return err
	}
	t.show("new frames sent while the sender has no credits, CC_Updates among them",
		first.TxOK-first.TxReplayedFrames-numbered)
	equal(t, "credits used", channelLimit, v.CreditsUsed)
	least(t, "A TX_REPLAY while A has no credits", 1, first.TxReplay)
	z, err := t.both(ctx)
	if err != nil {
		return err
	}
	if !timed {
		least(t, "B TX_NACK_CTL_OS while A has no credits", 1, z[1].TxNackCtlOS)
	}
	equal(t, "A TX_FLUSH", 0, first.TxFlush)
	return nil
}
