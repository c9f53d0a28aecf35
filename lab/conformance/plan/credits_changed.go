package plan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uelink/lab/traffic"
)

// forgedCase runs case 4: while B's host stands still, five forged CF_Updates free 200 credits too many. A ignores the
// forged CF_Updates, and all frames arrive.
func forgedCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, credited()); err != nil {
		return err
	}
	id := ""
	d, err := t.loaded(ctx, stalled(t), func() (err error) {
		if err := t.full(ctx); err != nil {
			return err
		}
		if id, err = t.rule("from=b kind=cf_update vc=3 first=5 rewrite=credit:+200"); err != nil {
			return err
		}
		err = await(ctx, "five CF_Updates are forged", func() (bool, string) {
			hits, err := t.wire.hits(id)
			return err == nil && hits == 5, fmt.Sprintf("%d %v", hits, err)
		})
		if err != nil {
			return err
		}
		v, err := t.channel(ctx, 0)
		equal(t, "credits in use after five forged CF_Updates", channelLimit, v.CreditsUsed)
		return err
	})
	if err != nil {
		return err
	}
	t.whole("", &d)
	v, err := t.channel(ctx, 0)
	if err != nil {
		return err
	}
	within(t, "implausible CF_Updates that A ignored", uint64(5), 10, v.Counters.CFIgnored)
	if err := t.atRest(ctx); err != nil {
		return err
	}
	return t.checkLimit(ctx)
}

// stalled returns a stream on channel 3 whose receiving host stands still for two seconds.
func stalled(t *trial) traffic.Config {
	c := slowSink(t.prioritized(1500, 1000))
	c.Stall = traffic.Stall{Priority: 3, Duration: 2 * time.Second}
	return c
}

// exceededCase runs case 5: forged CF_Updates free eight credits too many, so that A sends more than B has granted. B
// counts the frames beyond the credits, the channel starts again, and all frames arrive.
func exceededCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, credited()); err != nil {
		return err
	}
	before, err := t.channel(ctx, 0)
	if err != nil {
		return err
	}
	d, err := t.loaded(ctx, stalled(t), func() error {
		if err := t.full(ctx); err != nil {
			return err
		}
		if _, err := t.rule("from=b kind=cf_update vc=3 rewrite=credit:+8"); err != nil {
			return err
		}
		err := await(ctx, "B counts frames beyond the credits", func() (bool, string) {
			v, err := t.channel(ctx, 1)
			return err == nil && v.Counters.Overruns > 0, fmt.Sprintf("%d credits held %v", v.RxCreditsHeld, err)
		})
		return errors.Join(err, t.wire.clear())
	})
	if err != nil {
		return err
	}
	if err := t.up(ctx); err != nil {
		return err
	}
	t.whole("", &d)
	a, errA := t.channel(ctx, 0)
	b, errB := t.channel(ctx, 1)
	if errA != nil || errB != nil {
		return fmt.Errorf("%w %w", errA, errB)
	}
	least(t, "frames that B received beyond the credits", 1, b.Counters.Overruns)
	least(t, "times that A put the channel under credits during the case", 1, a.Counters.Starts-before.Counters.Starts)
	return t.atRest(ctx)
}

// full waits until B holds frames for all granted credits, because its host stands still.
func (t *trial) full(ctx context.Context) error {
	return await(ctx, "B holds as many frames as it grants", func() (bool, string) {
		v, err := t.channel(ctx, 1)
		return err == nil && v.RxCreditsHeld >= channelLimit, fmt.Sprintf("%d credits held %v", v.RxCreditsHeld, err)
	})
}

