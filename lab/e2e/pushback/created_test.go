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

// createdPair starts two daemons joined by a veth, whose edges are veths that they make for the hosts in their own
// namespaces. keys are more keys of the edges.
func createdPair(t *testing.T, keys string) (top *bed.Topology, p bed.Pair) {
	t.Helper()
	top = &bed.Topology{T: t, A: nstest.New(t, "A"), B: nstest.New(t, "B")}
	top.HostA, top.HostB = top.A, top.B
	bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.EdgeMTU))
	s := bed.Lossless
	s.Edge = keys
	p = bed.Pair{
		A: bed.NewDaemon(t, top.A, "A", bed.CreatedEdge(s, bed.AddressA)),
		B: bed.NewDaemon(t, top.B, "B", bed.CreatedEdge(s, bed.AddressB)),
	}
	p.A.Start()
	p.B.Start()
	p.Advance()
	return top, p
}

// reports returns how many lines of a daemon's log have the words, and how many of these are warnings or errors.
func reports(d *bed.Daemon, words string) (lines, alarms int) {
	for line := range strings.Lines(d.Stderr.String()) {
		if strings.Contains(line, words) {
			lines++
			if !strings.Contains(line, `"level":"info"`) {
				alarms++
			}
		}
	}
	return lines, alarms
}

// A created edge pushes back without a key, also after a reload, a kill and an upgrade.
func TestCreatedEdgePushesBack(t *testing.T) {
	needPushes(t)
	top, p := createdPair(t, "")
	to := bed.Open(t, top.B, "uelink0", bed.ProbeType)
	whole := func(step string) {
		t.Helper()
		pushes(p.A, "on")
		pushes(p.B, "on")
		if got := endOf(t, top.A, "uelink0"); got != changed {
			t.Errorf("%s uelink0 is %s", step, got)
		}
		bed.AwaitCrossing(bed.Open(t, top.A, "uelink0", bed.ProbeType), to, 10*time.Second)
		to.Drain()
		crowdFrom(t, top.A, "uelink0", 0, 2000)
		arrive(t, to, 2000)
		nothingLost(t, p)
		if e := p.A.Edge(); e.Fault != "" {
			t.Errorf("%s the edge has the problem %q", step, e.Fault)
		}
		if n, _ := reports(p.A, "not push back"); n > 0 {
			t.Errorf("%s the log has %d lines on an edge that does not push back", step, n)
		}
	}
	whole("after the start")
	p.A.Reload(bed.CreatedEdge(bed.Lossless, "10.88.1.9").Text(p.A.Socket))
	whole("after a reload")
	p.A.Signal(syscall.SIGKILL)
	p.A.Wait()
	p.A.Start()
	p.Advance()
	whole("after a kill")
	p.A.EndsLast()
	p.A.Upgrade()
	whole("after an upgrade")
}

// A created edge on which push back does not work is as it is without: neither a problem nor an alarm, but a reason.
func TestAutoFallsBackQuietly(t *testing.T) {
	t.Parallel()
	top, p := createdPair(t, "xdp: generic")
	e := p.A.Edge()
	if e.PushBack != "off" || !strings.Contains(e.PushBackReason, "auto is off here: ") || e.Fault != "" {
		t.Errorf("push_back %s, reason %q, fault %q", e.PushBack, e.PushBackReason, e.Fault)
	}
	if got := endOf(t, top.A, "uelink0"); got != asBefore {
		t.Errorf("uelink0 is %s", got)
	}
	if n, alarms := reports(p.A, "push back"); n != 1 || alarms > 0 {
		t.Errorf("%d lines in the log, %d of them alarms", n, alarms)
	}
	to := bed.Open(t, top.B, "uelink0", bed.ProbeType)
	bed.AwaitCrossing(bed.Open(t, top.A, "uelink0", bed.ProbeType), to, 10*time.Second)
	bed.Eventually(t, "a status without a problem", func() string {
		if a := p.A.Tool("status"); a.Code != 0 {
			return a.Stdout
		}
		return ""
	})
}
