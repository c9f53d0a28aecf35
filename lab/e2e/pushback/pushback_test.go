package pushback

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// More frames than any ring holds come at once, and all of them cross.
func TestCrowdLosesNothing(t *testing.T) {
	top, p, to := bedOf(t, pushing())
	crowd(t, top.HostA, 8000)
	arrive(t, to, 8000)
	nothingLost(t, p)
	// How many asks there are is the machine's: while the worker waits for a CPU, frames come without one.
	if p.A.Edge().Counters.RxAsks == 0 {
		t.Error("no frame was asked for")
	}
}

// A daemon that stands still loses nothing, and its frames cross when it goes on.
func TestStoppedDaemon(t *testing.T) { stoppedDaemon(t, 100*time.Millisecond, time.Second) }

// TestStoppedForLong stops a daemon for so long that its partner has given it up, if that may give up.
func TestStoppedForLong(t *testing.T) { stoppedDaemon(t, 5*time.Second) }

// stoppedDaemon stops a daemon for each of the times, while its host sends a crowd of frames.
func stoppedDaemon(t *testing.T, times ...time.Duration) {
	t.Helper()
	top, p, to := bedOf(t, pushing())
	for _, still := range times {
		p.A.Freeze()
		crowd(t, top.HostA, 3000)
		time.Sleep(still) // the length of the fault
		p.A.Signal(syscall.SIGCONT)
		arrive(t, to, 3000)
		nothingLost(t, p)
	}
	if n := p.A.Edge().Counters.RxWatchdog; n > 0 {
		t.Logf("%d frames came by the watchdog", n)
	}
}

// After a kill the next start takes the changes over, and the end puts them back.
func TestKilledDaemon(t *testing.T) {
	top, p, to := bedOf(t, pushing())
	ends(t, top.HostA, changed)
	p.A.Signal(syscall.SIGKILL)
	p.A.Wait()
	ends(t, top.HostA, changed)
	p.A.Start()
	p.Advance()
	pushes(p.A, "on")
	crosses(t, top, p, to)
	p.A.Signal(syscall.SIGKILL)
	p.A.Wait()
	p.A.Write(bed.Lossless.Text(p.A.Socket))
	p.A.Start()
	ends(t, top.HostA, asBefore)
	p.B.Terminate()
	ends(t, top.HostB, asBefore)
}

// A reload switches pushing back off and on, and loses nothing.
func TestReloadSwitches(t *testing.T) {
	top, p, to := bedOf(t, pushing())
	off := pushing()
	off.Edge = "push_back: off"
	for range 2 {
		p.A.Reload(off.Text(p.A.Socket))
		pushes(p.A, "off")
		ends(t, top.HostA, asBefore)
		p.A.Reload(pushing().Text(p.A.Socket))
		pushes(p.A, "on")
		ends(t, top.HostA, changed)
		crosses(t, top, p, to)
	}
	larger := pushing()
	larger.Edge += ", rx_ring_size: 1024"
	p.A.Reload(larger.Text(p.A.Socket))
	pushes(p.A, "on")
	crosses(t, top, p, to)
	nothingLost(t, p)
}

// Either end of the veth goes down and up: the pumps are opened again.
func TestEndsGoDown(t *testing.T) {
	top, p, to := bedOf(t, pushing())
	for name, end := range map[string]struct {
		ns     *netns.NS
		ifname string
	}{"near": {top.A, "edge0"}, "far": {top.HostA, "eth0"}} {
		t.Run(name, func(t *testing.T) {
			bed.Must(t, end.ns.SetLink(end.ifname, false))
			p.A.OperStatus("edge0", "down")
			bed.Must(t, end.ns.SetLink(end.ifname, true))
			p.A.OperStatus("edge0", "up")
			pushes(p.A, "on")
			crosses(t, top, p, to)
			if n := p.A.Edge().Counters.RxWatchdog; n > 0 {
				t.Errorf("%d frames came by the watchdog", n)
			}
		})
	}
}

