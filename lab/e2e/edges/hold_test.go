package edges

import (
	"context"
	"encoding/binary"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// hold is a place between the edge of a daemon and its host that can keep the frames for the host: a queue in the
// host's namespace. The kernel completes the sends of the edge when the frames leave the queue.
//
//	edge ── held ⇄ out ── eth0
type hold struct {
	*bed.Packets // at out; a frame sent here makes the kernel look at the queue
	host         *netns.NS
}

// holding puts a hold between a host and its edge, before the daemon starts.
func holding(t testing.TB, host *netns.NS) *hold {
	t.Helper()
	h := &hold{host: host}
	bed.Must(t, host.SetLink("eth0", false))
	h.run(t, "ip link set eth0 name held up")
	bed.Must(t, netns.Veth(host, "out", host, "eth0", bed.EdgeMTU))
	// Each CPU has a backlog of received frames, and later frames in one would overtake earlier ones in another: receive
	// packet steering (RPS) puts all frames into that of CPU 0.
	for _, ifname := range []string{"held", "out", "eth0"} {
		bed.SetAttribute(t, host, ifname, "queues/rx-0/rps_cpus", "1")
	}
	for from, to := range map[string]string{"held": "out", "out": "held"} {
		h.run(t, "tc qdisc add dev "+from+" ingress")
		h.run(t, "tc filter add dev "+from+" parent ffff: protocol all u32 match u8 0 0 "+
			"action mirred egress redirect dev "+to)
	}
	h.run(t, "tc qdisc add dev out root "+passing)
	h.Packets = bed.Open(t, host, "out", noType)
	return h
}

// noType is the EtherType of the frames that a hold sends; nobody receives them.
const noType = 0x0004

// passing is the queue of a hold that keeps nothing. The queue is there from the beginning and only changes, because
// the kernel drops frames while it gives an interface another queue.
const passing = "tbf rate 100gbit burst 100000000 limit 100000000"

// on keeps the frames for the host, up to 100 MB: one octet a second leaves.
func (h *hold) on(t testing.TB) {
	t.Helper()
	h.run(t, "tc qdisc change dev out root tbf rate 8bit burst 1514 limit 100000000")
}

// off hands the host what was kept.
func (h *hold) off(t testing.TB) {
	t.Helper()
	h.run(t, "tc qdisc change dev out root "+passing)
	frame := make([]byte, wire.MinFrameLen)
	binary.BigEndian.PutUint16(frame[2*wire.AddrLen:], noType)
	h.Send(frame)
}

// run runs a command of iproute2 in the host's namespace.
func (h *hold) run(t testing.TB, line string) {
	t.Helper()
	words := strings.Fields(line)
	bed.Run(t, h.host, exec.Command(bed.InstalledProgram(t, words[0], "iproute2"), words[1:]...))
}

// TestEdgeOfABridgeThatStandsStillHoldsUpNothingElse: hostC takes nothing for ten seconds, while
// all talk to each other and to it. Nobody else notices. Afterwards hostC gets what has waited,
// once and in order, and the counters say how much had no room.
func TestEdgeOfABridgeThatStandsStillHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	hostC := holding(t, top.Host(top.A, "edge1"))
	top.Host(top.A, "edge2")
	p := bed.Pair{
		A: bed.NewDaemon(t, top.A, "A, held", bed.Switching.ByFrame().At("edge0", "edge1", "edge2")),
		B: bed.NewDaemon(t, top.B, "B", bed.Switching),
	}
	p.Start()
	events := p.A.Watch()

	talkers := top.Talkers()
	waiting := talkers[2]
	c := bed.NewTalk(t, talkers...)
	c.EveryPair(talkers...)
	c.Stream(talkers[3], 0, talkers[:3]...) // broadcasts
	c.Start(4 * time.Millisecond)
	before := framesWithoutRoom(p.A)
	hostC.on(t)
	time.Sleep(10 * time.Second)
	events.Await("standstill", "takes no frames")
	bed.Eventually(t, "frames that have no room", func() string {
		if framesWithoutRoom(p.A) == before {
			return "there are none"
		}
		return ""
	})
	if !p.A.Port("edge1").StandsStill || p.A.Edge().StandsStill || p.B.Edge().StandsStill {
		t.Error("edge1 does not stand still, or another edge does")
	}
	c.End(waiting)
	hostC.off(t)
	var sent, came, noRoom uint64
	bed.Eventually(t, "every frame for hostC delivered or counted", func() string {
		sent, came = c.Account(waiting)
		if noRoom = framesWithoutRoom(p.A) - before; came+noRoom != sent {
			return fmt.Sprintf("of %d %d came and %d had no room", sent, came, noRoom)
		}
		return ""
	})
	events.Await("standstill", "takes frames again")
	c.End(waiting)
	if n := p.A.Port("edge1").QueueStats[0].Dropped; n != noRoom {
		t.Errorf("the queue of edge1 has dropped %d frames, its ports %d", n, noRoom)
	}
	p.NoFlush(t)
	if n := p.A.Link().Counters.RxRefused; n > 0 {
		t.Errorf("a bridge has refused %d frames of its link", n)
	}
	if n := framesWithoutRoom(p.B); n > 0 {
		t.Errorf("at B %d frames had no room", n)
	}
	t.Logf("of %d frames for hostC %d came and %d had no room", sent, came, noRoom)
}

// framesWithoutRoom is how many frames the ports of a daemon have dropped for want of room to wait.
func framesWithoutRoom(d *bed.Daemon) (n uint64) {
	d.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bed.Patience)
	defer cancel()
	ports, err := d.Client.Ports(ctx)
	bed.Must(d.T, err)
	for _, p := range ports {
		n += p.Counters.TxDropQueueFull + p.Counters.RxDropNoBuffer
	}
	return n
}
