package links

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// batches is a load whose frames come in large batches, so that they leave a link live.
func batches(top *bed.Topology, t testing.TB) *bed.Load {
	t.Helper()
	c := top.Between()
	c.Size, c.Window, c.RingSize, c.LossTimeout = "imix", 2048, 4096, bed.Patience
	return bed.NewLoad(t, c)
}

// sendsBy waits until frames leave a link by a path, for a reason that contains why.
func sendsBy(d *bed.Daemon, path, why string) {
	d.T.Helper()
	bed.Eventually(d.T, d.Name+" sends by "+path, func() string {
		if p := d.Link(); p.TxPath != path || !strings.Contains(p.TxPathReason, why) {
			return fmt.Sprintf("it sends by %s: %s", p.TxPath, p.TxPathReason)
		}
		return ""
	})
}

// sendsLive waits until more frames leave a link live.
func sendsLive(d *bed.Daemon) {
	d.T.Helper()
	before := d.Link().Socket.TxLive
	bed.Eventually(d.T, d.Name+" sends live frames", func() string {
		if p := d.Link(); p.Socket.TxLive <= before {
			return fmt.Sprintf("%d, as before; it sends by %s: %s", before, p.TxPath, p.TxPathReason)
		}
		return ""
	})
}

// The status names the path of each link and the reason, and frames of either path arrive once and in order.
func TestPathOfALink(t *testing.T) {
	for _, c := range []struct{ link, path, why string }{
		{"", "live", ""},
		{"tx_path: live, opener: native", "live", ""},
		{"tx_path: af_xdp", "af_xdp", "tx_path: af_xdp"},
		{"opener: asavie", "af_xdp", "opener: asavie"},
		{"tx_path: live, opener: asavie", "af_xdp", "opener: asavie"},
	} {
		t.Run(c.link, func(t *testing.T) {
			top := bed.Direct(t)
			p := top.Daemons(bed.Settings{Profile: bed.Lossless.Profile, Link: c.link})
			for _, d := range []*bed.Daemon{p.A, p.B} {
				sendsBy(d, c.path, c.why)
			}
			run := top.Between()
			run.Size, run.Frames, run.Window, run.RingSize = "imix", 30_000, 2048, 4096
			bed.Untouched(t, run)
			for _, d := range []*bed.Daemon{p.A, p.B} {
				is := d.Link()
				if live := is.Socket.TxLive; (live > 0) != (c.path == "live") {
					t.Errorf("%s: %d of %d frames left live", d.Name, live, is.Counters.TxFrames)
				}
				t.Logf("%s: %d of %d frames left live, %d were dropped", d.Name, is.Socket.TxLive,
					is.Counters.TxFrames, is.Socket.TxLiveDropped)
			}
			p.NoFlush(t)
		})
	}
}

// A link over a veth with several queues, and an edge, send by AF_XDP; so does a link whose other end has no program.
func TestLinksThatDoNotSendLive(t *testing.T) {
	t.Parallel()
	queued := bed.Queued(t)
	p := queued.Daemons(bed.Settings{})
	sendsBy(p.A, "af_xdp", "several queues")
	if e := p.A.Edge(); e.TxPath != "af_xdp" || !strings.Contains(e.TxPathReason, "on links alone") {
		t.Errorf("the edge sends by %s: %s", e.TxPath, e.TxPathReason)
	}
	alone := bed.Direct(t)
	a := bed.NewDaemon(t, alone.A, "A alone", bed.Settings{})
	a.Start()
	sendsBy(a, "af_xdp", "the other end of a veth has no XDP program")
}

// faults of a link on which frames leave live, and their ends.
var liveFaults = []struct {
	name  string
	begin func(top *bed.Topology, p bed.Pair) (end func())
}{
	{"receiver stopped", func(_ *bed.Topology, p bed.Pair) func() {
		p.B.Signal(syscall.SIGSTOP)
		return func() { p.B.Signal(syscall.SIGCONT) }
	}},
	{"other end down", func(top *bed.Topology, _ bed.Pair) func() {
		bed.Must(top.T, top.B.SetLink("link0", false))
		return func() { bed.Must(top.T, top.B.SetLink("link0", true)) }
	}},
	{"this end down", func(top *bed.Topology, _ bed.Pair) func() {
		bed.Must(top.T, top.A.SetLink("link0", false))
		return func() { bed.Must(top.T, top.A.SetLink("link0", true)) }
	}},
	{"MTU of the other end lowered", func(top *bed.Topology, p bed.Pair) func() {
		mtu := p.B.Link().MTU
		bed.Must(top.T, top.B.SetMTU("link0", 600))
		return func() { bed.Must(top.T, top.B.SetMTU("link0", mtu)) }
	}},
	{"other end polled by a thread", func(top *bed.Topology, _ bed.Pair) func() {
		poll(top, 1)
		return func() { poll(top, 0) }
	}},
}

// poll makes the kernel poll link0 of B in a thread of its own (1), or in the context of the sender (0).
func poll(top *bed.Topology, threaded int) {
	top.T.Helper()
	write := fmt.Sprintf("echo %d >/sys/class/net/link0/threaded", threaded)
	out, err := exec.Command("ip", "netns", "exec", top.B.Name(), "sh", "-c", write).CombinedOutput()
	if err != nil {
		top.T.Fatalf("%s: %v: %s", write, err, out)
	}
}

// Live frames that are lost without an error of the kernel are replayed: whatever happens to the link, no frame is
// lost, and frames go on.
func TestFaultsUnderLiveFrames(t *testing.T) {
	for _, f := range liveFaults {
		t.Run(f.name, func(t *testing.T) {
			top := bed.Direct(t)
			p := top.Daemons(bed.Lossless)
			sendsBy(p.A, "live", "")
			l := batches(top, t)
			sendsLive(p.A)
			end := f.begin(top, p)
			time.Sleep(time.Second)
			end()
			l.Reach(l.Least() + 10_000)
			is := p.A.Link()
			t.Logf("after the fault A sends by %s: %s; notice %q; %d live frames dropped, %d replayed of %d", is.TxPath,
				is.TxPathReason, is.Notice, is.Socket.TxLiveDropped, is.LLR.Counters.TxReplay, is.Counters.TxFrames)
			bed.NothingLost(t, l.End())
			p.NoFlush(t)
		})
	}
}
