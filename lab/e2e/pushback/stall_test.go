package pushback

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// stalled is the priority of TCP in TestStalledChannel, and so the channel. The type of service has it in its first
// bits.
const stalled = 3

// channels is settings of a link with a lossless channel for priority 3. The host at an edge stops the priority by
// PFC; at 10 Mb/s a pause lasts up to 3 s.
func channels() bed.Settings {
	s := bed.Lossless
	s.Link = "vcs: 8, cbfc: {mode: static, vcs: [{index: 3, lossless: true, limit: 64}]}"
	s.Edge = "push_back: on, qos: {trust: dscp}, " +
		"pfc: {mode: static, priorities: [3], xoff: 64, xon: 32, headroom: 512, rate: 10Mbps}"
	s.Top = "spin: 0s"
	return s
}

// TestStalledChannel: the far host stops a priority by PFC for 2 s while TCP sends on it: its lossless channel runs out
// of credits, and the near host's TCP waits. No frame is lost, TCP goes on afterwards, and a stream of another priority
// of the same host does not notice.
func TestStalledChannel(t *testing.T) {
	bed.RequireProgram(t, "iperf3", "iperf3")
	top, p, _ := bedOf(t, channels())
	top.OnlyRealLosses()
	from, to := bed.NewTalker(t, top.HostA, 1), bed.NewTalker(t, top.HostB, 2)
	from.OnlyProbes()
	to.OnlyProbes() // TCP comes beside
	c := bed.NewTalk(t, from, to)
	c.Stream(from, 0, to)
	c.Start(time.Millisecond)
	end := top.TCPSeconds(6, "-S", fmt.Sprint(stalled<<5))
	tcpFrames := func() (frames uint64) {
		for _, q := range p.A.Link().QueueStats {
			if q.Queue == stalled {
				frames = q.TxFrames
			}
		}
		return frames
	}
	bed.Eventually(t, "TCP on the lossless channel", func() string {
		if n := tcpFrames(); n < 1000 {
			return fmt.Sprintf("%d frames", n)
		}
		return ""
	})

	pauseFrom(to, 0xFFFF)
	bed.Eventually(t, "a channel without credits", func() string {
		before := tcpFrames()
		time.Sleep(50 * time.Millisecond)
		if after := tcpFrames(); after > before {
			return fmt.Sprintf("%d frames, then %d", before, after)
		}
		return ""
	})
	still := tcpFrames()
	sent, came := c.Account(to)
	time.Sleep(2 * time.Second) // the length of the fault
	if n := tcpFrames(); n > still {
		t.Errorf("%d frames left on the stalled channel", n-still)
	}
	allSent, allCame := c.Account(to)
	if sent, came := allSent-sent, allCame-came; came*100 < sent*95 {
		t.Errorf("of the other priority %d frames were sent meanwhile, and %d came", sent, came)
	}
	waiting := p.A.Edge()
	t.Logf("the other priority: %d frames sent in the stall, %d came; %d frames wait with the host, %d for the link",
		allSent-sent, allCame-came, waiting.HostQueued, p.A.Link().QueuedFrames)
	pauseFrom(to, 0)

	perSecond, repeat := end()
	c.End()
	nothingLost(t, p)
	if repeat > 0 {
		t.Errorf("%d segments were sent again", repeat)
	}
	if last := perSecond[len(perSecond)-1]; last == 0 {
		t.Errorf("TCP does not go on: %.0f", perSecond)
	}
	t.Logf("Mbit/s of each second: %.0f", perSecond)
}

// pauseFrom makes a host stop priority 3 by PFC, for a time in quanta of 512 bit times; 0: it goes on.
func pauseFrom(h *bed.Talker, quanta uint16) {
	h.T.Helper()
	f := make([]byte, wire.MinFrameLen)
	pause := wire.PFC{Enable: 1 << stalled}
	pause.Quanta[stalled] = quanta
	h.Send(f[:wire.PutPFC(f, h.MAC, pause)])
}

// A daemon that stands still while its host sends at full speed: the kernel's watchdog hands frames over, and drops
// those for which the ring has no room. These are counted, and TCP goes on.
func TestStoppedUnderLoad(t *testing.T) {
	bed.RequireProgram(t, "iperf3", "iperf3")
	s := bed.BulkSettings
	s.Edge = "push_back: on"
	top, p, _ := bedOf(t, s)
	top.OnlyRealLosses()
	end := top.TCPSeconds(5)
	before := p.A.Edge().Counters.RxFrames
	bed.Eventually(t, "TCP", func() string {
		if n := p.A.Edge().Counters.RxFrames - before; n < 1000 {
			return fmt.Sprintf("%d frames", n)
		}
		return ""
	})
	p.A.Freeze()
	time.Sleep(time.Second) // the length of the fault
	p.A.Signal(syscall.SIGCONT)
	perSecond, repeat := end()
	e := p.A.Edge()
	if n := lost(e); n != e.Socket.RxRingFull+e.Device.HostQdiscDropped || n == 0 && repeat > 0 {
		t.Errorf("%d frames were dropped, %d for the ring and %d with the host; %d segments were sent again", n,
			e.Socket.RxRingFull, e.Device.HostQdiscDropped, repeat)
	}
	if last := perSecond[len(perSecond)-1]; last == 0 {
		t.Errorf("TCP does not go on: %.0f", perSecond)
	}
	t.Logf("Mbit/s of each second: %.0f; %d frames by the watchdog, %d dropped, %d segments sent again", perSecond,
		e.Counters.RxWatchdog, lost(e), repeat)
}

// The near end moves into another namespace, and comes back: the edge pushes back again.
func TestNearEndMoves(t *testing.T) {
	top, p, to := bedOf(t, pushing())
	sh(t, top.A, "ip link set dev edge0 netns "+top.HostB.Name())
	p.A.OperStatus("edge0", "absent")
	sh(t, top.HostB, "ip link set dev edge0 netns "+top.A.Name())
	sh(t, top.A, "ip link set dev edge0 up")
	p.A.OperStatus("edge0", "up")
	pushes(p.A, "on")
	crosses(t, top, p, to)
}

// After an upgrade the new process asks for the host's frames, and none comes by the watchdog.
func TestPumpsAfterAnUpgrade(t *testing.T) {
	top, p, to := bedOf(t, pushing())
	p.A.EndsLast()
	const count = 8000 // frames
	for range 2 {
		p.A.Upgrade()
		pushes(p.A, "on")
		before := p.A.Edge().Counters
		crowd(t, top.HostA, count)
		arrive(t, to, count)
		after := p.A.Edge().Counters
		if asks, watched := after.RxAsks-before.RxAsks, after.RxWatchdog-before.RxWatchdog; asks == 0 || watched > 0 {
			t.Errorf("%d asks for %d frames, of which %d came by the watchdog", asks, count, watched)
		}
		nothingLost(t, p)
		ends(t, top.HostA, changed)
	}
}
