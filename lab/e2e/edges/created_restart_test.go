package edges

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// TestRestartsOfACreatedEdge: what a host has put on the interface that the daemon makes for it outlives the daemon,
// and another host that speaks to it goes on after each way of starting the daemon again. Host A never speaks first.
func TestRestartsOfACreatedEdge(t *testing.T) {
	t.Parallel()
	bed.InstalledProgram(t, "ip", "iproute2")
	a, b := nstest.New(t, "A"), nstest.New(t, "B")
	bed.Must(t, netns.Veth(a, "link0", b, "link0", bed.EdgeMTU))
	p := bed.Pair{
		A: bed.NewDaemon(t, a, "A", bed.CreatedLink("encapsulation: addressed", bed.CreatedA, bed.CreatedA6)),
		B: bed.NewDaemon(t, b, "B", bed.CreatedLink("encapsulation: addressed", bed.CreatedB, bed.CreatedB6)),
	}
	p.A.Start()
	p.B.Start()
	p.Advance()
	bed.Run(t, a, exec.Command("ip", strings.Fields("route add 172.16.0.0/16 via "+bed.CreatedB)...))
	bed.Run(t, a, exec.Command("ip", strings.Fields("link add link uelink0 name mv0 type macvlan mode bridge")...))
	before := placed(t, a)
	bed.Echo(t, a)
	calls := bed.Call(t, b, bed.CreatedA, bed.CreatedA6)
	calls.Silence("the start", time.Now(), time.Now())
	for _, way := range []struct {
		name  string
		again func() (ready time.Time)
	}{
		{"SIGTERM", func() time.Time {
			if code := p.A.Terminate(); code != 0 {
				t.Errorf("exit %d", code)
			}
			return p.A.Start()
		}},
		{"a kill", func() time.Time {
			p.A.Signal(syscall.SIGKILL)
			p.A.Wait()
			return p.A.Start()
		}},
		{"an upgrade", func() time.Time {
			p.A.EndsLast()
			p.A.Upgrade()
			return time.Now()
		}},
	} {
		from := time.Now()
		ready := way.again()
		t.Logf("silence at %s: %s", way.name, calls.Seconds(calls.Silence(way.name, from, ready)))
		if now := placed(t, a); now != before {
			t.Errorf("after %s the host has\n%s\nnot\n%s", way.name, now, before)
		}
	}
	for _, ns := range []*netns.NS{a, b} {
		l, err := ns.Link("edge0")
		bed.Must(t, err)
		if n := l.Statistics.RxDropped; n > 0 {
			t.Errorf("RX dropped %d", n)
		}
	}
}

// placed returns the interfaces and the route that a host has on uelink0, without the queueing discipline, which goes
// with the daemon.
func placed(t testing.TB, ns *netns.NS) string {
	t.Helper()
	var all strings.Builder
	for _, args := range []string{"-o link show uelink0", "-o link show mv0", "route show 172.16.0.0/16"} {
		out := bed.Run(t, ns, exec.Command("ip", strings.Fields(args)...))
		words := strings.Fields(out)
		for i := range words[1:] {
			if words[i] == "qdisc" {
				words[i+1] = ""
			}
		}
		all.WriteString(strings.Join(words, " ") + "\n")
	}
	return all.String()
}

// TestReplacedHostIsReached: a host that is made anew with its addresses, such as a pod, has another hardware address,
// and another host that speaks to it, and nobody else, reaches it as soon as the link carries frames.
func TestReplacedHostIsReached(t *testing.T) {
	t.Parallel()
	r := bed.NewReplaced(t, "", "encapsulation: addressed")
	calls := bed.Call(t, r.B.NS, bed.CreatedA, bed.CreatedA6)
	calls.Silence("the start", time.Now(), time.Now())
	former := r.MAC()
	ready := r.Replace()
	t.Logf("silence after READY: %s", calls.Seconds(calls.Silence("the other host began", ready, ready)))
	if now := r.MAC(); now == former {
		t.Errorf("the host has the address %s, as before", now)
	}
	r.A.AwaitLogLines("announced ")
}
