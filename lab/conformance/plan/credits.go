package plan

import (
	"context"
	"fmt"
	"time"

	"uelink/lab/traffic"
)

// creditCases returns the cases of CBFC.
func creditCases() []Case {
	return []Case{
		{ID: "1", Title: "CF_Updates lost", run: updatesLostCase,
			Stimulus: "half of the CF_Updates of channel 3 are lost, and then all until the frames have arrived; CC_Updates " +
				"are off, because they would ask for new CF_Updates"},
		{ID: "2", Title: "No CF_Update arrives", run: updatesStoppedCase,
			Stimulus: "all CF_Updates of channel 3 are lost until the sender has waited longer than credit_timeout"},
		{ID: "3", Title: "CF_Updates late", run: updatesLateCase, Stimulus: "each CF_Update is held for 30 ms"},
		{ID: "4", Title: "Forged CF_Updates free more credits than are used", run: forgedCase,
			Stimulus: "B's host stands still, B holds frames for all credits, and five forged CF_Updates free 200 credits " +
				"more than B has freed"},
		{ID: "5", Title: "Forged CF_Updates make the sender exceed its limit", run: exceededCase,
			Stimulus: "B's host stands still, B holds frames for all credits, and forged CF_Updates free eight credits " +
				"more than B has freed"},
		{ID: "6", Title: "CC_Update returns the credits of lost frames", run: repairedCase,
			Stimulus: "without LLR, every 50th of 1,000 frames is lost"},
		{ID: "7", Title: "A channel changes from lossless to best effort under load", run: removedCase,
			Stimulus: "without LLR the channel becomes best effort at A, while B's host stands still and B holds frames"},
		{ID: "8", Title: "A grant is withdrawn under load", run: withdrawnCase,
			Stimulus: "B's limit of the channel falls from 64 to 16 credits while frames cross"},
	}
}

// credited returns the settings of the cases of CBFC.
func credited() settings { return lossless(common().withTimer(50 * time.Millisecond)) }

// atRest waits until no credits are in use, and records that both ends count the same.
func (t *trial) atRest(ctx context.Context) error {
	err := await(ctx, "all credits come back", func() (bool, string) {
		v, err := t.channel(ctx, 0)
		return err == nil && v.CreditsUsed == 0, fmt.Sprintf("%d credits in use %v", v.CreditsUsed, err)
	})
	if err != nil && ctx.Err() != nil {
		return err
	}
	a, errA := t.channel(ctx, 0)
	b, errB := t.channel(ctx, 1)
	if errA != nil || errB != nil {
		return fmt.Errorf("%w %w", errA, errB)
	}
	equal(t, "credits that A uses when the case ends", 0, a.CreditsUsed)
	equal(t, "credits consumed by A's frames: A's count, equal to B's", b.RxCreditsConsumed, a.CreditsConsumed)
	equal(t, "credits freed by B: A's count, equal to B's", b.RxCreditsFreed, a.CreditsFreed)
	return nil
}

// checkLimit records that the sender has not exceeded its limit.
func (t *trial) checkLimit(ctx context.Context) error {
	a, errA := t.channel(ctx, 0)
	b, errB := t.channel(ctx, 1)
	if errA != nil || errB != nil {
		return fmt.Errorf("%w %w", errA, errB)
	}
	most(t, "most credits that A used at a time", channelLimit, a.CreditsUsedWatermark)
	equal(t, "frames that B received beyond the credits", 0, b.Counters.Overruns)
	return nil
}

// updatesLostCase runs case 1: half, and then all of the CF_Updates of channel 3 are lost. All frames arrive, and at
// the end no credits are in use.
func updatesLostCase(ctx context.Context, t *trial) error {
	s := credited()
	s.credits = "cc_message_timer: 0, " + s.credits
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	if _, err := t.rule("from=b kind=cf_update vc=3 p=50% drop"); err != nil {
		return err
	}
	d, err := t.send(ctx, t.prioritized(2000, 200))
	if err != nil {
		return err
	}
	t.whole("half of the CF_Updates lost: ", &d)
	if err := t.onlyRule("from=b kind=cf_update vc=3 drop"); err != nil {
		return err
	}
	if d, err = t.send(ctx, t.prioritized(channelLimit/2, 16)); err != nil {
		return err
	}
	t.whole("all CF_Updates lost: ", &d)
	time.Sleep(4 * settle) // longer than the first intervals in which B repeats CF_Updates
	if err := t.wire.clear(); err != nil {
		return err
	}
	if err := t.atRest(ctx); err != nil {
		return err
	}
	return t.checkLimit(ctx)
}

