package links

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/bed"
)

// The status names the path of each link and the reason, and frames of either path arrive once and in order.
func TestPathOfALink(t *testing.T) {
	for _, c := range []struct{ link, path, reason string }{
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
				d.SendsBy(c.path, c.reason)
			}
			run := top.Between()
			run.Size, run.Frames, run.Window, run.RingSize = "imix", 30_000, 2048, 4096
			bed.Untouched(t, run)
			for _, d := range []*bed.Daemon{p.A, p.B} {
				got := d.Link()
				if live := got.Socket.TxLive; (live > 0) != (c.path == "live") {
					t.Errorf("%s: %d of %d frames left live", d.Name, live, got.Counters.TxFrames)
				}
				t.Logf("%s: %d of %d frames left live, %d were dropped", d.Name, got.Socket.TxLive,
					got.Counters.TxFrames, got.Socket.TxLiveDropped)
			}
			p.NoFlush(t)
		})
	}
}

// A link over a veth with several queues, and an edge, send by AF_XDP; so does a link whose other end has no program.
func TestLinksThatDoNotSendLive(t *testing.T) {
	t.Parallel()
	queued := bed.Queued(t)
	p := queued.Daemons(bed.Settings{}.ByFrame())
	p.A.SendsBy("af_xdp", "several queues")
	if e := p.A.Edge(); e.TxPath != "af_xdp" || !strings.Contains(e.TxPathReason, "on links only") {
		t.Errorf("the edge sends by %s: %s", e.TxPath, e.TxPathReason)
	}
	alone := bed.Direct(t)
	a := bed.NewDaemon(t, alone.A, "A alone", bed.Settings{})
	a.Start()
	a.SendsBy("af_xdp", "the other end of a veth has no XDP program")
	choseOnce(a, "the other end of a veth has no XDP program")
}

// choseOnce demands that a daemon has logged the path of its link once, with a text that contains reason.
func choseOnce(d *bed.Daemon, reason string) {
	d.T.Helper()
	d.AwaitLogWords("TX path chosen")
	var lines []string
	for line := range strings.Lines(d.Stderr.String()) {
		if strings.Contains(line, "TX path chosen") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 || !strings.Contains(lines[0], `"port":"link0"`) || !strings.Contains(lines[0], reason) {
		d.T.Errorf("want one line with %q, the log has %q", reason, lines)
	}
}

// A kernel that refuses to run the XDP program with live frames: the link sends by AF_XDP, and the status and one line
// of the log say why.
func TestKernelRefusesLiveFrames(t *testing.T) {
	for _, c := range []struct {
		errno  unix.Errno
		reason string
	}{
		{unix.EINVAL, "invalid argument"},
		{524, "operation not supported"}, // ENOTSUPP
		{unix.EPERM, "seccomp"},
	} {
		t.Run(c.errno.Error(), func(t *testing.T) {
			top := bed.Direct(t)
			p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Lossless), B: bed.NewDaemon(t, top.B, "B", bed.Lossless)}
			p.A.Process = bed.Start(t, p.A.NS, p.A.Name, refuseTestRun(c.errno, p.A.Command()))
			p.A.AwaitNotify("READY=1")
			p.B.Start()
			p.Advance()
			p.A.SendsBy("af_xdp", c.reason)
			p.B.SendsBy("live", "")
			run := top.Between()
			run.Size, run.Frames, run.Window, run.RingSize = "imix", 20_000, 2048, 4096
			bed.Untouched(t, run)
			if live := p.A.Link().Socket.TxLive; live > 0 {
				t.Errorf("%d frames left live", live)
			}
			p.A.SendsBy("af_xdp", c.reason)
			choseOnce(p.A, c.reason)
			p.NoFlush(t)
		})
	}
}
