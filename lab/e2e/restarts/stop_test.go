package restarts

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/bed"
)

// accepts sends n probes to a daemon's edge and waits until the daemon has taken them in.
func accepts(d *bed.Daemon, host *bed.Packets, n uint32, octets int) {
	d.T.Helper()
	for i := range n {
		host.Send(bed.Probe(i, octets))
	}
	bed.Eventually(d.T, "probes taken in", func() string {
		if d.Edge().Counters.RxFrames < uint64(n) {
			return "not all are"
		}
		return ""
	})
}

func TestTerminatedDaemonDeliversWhatItHolds(t *testing.T) {
	top := bed.Direct(t)
	s := bed.Lossless
	s.Top = "drain_timeout: 15s"
	s.Profile += ", max_replay_timer: 10s" // no replay begins before all is sent
	p := top.Daemons(s)
	const frames, octets = 500, 200
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	p.B.Freeze() // nothing is acknowledged, so A holds everything
	accepts(p.A, hostA, frames, octets)
	bed.Eventually(t, "all frames unacknowledged", func() string {
		if waiting := p.A.LLR().OutstandingFrames; waiting != frames {
			return fmt.Sprintf("%d frames are", waiting)
		}
		return ""
	})
	p.A.Signal(syscall.SIGTERM)
	p.A.AwaitNotify("STATUS=delivering what is held")
	if n := len(hostB.Drain()); n > 0 {
		t.Fatalf("%d frames came out of a daemon that is stopped", n)
	}
	p.B.Signal(syscall.SIGCONT)
	hostB.InOrder(frames, octets)
	if code := p.A.Wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if log := p.A.Stderr.String(); !strings.Contains(log, `"msg":"drained"`) {
		t.Error("it does not say that all was delivered")
	}
}

func TestTerminatedDaemonWaitsNoLongerThanDrainTimeout(t *testing.T) {
	top := bed.Direct(t)
	s := bed.Lossless
	s.Top = "drain_timeout: 300ms"
	p := top.Daemons(s)
	p.B.Freeze()
	accepts(p.A, bed.Open(t, top.HostA, "eth0", bed.ProbeType), 10, 100)
	began := time.Now()
	if code := p.A.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	t.Logf("it ended after %v", time.Since(began).Round(time.Millisecond))
	if !strings.Contains(p.A.Stderr.String(), "drain_timeout passed") {
		t.Error("it does not say that frames are lost")
	}
}

// owned returns the state of the interfaces of one side that a daemon changes: its own, and the host's end of the
// edge.
func owned(top *bed.Topology, t testing.TB) string {
	t.Helper()
	return interfaceState(t, top.A, "link0", "edge0") + interfaceState(t, top.HostA, "eth0")
}

func TestTerminatedDaemonPutsItsInterfacesBack(t *testing.T) {
	byFrame := bed.Settings{}.ByFrame()
	for _, c := range []struct {
		name     string
		settings bed.Settings
		edge     string // state while the daemon runs
		end      func(d *bed.Daemon) int
	}{
		{"SIGTERM", byFrame, "XDP true", (*bed.Daemon).Terminate},
		{"SIGINT", byFrame, "XDP true", func(d *bed.Daemon) int { d.Signal(unix.SIGINT); return d.Wait() }},
		{"super-frames", bed.Settings{}.InSuperFrames(), "XDP false", (*bed.Daemon).Terminate},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := bed.Direct(t)
			before := owned(top, t)
			a := bed.NewDaemon(t, top.A, "A", c.settings)
			a.Start()
			during := owned(top, t)
			for _, changed := range []string{"link0: MTU 1514, promiscuity 1, XDP true",
				"edge0: MTU 1500, promiscuity 1, " + c.edge} {
				if !strings.Contains(during, changed) {
					t.Errorf("while it ran there was no %q in\n%s", changed, during)
				}
			}
			on := strings.Join(bed.Offloads(t, top.HostA, "eth0"), " ")
			if off := !strings.Contains(on, "tx-checksum-ip-generic") && !strings.Contains(on, "segmentation"); off !=
				(c.edge == "XDP true") {
				t.Errorf("offloads of the host's end that were on: %s", on)
			}
			if code := c.end(a); code != 0 {
				t.Errorf("exit %d", code)
			}
			if after := owned(top, t); after != before {
				t.Errorf("it left\n%s\nof\n%s", after, before)
			}
		})
	}
}

func TestDaemonThatCannotStartPutsItsInterfacesBack(t *testing.T) {
	top := bed.Direct(t)
	before := owned(top, t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{Link: "mtu: check"}) // which is too small
	a.Launch()
	a.Refused(2, "link0", "1514")
	if after := owned(top, t); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
}

// A killed daemon could restore nothing. The next daemon finds the changes, which must not harm the host either.
func TestKilledDaemonLeavesNoXDPProgram(t *testing.T) {
	top := bed.Direct(t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	a.Start()
	a.Kill()
	for _, name := range []string{"link0", "edge0"} {
		bed.Eventually(t, "no XDP program on "+name, func() string { return bed.XDPOn(t, top.A, name) })
	}
}
