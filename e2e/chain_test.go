package e2e

import (
	"testing"
	"time"

	"uelink/netns"
	"uelink/netns/nstest"
	"uelink/traffic"
	"uelink/wire"
)

// pausedEdges is a link whose channels 3 and 5 are lossless, and an edge whose host stops, and is
// stopped, by PFC of the same priorities. The rate says how long a pause lasts: at 10 Mb/s it is
// three seconds, so that it does not end where a busy machine renews it late.
func pausedEdges(rate string) settings {
	return settings{
		profile: lossless.profile,
		link: "vcs: 8, cbfc: {mode: static, vcs: [{index: 3, lossless: true, limit: 64}, " +
			"{index: 5, lossless: true, limit: 512}]}",
		edge: "ring_size: 2048, qos: {trust: dot1p}, " +
			"pfc: {mode: static, priorities: [3, 5], xoff: 64, xon: 32, headroom: 512, rate: " + rate + "}",
	}
}

// chained is four daemons in a row, joined by two links and, in the middle, edge to edge:
//
//	hostA ── A ══ C ── D ══ B ── hostB
//
// hostA counts the pauses of A as a NIC of 1 Gb/s does.
func (top *topology) chained() (near, far pair) {
	top.t.Helper()
	c, d := nstest.New(top.t, "C"), nstest.New(top.t, "D")
	must(top.t, netns.Veth(top.A, "link0", c, "link0", linkMTU))
	must(top.t, netns.Veth(c, "edge0", d, "edge0", edgeMTU))
	must(top.t, netns.Veth(d, "link0", top.B, "link0", linkMTU))
	slow := pausedEdges("10Mbps")
	near = pair{newDaemon(top.t, top.A, "A", pausedEdges("1Gbps")), newDaemon(top.t, c, "C", slow)}
	far = pair{newDaemon(top.t, d, "D", slow), newDaemon(top.t, top.B, "B", slow)}
	near.start()
	far.start()
	return near, far
}

// The last host of a chain takes a tenth of what is sent to it of one priority. PFC and credits
// stop that priority, hop by hop, back to the first host. Nothing is lost anywhere, and
// the other priorities do not notice.
func TestChainStopsLosslesslyFromEndToEnd(t *testing.T) {
	const slow, free, rate = 3, 5, 2000
	top := newTopology(t)
	near, far := top.chained()
	for _, p := range []pair{near, far} {
		p.lossless(slow, free)
	}
	c := top.between()
	c.Priorities, c.Rate, c.Duration, c.Frames = []uint8{0, slow, free}, rate, 3*time.Second, 0
	c.SinkRate[slow] = rate / 10
	c.LossTimeout = 2 * time.Second
	r := untouched(t, c)
	if r.Directions[0].EdgeOverrun > 0 {
		t.Errorf("hostB has dropped %d frames", r.Directions[0].EdgeOverrun)
	}

	there, back := byPriority(r)
	if s := there[slow]; s.PausesReceived == 0 || s.HeldBack == 0 || s.PausesSent == 0 || s.Sent > back[slow].Sent/2 {
		t.Errorf("hostA was not stopped: %+v", s)
	}
	for _, p := range []int{0, free} {
		// The same goroutine has sent both, at the same rate: on a busy machine it is late with both.
		if there[p].Delivered*100 < back[p].Delivered*95 {
			t.Errorf("of priority %d %d frames have come, and %d the other way", p, there[p].Delivered, back[p].Delivered)
		}
	}
	for _, p := range []pair{near, far} {
		p.a.blocked(slow)
		p.atRest(slow, free)
		p.bounded(slow, free)
		if n := p.a.pausing("edge0", slow).TxPackets; n == 0 {
			t.Errorf("%s has not stopped what comes in at its edge", p.a.name)
		}
		if n := p.b.pausing("edge0", slow); n.On2OffRx == 0 || n.RxPauseDuration == 0 {
			t.Errorf("%s was not stopped at its edge: %+v", p.b.name, n)
		}
		p.a.noDrops()
		p.b.noDrops()
		p.noFlush(t)
	}
	t.Logf("priority %d: sent %d, held back %d, stopped for %.1f s; A blocked for %v, D for %v", slow, there[slow].Sent,
		there[slow].HeldBack, there[slow].PausedSeconds, time.Duration(near.a.vc(slow).Counters.BlockedTime),
		time.Duration(far.a.vc(slow).Counters.BlockedTime))
}

// byPriority is the result for the frames, from the first end to the other one and back.
func byPriority(r traffic.Result) (there, back [wire.Priorities]traffic.Direction) {
	for i, d := range r.Directions {
		if i%2 == 0 {
			there[d.Priority] = d
		} else {
			back[d.Priority] = d
		}
	}
	return there, back
}
