package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/netns"
)

// accepts sends n probes to a daemon's edge and waits until the daemon has taken them in.
func (d *daemon) accepts(host *packets, n uint32, octets int) {
	d.t.Helper()
	for i := range n {
		host.send(probe(i, octets))
	}
	eventually(d.t, "probes taken in", func() string {
		if d.edge().Counters.RxFrames < uint64(n) {
			return "not all are"
		}
		return ""
	})
}

func TestTerminatedDaemonDeliversWhatItHolds(t *testing.T) {
	top := direct(t)
	s := lossless
	s.top = "drain_timeout: 15s"
	s.profile += ", max_replay_timer: 10s" // no replay begins before all is sent
	p := top.daemons(s)
	const frames, octets = 500, 200
	hostA, hostB := open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType)
	p.b.freeze() // nothing is acknowledged, so A holds everything
	p.a.accepts(hostA, frames, octets)
	eventually(t, "all frames unacknowledged", func() string {
		if held := p.a.llr().OutstandingFrames; held != frames {
			return fmt.Sprintf("%d frames are", held)
		}
		return ""
	})
	p.a.signal(syscall.SIGTERM)
	p.a.told("STATUS=delivering what is held")
	if n := len(hostB.drain()); n > 0 {
		t.Fatalf("%d frames came out of a daemon that is stopped", n)
	}
	p.b.signal(syscall.SIGCONT)
	hostB.inOrder(frames, octets)
	if code := p.a.wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if log := p.a.stderr.String(); !strings.Contains(log, `"msg":"drained"`) {
		t.Error("it does not say that all was delivered")
	}
}

// drain returns all frames received so far.
func (p *packets) drain() (frames [][]byte) {
	p.t.Helper()
	for f := p.next(); f != nil; f = p.next() {
		frames = append(frames, f)
	}
	return frames
}

func TestTerminatedDaemonWaitsNoLongerThanDrainTimeout(t *testing.T) {
	top := direct(t)
	s := lossless
	s.top = "drain_timeout: 300ms"
	p := top.daemons(s)
	p.b.freeze()
	p.a.accepts(open(t, top.hostA, "eth0", probeType), 10, 100)
	began := time.Now()
	if code := p.a.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	t.Logf("it ended after %v", time.Since(began).Round(time.Millisecond))
	if !strings.Contains(p.a.stderr.String(), "drain_timeout passed") {
		t.Error("it does not say that frames are lost")
	}
}

// owned returns the state of the interfaces of one side that a daemon changes: its own, and the host's end of the
// edge.
func (top *topology) owned(t testing.TB) string {
	t.Helper()
	return interfaceState(t, top.A, "link0", "edge0") + interfaceState(t, top.hostA, "eth0")
}

func TestTerminatedDaemonPutsItsInterfacesBack(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(d *daemon) int
	}{
		{"SIGTERM", (*daemon).terminate},
		{"SIGINT", func(d *daemon) int { d.signal(unix.SIGINT); return d.wait() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := direct(t)
			before := top.owned(t)
			a := newDaemon(t, top.A, "A", settings{})
			a.start()
			during := top.owned(t)
			for _, changed := range []string{"link0: MTU 1514, promiscuity 1, XDP true",
				"edge0: MTU 1500, promiscuity 1, XDP true"} {
				if !strings.Contains(during, changed) {
					t.Errorf("while it ran there was no %q in\n%s", changed, during)
				}
			}
			if on := offloads(t, top.hostA, "eth0"); strings.Contains(strings.Join(on, " "), "tx-checksum") ||
				strings.Contains(strings.Join(on, " "), "segmentation") {
				t.Errorf("offloads of the host's end that were on: %v", on)
			}
			if code := c.end(a); code != 0 {
				t.Errorf("exit %d", code)
			}
			if after := top.owned(t); after != before {
				t.Errorf("it left\n%s\nof\n%s", after, before)
			}
		})
	}
}

func TestDaemonThatCannotStartPutsItsInterfacesBack(t *testing.T) {
	top := direct(t)
	before := top.owned(t)
	a := newDaemon(t, top.A, "A", settings{link: "mtu: check"}) // which is too small
	a.launch()
	a.refused(2, "link0", "1514")
	if after := top.owned(t); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
}

// A killed daemon could restore nothing. The next daemon finds the changes, which must not harm the host either.
func TestKilledDaemonLeavesNoXDPProgram(t *testing.T) {
	top := direct(t)
	a := newDaemon(t, top.A, "A", settings{})
	a.start()
	a.kill()
	for _, name := range []string{"link0", "edge0"} {
		eventually(t, name+" without an XDP program", func() string { return xdpOn(t, top.A, name) })
	}
}

func xdpOn(t testing.TB, ns *netns.NS, name string) (problem string) {
	t.Helper()
	l, err := ns.Link(name)
	must(t, err)
	if l.Xdp != nil && l.Xdp.Attached {
		return "there is one"
	}
	return ""
}
