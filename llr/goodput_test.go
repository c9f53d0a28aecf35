package llr

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"uelink/wire"
)

// goodputSeeds is how many bad wires a share of losses is tried on.
const goodputSeeds = 16

// badWire is a wire that loses a share of all packets, and delays the others by a time each way.
type badWire struct {
	loss   float64
	delay  time.Duration
	jitter time.Duration
	window int  // of both ends, whose replay timer is 2 ms
	fixed  bool // the timer always lasts that long
}

// ends are two stations with LLR up both ways.
func (w badWire) ends(t *testing.T, seed uint64) (net *network, a, b *station) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 28))
	net, a, b = timed(t, seed, w.window, w.fixed)
	net.fate = func(_ *station, _ *packet, delays []time.Duration) []time.Duration {
		if rng.Float64() < w.loss {
			return delays
		}
		return append(delays, w.delay+time.Duration(rng.Int64N(int64(w.jitter)+1)))
	}
	bringUp(net, a, b)
	return net, a, b
}

// timed are two stations with a replay timer of 2 ms, not yet up.
func timed(t *testing.T, seed uint64, window int, fixed bool) (net *network, a, b *station) {
	t.Helper()
	p := profile()
	p.MaxOutstandingFrames, p.MaxOutstandingBytes, p.MaxReplayCount = window, 8<<20, NoReplayLimit
	p.MaxReplayTimer = 2 * time.Millisecond
	a, b = newStation("a", p, 100, [2]byte{1}, 1024), newStation("b", p, 500, [2]byte{2}, 1024)
	a.announcer.start, b.announcer.start = 1, 2
	a.fixed, b.fixed = fixed, fixed
	net = newNetwork(a, b, func(format string, args ...any) {
		t.Fatalf("seed %d: "+format, append([]any{seed}, args...)...)
	})
	net.room = 32
	return net, a, b
}

// bringUp switches LLR on both ways and lets the handshakes be done.
func bringUp(net *network, a, b *station) {
	a.modes(true, true)
	b.modes(true, true)
	for !a.link.Tx.running() || !b.link.Tx.running() || !a.link.Rx.Live() || !b.link.Rx.Live() {
		net.run(net.now + ms)
	}
}

// goodput is how many frames come to b in 300 ms of 30 that are offered each millisecond, and how long the rest of
// those that were sent takes from then on, together over all seeds.
func (w badWire) goodput(t *testing.T) (frames int, drain time.Duration) {
	for seed := range uint64(goodputSeeds) {
		net, a, b := w.ends(t, seed)
		for range 300 {
			a.offered, a.wake = a.offered+30, net.now
			net.run(net.now + ms)
		}
		frames, a.offered = frames+b.got, a.next
		end := net.now
		for !a.done() {
			net.run(net.now + ms)
		}
		drain += net.now.Sub(end)
	}
	return frames, drain
}

// Losses are not taken for a slow partner: a bad wire brings as much as with a replay timer that always lasts 2 ms, and
// the rest as soon.
func TestLossesDoNotLengthenTheTimer(t *testing.T) {
	for _, w := range []badWire{
		{loss: 0.01, delay: 300_000, window: 512},
		{loss: 0.02, delay: 300_000, window: 512},
		{loss: 0.05, delay: 300_000, window: 512},
		{loss: 0.10, delay: 300_000, window: 512},
		{loss: 0.10, delay: 300_000, window: 16},
		{loss: 0.10, delay: 150_000, window: 512},
		{loss: 0.05, delay: 300_000, jitter: 100_000, window: 512},
		{loss: 0.10, delay: 300_000, jitter: 300_000, window: 512},
	} {
		got, drain := w.goodput(t)
		w.fixed = true
		want, soon := w.goodput(t)
		t.Logf("loss %v, delay %v to %v, window %d: %d frames, the rest in %v; with a fixed timer %d and %v", w.loss,
			w.delay, w.delay+w.jitter, w.window, got, drain/goodputSeeds, want, soon/goodputSeeds)
		if float64(got) < 0.95*float64(want) || drain > soon*3/2 {
			t.Errorf("loss %v, jitter %d, window %d: too little, or too late", w.loss, w.jitter, w.window)
		}
	}
}

