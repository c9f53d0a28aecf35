package path

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/wire"
)

// jumboBursts is the load of a host whose short frames cross a link beside jumbo frames: jumbos come together every
// millisecond, short frames at random times, 20 a millisecond.
type jumboBursts struct {
	jumbos int
	seed   uint64
}

// latencies returns how long short frames took from host to host, in ascending order, and how many jumbo frames arrived
// meanwhile.
func (l jumboBursts) latencies(t *testing.T) (list []time.Duration, jumbos uint64) {
	t.Helper()
	o := hippiDefaults().jumbo()
	o.wire = fault.Config{Delay: 50 * time.Microsecond, RateBPS: 10e9}
	p := readyPair(t, o)
	from, to, rng := p.ends[0], p.ends[1], rand.New(rand.NewPCG(l.seed, 1))
	var buf [16384]byte
	var at []wire.Time
	next, burst, end := p.now, p.now, p.now.Add(200*time.Millisecond)
	for waiting := 0; p.now < end || len(list) < len(at) || to.delivered[1] < from.sent[1]; {
		if p.now >= burst && p.now < end {
			burst, waiting = burst.Add(time.Millisecond), waiting+l.jumbos
		}
		for ; waiting > 0 && from.host.Send(hippiFrame(buf[:], 1, from.sent[1], [2]int{9013, 9014})); waiting-- {
			from.sent[1]++
		}
		for ; p.now >= next && p.now < end; next = next.Add(time.Duration(rng.ExpFloat64() * float64(50*time.Microsecond))) {
			if !from.host.Send(hippiFrame(buf[:], 0, from.sent[0], [2]int{100, 0})) {
				t.Fatal("no room for a short frame")
			}
			from.sent[0], at = from.sent[0]+1, append(at, next)
		}
		start := p.now
		if p.round(); p.now < end {
			p.now = min(p.now, max(start+1e3, min(next, burst)))
		}
		for f := to.host.Recv(); f != nil; f = to.host.Recv() {
			if to.delivered[f[13]]++; f[13] == 0 {
				list = append(list, p.now.Sub(at[len(list)]))
			}
		}
	}
	slices.Sort(list)
	return list, to.delivered[1]
}

// Short frames on VC0 and jumbo frames on VC1 share the link by micropacket: bursts of jumbo frames, half of what the
// link can carry, at most double the 99th percentile of the short frames' latency.
func TestHIPPIShortFramesBesideJumboFrames(t *testing.T) {
	inOneGoroutine(t)
	p99 := func(list []time.Duration) time.Duration { return list[len(list)*99/100] }
	alone, _ := jumboBursts{seed: 1}.latencies(t)
	together, jumbos := jumboBursts{jumbos: 4, seed: 1}.latencies(t)
	t.Logf("%d short frames: p50 %v, p99 %v alone; p50 %v, p99 %v beside %d jumbo frames", len(alone),
		alone[len(alone)/2], p99(alone), together[len(together)/2], p99(together), jumbos)
	if jumbos == 0 || p99(together) > 2*p99(alone) {
		t.Errorf("p99 %v, and %v beside %d jumbo frames", p99(alone), p99(together), jumbos)
	}
}
