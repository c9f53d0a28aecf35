package conformance

import (
	"fmt"

	"uelink/lab/simulated"
)

// incastLimit is the credit limit of each link in the incast cases, in credits.
const incastLimit = 256

// incast runs CBFC-10 and records the results: two and three ends send at line rate to one host that drains at
// line rate, without loss.
func incast(t *trial) {
	for _, senders := range []int{2, 3} {
		for _, c := range []struct {
			size   int
			frames uint64
		}{{64, 20_000}, {1518, 3000}, {9216, 1000}} {
			t.size, t.note = c.size, fmt.Sprintf("%d to 1", senders)
			t.incast(senders, c.frames)
		}
	}
}

// incast sends frames from several senders at once to a receiver that drains at line rate, and records the results.
func (t *trial) incast(senders int, frames uint64) {
	b := t.bench(func(o *simulated.Options) {
		credited(o, 2, 1<<1, incastLimit, chunkCredits)
		o.Senders, o.Drain = senders, lineRate
	})
	streams := t.fromAll(b, 1, frames)
	b.Carry(streams...)
	for i, s := range streams {
		name := fmt.Sprintf("sender %d: ", i+1)
		t.near(name+"frames a second", "Mpps", t.edgeRate(lineRate)/float64(senders), s.FramesPerSecond()/1e6)
		t.exact(name+"frames lost", 0, s.Frames-s.Delivered)
		t.exact(name+"frames out of order, doubled or damaged", 0, s.Reordered+s.Duplicated+s.Damaged)
		vc := vcOf(b.Senders[i], 1)
		t.flag(name+"has waited for credits", true, vc.Counters.BlockedFrames > 0)
		t.exact(name+"most SENDER_CREDITS_USED", t.heldOf(incastLimit), uint64(vc.Sender.Watermark))
	}
	t.lossless(b)
	t.atRest(b)
	t.note = ""
}

// fromAll returns the streams of an incast (many senders, one receiver): from each sender of the bench one stream to B
// on virtual channel vc, at line rate. frames is the number of frames of each stream. The streams are not started yet.
func (t *trial) fromAll(b *simulated.Bench, vc uint8, frames uint64) (streams []*simulated.Stream) {
	for i, e := range b.Senders {
		s := t.onVC(b, e, vc, frames)
		s.ID, s.Interval = vc*16+uint8(i), t.lineInterval(1)
		streams = append(streams, s)
	}
	return streams
}

// mixedIncast runs CBFC-11 and records the results: three ends send at line rate on a lossless VC and on a
// best-effort VC. The two VCs share the rate of the host, and only best-effort frames are dropped.
func mixedIncast(t *trial) {
	const senders = 3
	for _, c := range []struct {
		size   int
		frames uint64
	}{{64, 5000}, {1518, 1500}, {9216, 500}} {
		t.size, t.note = c.size, "3 to 1"
		b := t.bench(func(o *simulated.Options) {
			credited(o, 2, 1<<1, incastLimit, chunkCredits)
			o.Senders, o.Drain = senders, lineRate
		})
		lossless := t.fromAll(b, 1, c.frames)
		bestEffort := t.fromAll(b, 0, 2*senders*c.frames) // lasts as long as the lossless streams
		b.Carry(append(lossless, bestEffort...)...)
		rate, lost, missing, misplaced := 0.0, uint64(0), uint64(0), uint64(0)
		for i := range lossless {
			rate += lossless[i].FramesPerSecond()
			lost += lossless[i].Frames - lossless[i].Delivered
			misplaced += lossless[i].Reordered + lossless[i].Duplicated + lossless[i].Damaged
			missing += bestEffort[i].Lost()
		}
		t.near("lossless: frames a second", "Mpps", t.edgeRate(lineRate/2), rate/1e6)
		t.exact("lossless: frames lost", 0, lost)
		t.exact("lossless: frames out of order, doubled or damaged", 0, misplaced)
		t.flag("best effort: frames are lost", true, missing > 0)
		t.exact("best effort: frames that B dropped, as many as were lost", missing, droppedOf(b.B, 0))
		t.exact("frames that the senders dropped", 0, droppedBy(b.Senders))
		t.atRest(b)
		t.note = ""
	}
}

// droppedOf returns how many frames an end has dropped because queue number queue of its edge port had no room.
func droppedOf(e *simulated.End, queue int) uint64 {
	for _, q := range e.Edge().QueueStats {
		if q.Queue == queue {
			return q.Dropped
		}
	}
	return 0
}

// droppedBy returns how many frames all ends together have dropped.
func droppedBy(ends []*simulated.End) (sum uint64) {
	for _, e := range ends {
		sum += dropped(e)
	}
	return sum
}