// What is outstanding on a wire that loses a tenth of all packets arrives within 100 ms, also where the handshake lost
// an LLR_INIT, and where a timed replay seems needless. It took up to 534 ms when LLR_NACK was not repeated, and 304 ms
// when the loop time of a repeated LLR_INIT counted as the least one.
func TestLossesDrainSoon(t *testing.T) {
	w, worst := badWire{loss: 0.10, delay: 150_000, window: 512}, time.Duration(0)
	for seed := range uint64(20) {
		net, a, _ := w.ends(t, seed)
		for range 100 {
			a.offered, a.wake = a.offered+30, net.now
			net.run(net.now + ms)
		}
		a.offered = a.next
		end := net.now
		for !a.done() {
			net.run(net.now + ms)
		}
		worst = max(worst, net.now.Sub(end))
	}
	t.Logf("the slowest takes %v", worst)
	if worst > 100*ms {
		t.Errorf("the slowest takes %v, want 100 ms", worst)
	}
}

// slowEnds are two stations that have the CPU only at times, least to most apart, as those of many busy links have, and
// a wire that loses a share of all packets. It returns how many frames came and how many were sent again in a second.
func slowEnds(t *testing.T, seed uint64, least, most time.Duration, loss float64, fixed bool) (got, again int) {
	rng := rand.New(rand.NewPCG(seed, 29))
	net, a, b := timed(t, seed, 512, fixed)
	a.turn, b.turn = turns(rng, least, most), turns(rng, least, most)
	net.fate = func(from *station, _ *packet, delays []time.Duration) []time.Duration {
		if rng.Float64() < loss {
			return delays
		}
		return append(delays, from.peer.turn(net.now+10_000).Sub(net.now))
	}
	bringUp(net, a, b)
	for range 1000 {
		for _, s := range []*station{a, b} {
			s.offered = min(s.offered+20, s.next+2000)
			s.wake = min(s.wake, s.turn(net.now))
		}
		net.run(net.now + ms)
	}
	for _, s := range []*station{a, b} {
		got += s.got
		again += int(s.link.Counters().TxOK) - s.next
	}
	return got, again
}

// turns returns the first moment at a time or after it of moments that are least to most apart.
func turns(rng *rand.Rand, least, most time.Duration) func(at wire.Time) wire.Time {
	moments := []wire.Time{0}
	return func(at wire.Time) wire.Time {
		for moments[len(moments)-1] < at {
			moments = append(moments, moments[len(moments)-1].Add(least+time.Duration(rng.Int64N(int64(most-least)+1))))
		}
		next, _ := slices.BinarySearch(moments, at)
		return moments[next]
	}
}

// Stations that wait for the CPU for longer than the replay timer do not send each other again what the other has, also
// where a frame is lost at times: the timer is as patient as they are slow.
func TestBusyLinksDoNotReplayEachOthersFrames(t *testing.T) {
	for _, c := range []struct {
		least, most time.Duration
		loss        float64
	}{{ms, 5 * ms, 0}, {ms, 10 * ms, 0}, {5 * ms, 10 * ms, 0}, {5 * ms, 10 * ms, 0.001}} {
		var got, again, fixedGot, fixedAgain int
		for seed := range uint64(4) {
			n, r := slowEnds(t, seed, c.least, c.most, c.loss, false)
			got, again = got+n, again+r
			n, r = slowEnds(t, seed, c.least, c.most, c.loss, true)
			fixedGot, fixedAgain = fixedGot+n, fixedAgain+r
		}
		t.Logf("turns %v to %v apart, loss %v: %d came, %d sent again; with a fixed timer %d and %d",
			c.least, c.most, c.loss, got, again, fixedGot, fixedAgain)
		if c.loss == 0 && again > fixedAgain/4 || c.loss > 0 && got < fixedGot*5/4 {
			t.Errorf("turns %v to %v apart: the timer is not patient", c.least, c.most)
		}
	}
}