// repairedCase runs case 6: without LLR, every 50th frame is lost. CC_Updates return the credits of the lost frames.
func repairedCase(ctx context.Context, t *trial) error {
	s := credited()
	s.off = true
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	id, err := t.rule("from=a kind=plain every=50 drop")
	if err != nil {
		return err
	}
	c := t.prioritized(1000, 60)
	c.LossTimeout = 100 * time.Millisecond
	d, err := t.send(ctx, c)
	if err != nil {
		return err
	}
	hits, err := t.wire.hits(id)
	if err != nil {
		return err
	}
	equal(t, "frames lost, as many as the wire dropped", hits, d.Lost)
	equal(t, "frames twice, out of order or changed", 0, d.Duplicated+d.Reordered+d.CorruptedDelivered)
	if err := t.atRest(ctx); err != nil {
		return err
	}
	v, err := t.channel(ctx, 1)
	if err != nil {
		return err
	}
	equal(t, "credits of lost frames that B freed by CC_Updates, one credit for each frame", hits, v.Counters.Repaired)
	least(t, "CC_Updates by which B freed credits of lost frames", 1, v.Counters.Repairs)
	b, err := t.ends[1].client.CBFCOf(ctx, t.ends[1].port)
	least(t, "CC_Updates that B has received", 1, b.Counters.CCUpdateRx)
	return err
}

// removedCase runs case 7: A makes the channel best effort while B holds frames. A asks B, and the channel is best
// effort only after B has passed the frames on. No frame is lost.
func removedCase(ctx context.Context, t *trial) error {
	s := credited()
	s.off = true
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	d, err := t.loaded(ctx, stalled(t), func() error {
		if err := t.full(ctx); err != nil {
			return err
		}
		if err := t.ends[0].client.SetVC(ctx, t.ends[0].port, 3, false); err != nil {
			return err
		}
		time.Sleep(2 * settle) // longer than A's question (control ordered set VC) and B's answer take
		a, errA := t.channel(ctx, 0)
		b, errB := t.channel(ctx, 1)
		if errA != nil || errB != nil {
			return fmt.Errorf("%w %w", errA, errB)
		}
		least(t, "credits of A's frames in B's buffer after A made the channel best effort", 1, b.RxCreditsHeld)
		equal(t, "phase of the channel at A while B's buffer has frames of A", "asking", a.Phase)
		return nil
	})
	if err != nil {
		return err
	}
	t.whole("", &d)
	phase := ""
	err = await(ctx, "the channel is best effort", func() (bool, string) {
		all, err := t.ends[0].client.CBFCOf(ctx, t.ends[0].port)
		phase = "best_effort"
		for _, v := range all.VCs {
			if v.VC == 3 {
				phase = v.Phase
			}
		}
		return err == nil && phase == "best_effort", phase
	})
	equal(t, "phase of the channel at A after the load", "best_effort", phase)
	return err
}

// withdrawnCase runs case 8: B's limit of the channel falls from 64 to 16 credits while frames cross. The channel
// starts again once, with the smaller limit, and no frame is lost.
func withdrawnCase(ctx context.Context, t *trial) error {
	s := credited()
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	before, err := t.channel(ctx, 0)
	if err != nil {
		return err
	}
	const smaller = 16
	c := t.prioritized(0, 200)
	c.Duration = time.Second
	d, err := t.loaded(ctx, c, func() error {
		less := s
		less.credits = fmt.Sprintf("mode: static, credit_timeout: 100ms, vcs: [{index: 3, lossless: true, limit: %d}]",
			smaller)
		if err := t.reload(ctx, 1, less); err != nil {
			return err
		}
		_ = awaitFor(ctx, time.Second/2, "A has B's smaller grant", func() (bool, string) { // figures below show a failure
			v, err := t.channel(ctx, 0)
			return err == nil && v.SenderCreditLimit == smaller && v.Phase == "lossless", v.Phase
		})
		return nil
	})
	if err != nil {
		return err
	}
	t.whole("", &d)
	after, err := t.channel(ctx, 0)
	if err != nil {
		return err
	}
	equal(t, "credit limit of the channel at A", smaller, after.SenderCreditLimit)
	equal(t, "times that A put the channel under credits during the case", 1, after.Counters.Starts-before.Counters.Starts)
	b, err := t.channel(ctx, 1)
	if err != nil {
		return err
	}
	equal(t, "frames that B received beyond the credits", 0, b.Counters.Overruns)
	return t.atRest(ctx)
}