// loaded carries the frames of a stream while use runs, and returns the counts of the direction from A to B.
func (t *trial) loaded(ctx context.Context, c traffic.Config, use func() error) (d traffic.Direction, err error) {
	c.LossTimeout, c.GiveUp = patience, patience
	ended := make(chan error, 1)
	go func() {
		var err error
		d, err = t.send(ctx, c)
		ended <- err
	}()
	err = use()
	if sendErr := <-ended; err == nil {
		err = sendErr
	}
	return d, err
}

// slowSink returns a stream whose window is larger than what the receiving host, the edges and the credits hold, so
// that a slow host makes the sender wait for credits.
func slowSink(c traffic.Config) traffic.Config {
	c.PFCRate, c.RingSize = 1_000_000_000, 1024 // the line rate that gives pause quanta their length, as at the edges
	return c
}

// updatesStoppedCase runs case 2: no CF_Update arrives until the sender has waited longer than credit_timeout. The
// sender has used all credits and counts the timeout; with CF_Updates again, all frames arrive.
func updatesStoppedCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, credited()); err != nil {
		return err
	}
	if _, err := t.rule("from=b kind=cf_update vc=3 drop"); err != nil {
		return err
	}
	d, err := t.loaded(ctx, t.prioritized(500, 200), func() error {
		err := await(ctx, "a frame of A waits for credits of B for longer than credit_timeout", func() (bool, string) {
			v, err := t.channel(ctx, 0)
			return err == nil && v.Blocked > int64(200*time.Millisecond), fmt.Sprintf("%d credits in use %v", v.CreditsUsed, err)
		})
		v, askErr := t.channel(ctx, 0)
		equal(t, "credits in use", channelLimit, v.CreditsUsed)
		least(t, "credit timeouts", 1, v.Counters.Timeouts)
		least(t, "frames that have waited for credits", 1, v.Counters.BlockedFrames)
		clearErr := t.wire.clear()
		if err == nil {
			err = askErr
		}
		if err == nil {
			err = clearErr
		}
		return err
	})
	if err != nil {
		return err
	}
	t.whole("CF_Updates back: ", &d)
	if err := t.atRest(ctx); err != nil {
		return err
	}
	return t.checkLimit(ctx)
}

// updatesLateCase runs case 3: each CF_Update is held for 30 ms. All frames arrive, and A ignores no CF_Update.
func updatesLateCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, credited()); err != nil {
		return err
	}
	if _, err := t.rule("from=b kind=cf_update hold=30ms"); err != nil {
		return err
	}
	d, err := t.send(ctx, t.prioritized(1000, 200))
	if err != nil {
		return err
	}
	t.whole("", &d)
	t.show("frames a second", d.PPS)
	if err := t.atRest(ctx); err != nil {
		return err
	}
	a, errA := t.ends[0].client.CBFCOf(ctx, t.ends[0].port)
	b, errB := t.ends[1].client.CBFCOf(ctx, t.ends[1].port)
	if errA != nil || errB != nil {
		return fmt.Errorf("%w %w", errA, errB)
	}
	least(t, "CF_Updates that A has received", 1, a.Counters.CFUpdateRx)
	least(t, "CF_Updates that B has sent, at least as many as A has received", a.Counters.CFUpdateRx,
		b.Counters.CFUpdateTx)
	v, err := t.channel(ctx, 0)
	if err != nil {
		return err
	}
	equal(t, "implausible CF_Updates that A ignored", 0, v.Counters.CFIgnored)
	return t.checkLimit(ctx)
}
