package pushback

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"uelink/lab/e2e/bed"
)

// A reload that ends push back while the link stands still leaves the frames that wait with the host: push back ends
// when they have left, and none is lost.
func TestFramesBehindAStillLinkOutlastPushBack(t *testing.T) {
	top, p, to := bedOf(t, pushing())
	const count = 8000 // frames: more than rings, windows and queues hold
	p.B.Freeze()
	crowd(t, top.HostA, count)
	off := pushing()
	off.Edge = "push_back: off"
	p.A.Reload(off.Text(p.A.Socket))
	bed.Eventually(t, "push back that ends later", func() string {
		if e := p.A.Edge(); e.PushBack != "on" || !strings.Contains(e.PushBackReason, "host_queued") || e.HostQueued == 0 {
			return fmt.Sprintf("it is %q (%s), and %d frames wait", e.PushBack, e.PushBackReason, e.HostQueued)
		}
		return ""
	})
	p.B.Signal(syscall.SIGCONT)
	arrive(t, to, count)
	pushes(p.A, "off")
	ends(t, top.HostA, asBefore)
	noneDropped(t, p.A.Edge(), p.A.Link(), p.B.Edge()) // link B dropped replays while its daemon stood still
}

// Reloads of an edge that pushes back, under load: one that takes the interface or the sockets anew loses nothing, and
// what is lost where push back ends or begins is counted.
func TestReloadsUnderLoad(t *testing.T) {
	top, p, _ := bedOf(t, pushing())
	counted := func() (n uint64) {
		for _, d := range []*bed.Daemon{p.A, p.B} {
			n += lost(d.Edge()) + lost(d.Link())
		}
		return n
	}
	for _, c := range []struct {
		keys     string
		lossless bool
	}{
		{"push_back: on, promiscuous: false", true},
		{"push_back: on, rx_ring_size: 2048", true},
		{"push_back: on, offloads: leave", true},
		{"push_back: on", true},
		{"push_back: off", false},
		{"push_back: on", false},
		{"push_back: on, xdp: generic", false},
		{"push_back: on", false},
	} {
		before, s := counted(), pushing()
		s.Edge = c.keys
		l := top.Load(t, bed.Patience)
		l.Reach(1000)
		p.A.Reload(s.Text(p.A.Socket))
		l.Reach(l.Least() + 1000)
		removed := uint64(0)
		directions := l.End()
		bed.NeverTwice(t, directions)
		for _, d := range directions {
			removed += uint64(d.Lost)
		}
		t.Logf("%s: %d frames lost", c.keys, removed)
		if c.lossless && removed > 0 {
			t.Errorf("%s: %d frames were lost", c.keys, removed)
		}
		bed.Eventually(t, fmt.Sprintf("the counts of %d lost frames (%s)", removed, c.keys), func() string {
			if n := counted() - before; n < removed {
				return fmt.Sprintf("%d are counted", n)
			}
			return ""
		})
	}
}
