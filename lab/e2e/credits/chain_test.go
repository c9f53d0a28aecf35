package credits

import (
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/lab/traffic"
	"uelink/wire"
)

// pausedEdges is a link whose channels 3 and 5 are lossless, and an edge whose host stops, and is
// stopped, by PFC of the same priorities. The rate says how long a pause lasts: at 10 Mb/s it is
// three seconds, so that it does not end where a busy machine renews it late.
func pausedEdges(rate string) bed.Settings {
	return bed.Settings{
		Profile: bed.Lossless.Profile,
		Link: "vcs: 8, cbfc: {mode: static, vcs: [{index: 3, lossless: true, limit: 64}, " +
			"{index: 5, lossless: true, limit: 512}]}",
		Edge: "ring_size: 2048, qos: {trust: dot1p}, " +
			"pfc: {mode: static, priorities: [3, 5], xoff: 64, xon: 32, headroom: 512, rate: " + rate + "}",
	}
}

// chained is four daemons in a row, joined by two links and, in the middle, edge to edge:
//
//	hostA ── A ══ C ── D ══ B ── hostB
//
// hostA counts the pauses of A as a NIC of 1 Gb/s does.
func chained(top *bed.Topology) (near, far bed.Pair) {
	top.T.Helper()
	c, d := nstest.New(top.T, "C"), nstest.New(top.T, "D")
	bed.Must(top.T, netns.Veth(top.A, "link0", c, "link0", bed.LinkMTU))
	bed.Must(top.T, netns.Veth(c, "edge0", d, "edge0", bed.EdgeMTU))
	bed.Must(top.T, netns.Veth(d, "link0", top.B, "link0", bed.LinkMTU))
	slow := pausedEdges("10Mbps")
	near = bed.Pair{A: bed.NewDaemon(top.T, top.A, "A", pausedEdges("1Gbps")), B: bed.NewDaemon(top.T, c, "C", slow)}
	far = bed.Pair{A: bed.NewDaemon(top.T, d, "D", slow), B: bed.NewDaemon(top.T, top.B, "B", slow)}
	near.Start()
	far.Start()
	return near, far
}

// The last host of a chain takes a tenth of what is sent to it of one priority. PFC and credits
// stop that priority, hop by hop, back to the first host. Nothing is lost anywhere, and
// the other priorities do not notice.
func TestChainStopsLosslesslyFromEndToEnd(t *testing.T) {
	const slow, free, rate = 3, 5, 2000
	top := bed.NewTopology(t)
	near, far := chained(top)
	for _, p := range []bed.Pair{near, far} {
		underCredits(p, slow, free)
	}
	c := top.Between()
	c.Priorities, c.Rate, c.Duration, c.Frames = []uint8{0, slow, free}, rate, 3*time.Second, 0
	c.SinkRate[slow] = rate / 10
	c.LossTimeout = 2 * time.Second
	c.RingSize = 4096 // so that hostB has room for what comes while a busy machine gives it no CPU
	r := bed.Untouched(t, c)
	if r.Directions[0].EdgeOverrun > 0 {
		t.Errorf("hostB has dropped %d frames", r.Directions[0].EdgeOverrun)
	}

	forth, back := byPriority(r)
	if s := forth[slow]; s.PausesReceived == 0 || s.HeldBack == 0 || s.PausesSent == 0 || s.Sent > back[slow].Sent/2 {
		t.Errorf("hostA was not stopped: %+v", s)
	}
	for _, p := range []int{0, free} {
		// The same goroutine has sent both, at the same rate: on a busy machine it is late with both.
		if forth[p].Delivered*100 < back[p].Delivered*95 {
			t.Errorf("of priority %d %d frames have come, and %d the other way", p, forth[p].Delivered, back[p].Delivered)
		}
	}
	for _, p := range []bed.Pair{near, far} {
		blocked(p.A, slow)
		atRest(p, slow, free)
		bounded(p, slow, free)
		if n := pausing(p.A, "edge0", slow).TxPackets; n == 0 {
			t.Errorf("%s has not stopped what comes in at its edge", p.A.Name)
		}
		if n := pausing(p.B, "edge0", slow); n.On2OffRx == 0 || n.RxPauseDuration == 0 {
			t.Errorf("%s was not stopped at its edge: %+v", p.B.Name, n)
		}
		noDrops(p.A)
		noDrops(p.B)
		p.NoFlush(t)
	}
	t.Logf("priority %d: sent %d, held back %d, stopped for %.1f s; A blocked for %v, D for %v", slow, forth[slow].Sent,
		forth[slow].HeldBack, forth[slow].PausedSeconds, time.Duration(near.A.VC(slow).Counters.BlockedTime),
		time.Duration(far.A.VC(slow).Counters.BlockedTime))
}

// byPriority is the result for the frames, from the first end to the other one and back.
func byPriority(r traffic.Result) (forth, back [wire.Priorities]traffic.Direction) {
	for i, d := range r.Directions {
		if i%2 == 0 {
			forth[d.Priority] = d
		} else {
			back[d.Priority] = d
		}
	}
	return forth, back
}