// What somebody changes is told and set again; a queueing discipline of the host's own stays.
func TestOthersChangeSettings(t *testing.T) {
	top, p, to := bedOf(t, pushing())
	events := p.A.Watch()
	for reported, change := range map[string]func(){
		"the host's end had no queueing discipline any more": func() { sh(t, top.HostA, "tc qdisc del dev eth0 root") },
		"napi_defer_hard_irqs was 0": func() {
			bed.SetAttribute(t, top.A, "edge0", "napi_defer_hard_irqs", "0")
		},
	} {
		change()
		events.Await("notice", reported)
		ends(t, top.HostA, changed)
		crosses(t, top, p, to)
	}
	const own = "pfifo_fast 16"
	sh(t, top.HostA, "ip link set dev eth0 txqueuelen 10000")
	sh(t, top.HostA, "tc qdisc replace dev eth0 root pfifo_fast")
	events.Await("notice", "gso_max_segs was 65535, and the queueing discipline was pfifo_fast")
	ends(t, top.HostA, own)
	crosses(t, top, p, to)
	sh(t, top.HostA, "ip link set dev eth0 gso_max_segs 100")
	events.Await("notice", "gso_max_segs was 100, and the queueing discipline was pfifo_fast")
	ends(t, top.HostA, own)
	crosses(t, top, p, to)
	p.A.Terminate()
	ends(t, top.HostA, "pfifo_fast 100")
}

// The host's end moves into another namespace: the discipline goes with the move, and comes back.
func TestHostEndMoves(t *testing.T) {
	top, p, to := bedOf(t, pushing())
	other := nstest.New(t, "hostC")
	sh(t, top.HostA, "ip link set dev eth0 netns "+other.Name())
	sh(t, other, "ip link set dev eth0 up")
	p.A.OperStatus("edge0", "up")
	ends(t, other, changed)
	pushes(p.A, "on")
	top.HostA = other
	crosses(t, top, p, to)
}

// The veth is deleted and made again: the edge pushes back again.
func TestVethIsMadeAgain(t *testing.T) {
	top, p, to := bedOf(t, pushing())
	bed.Must(t, top.A.DeleteLink("edge0"))
	p.A.OperStatus("edge0", "absent")
	bed.Must(t, netns.Veth(top.HostA, "eth0", top.A, "edge0", bed.EdgeMTU))
	p.A.OperStatus("edge0", "up")
	pushes(p.A, "on")
	crosses(t, top, p, to)
}

// An edge on which it does not work is as without, and says why.
func TestLossyIsTold(t *testing.T) {
	s := pushing()
	s.Edge += ", xdp: generic"
	top := bed.Direct(t)
	p := top.Daemons(s)
	pushes(p.A, "lossy")
	if e := p.A.Edge(); !strings.Contains(e.PushBackReason, "generic mode") ||
		!strings.Contains(e.Fault, "cannot push back") {
		t.Errorf("reason %q, fault %q", e.PushBackReason, e.Fault)
	}
	ends(t, top.HostA, asBefore)
	to := bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	bed.AwaitCrossing(bed.Open(t, top.HostA, "eth0", bed.ProbeType), to, 10*time.Second)
}

// Frames of several chunks are asked for, too, and an edge with PFC.
func TestJumboAndPFC(t *testing.T) {
	for name, keys := range map[string]string{
		"PFC":   "push_back: on, qos: {trust: dot1p}, pfc: {priorities: [3]}",
		"jumbo": "push_back: on",
	} {
		t.Run(name, func(t *testing.T) {
			s := pushing()
			s.Edge = keys
			top := bed.Direct(t)
			if name == "jumbo" {
				for _, end := range []*netns.NS{top.HostA, top.HostB} {
					bed.Must(t, end.SetMTU("eth0", 9000))
				}
				for _, end := range []*netns.NS{top.A, top.B} {
					bed.Must(t, end.SetMTU("edge0", 9000))
				}
			}
			p := top.Daemons(s)
			pushes(p.A, "on")
			crosses(t, top, p, bed.Open(t, top.HostB, "eth0", bed.ProbeType))
			if name == "jumbo" {
				bed.RequireProgram(t, "iperf3", "iperf3")
				iperf(t, top, "-n 64M")
			}
			nothingLost(t, p)
		})
	}
}
