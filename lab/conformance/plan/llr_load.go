package plan

import (
	"context"
	"fmt"
	"time"

	"uelink/lab/traffic"
)

// loadCases returns the cases of rates, streams and mixed frames.
func loadCases() []Case {
	return []Case{
		{ID: "11", Title: "High load", lossy: true, long: true, run: loadCase,
			Stimulus: "as many frames as the link carries, first without loss, then with 2 % loss",
			Correction: "go-back-N sends all N frames in flight again for each loss: 95 % of the throughput at a loss of 2 % " +
				"needs N <= 2.6. Throughput, latency and efficiency are shown and not judged; no frame may be lost"},
		{ID: "13", Title: "Ten streams", lossy: true, long: true, run: streamsCase,
			Stimulus: "eight streams instead of ten, each with another priority; one loses 1 % of its frames, another 5 %",
			Correction: "SAI has no LLR counters per stream, and a priority has three bits, so eight streams run instead of " +
				"ten. The throughput is shown beside the throughput of one stream"},
		{ID: "18", Title: "Frames with and without LLR", lossy: true, run: mixedCase,
			Stimulus: "half of the frames are eligible for LLR; 2 % of all are lost"},
	}
}

// loadTime returns the length of a case's load.
func (t *trial) loadTime() time.Duration {
	if t.short {
		return time.Second
	}
	return 10 * time.Second
}

// loadCase runs case 11: as many frames as the link carries, first without loss and then with 2 % loss. All arrive;
// throughput, latency and efficiency are shown.
func loadCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, common().withTimer(20*time.Millisecond)); err != nil {
		return err
	}
	clean, err := t.load(ctx, "no loss: ")
	if err != nil {
		return err
	}
	before, err := t.counters(ctx, 0)
	if err != nil {
		return err
	}
	id, err := t.rule("from=a kind=data p=2% drop")
	if err != nil {
		return err
	}
	lossy, err := t.load(ctx, "2 % loss: ")
	if err != nil {
		return err
	}
	after, err := t.counters(ctx, 0)
	if err != nil {
		return err
	}
	hits, err := t.wire.hits(id)
	t.show("throughput with 2 % loss, as a share of the throughput without loss", ratio(lossy.PPS, clean.PPS))
	t.show("median latency with 2 % loss and without loss, µs",
		fmt.Sprintf("%v, %v", lossy.Latency.P50, clean.Latency.P50))
	t.show("lost frames, as a share of the frames sent again", ratio(hits, after.TxReplayedFrames-before.TxReplayedFrames))
	least(t, "frames that the wire dropped", 1, hits)
	return err
}

// load carries as many frames as the link can for loadTime, and records whether all arrived.
func (t *trial) load(ctx context.Context, prefix string) (traffic.Direction, error) {
	c := t.between(0, 1000, 64)
	c.Duration = t.loadTime()
	d, err := t.send(ctx, c)
	t.whole(prefix, &d)
	t.show(prefix+"frames a second", d.PPS)
	return d, err
}

// ratio returns a part of a whole as a percentage in words; "none" if the whole is 0.
func ratio(part, whole uint64) string {
	if whole == 0 {
		return "none"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}

// streamsCase runs case 13: eight streams, each of another priority, two of them with losses, and then one stream with
// the same mean loss. All frames arrive; the ratio of the throughputs is shown.
func streamsCase(ctx context.Context, t *trial) error {
	if err := t.fresh(ctx, common().withTimer(20*time.Millisecond)); err != nil {
		return err
	}
	for _, text := range []string{"from=a kind=data pri=1 p=1% drop", "from=a kind=data pri=6 p=5% drop"} {
		if _, err := t.rule(text); err != nil {
			return err
		}
	}
	c := t.between(0, 256, 8)
	c.Duration, c.RingSize = t.loadTime()/2, 8192
	c.Priorities = []uint8{0, 1, 2, 3, 4, 5, 6, 7}
	streams, err := t.send(ctx, c)
	if err != nil {
		return err
	}
	t.whole("eight streams: ", &streams)
	if err := t.onlyRule("from=a kind=data p=0.75% drop"); err != nil { // the mean loss of the eight streams
		return err
	}
	c.Priorities, c.Window = []uint8{0}, 64
	alone, err := t.send(ctx, c)
	t.whole("one stream: ", &alone)
	t.show("throughput of eight streams, as a share of the throughput of one stream with the same loss",
		ratio(streams.PPS, alone.PPS))
	return err
}

// mixedCase runs case 18: a stream with LLR and a stream without, of which the wire loses 2 % each. All frames with LLR
// arrive; of the others, exactly the frames that the wire dropped are missing.
func mixedCase(ctx context.Context, t *trial) error {
	s := common().withTimer(50 * time.Millisecond)
	s.credits = "mode: static, vcs: [{index: 0}, {index: 3, llr: false}]"
	s.edge = "qos: {trust: dot1p}"
	if err := t.fresh(ctx, s); err != nil {
		return err
	}
	for _, text := range []string{
		"id=eligible from=a kind=data copy=first p=2% drop", "id=plain from=a kind=plain p=2% drop",
	} {
		if _, err := t.rule(text); err != nil {
			return err
		}
	}
	before, err := t.both(ctx)
	if err != nil {
		return err
	}
	c := t.between(1000, 256, 16)
	c.Priorities, c.Rate, c.LossTimeout = []uint8{0, 3}, 5000, 300*time.Millisecond
	r, err := traffic.Run(ctx, c, nil)
	if len(r.Directions) != 4 {
		return fmt.Errorf("results of %d streams: %w", len(r.Directions), err)
	}
	lost, err := t.wire.hits("plain")
	if err != nil {
		return err
	}
	for i := range r.Directions {
		switch d := &r.Directions[i]; {
		case d.From != t.ends[0].host.String():
		case d.Priority == 0:
			t.whole("eligible for LLR: ", d)
			t.show("eligible for LLR: median latency, µs", d.Latency.P50)
		default:
			equal(t, "not eligible for LLR: frames lost, as many as the wire dropped", lost, d.Lost)
			equal(t, "not eligible for LLR: frames twice, out of order or changed", 0,
				d.Duplicated+d.Reordered+d.CorruptedDelivered)
			t.show("not eligible for LLR: median latency, µs", d.Latency.P50)
		}
	}
	after, err := t.both(ctx)
	if err != nil {
		return err
	}
	a := after[0]
	replayed := a.TxReplayedFrames - before[0].TxReplayedFrames
	equal(t, "A TX_OK of LLR-eligible frames alone", 1000, a.TxOK-before[0].TxOK-replayed)
	least(t, "A TX_REPLAY", 1, a.TxReplay)
	bare, err := t.bare(ctx)
	equal(t, "frames that A sent without a sequence number", 1000, bare)
	return err
}
