package drivers

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

var fillDispatcher = flag.Bool("dispatcher.fill", false,
	"TestFullDispatcher attaches 48 XDP programs, which count for the whole machine")

// places is the number of programs in the kernel's XDP dispatcher (BPF_DISPATCHER_MAX).
const places = 48

// attachMany attaches n programs to veths in a namespace of their own.
func attachMany(t testing.TB, n int) (programs []*bpf.Program) {
	t.Helper()
	ns := nstest.New(t, "many")
	for i := range n / 2 {
		bed.Must(t, netns.Veth(ns, nth("a", i), ns, nth("b", i), bed.EdgeMTU))
		for _, end := range []string{nth("a", i), nth("b", i)} {
			index, err := ns.Ifindex(end)
			bed.Must(t, err)
			bed.Must(t, ns.Do(func() error {
				p, err := bpf.Attach(index, bpf.Config{}, attach.ModeDriver)
				if err == nil {
					programs = append(programs, p)
					t.Cleanup(func() { p.Close() })
				}
				return err
			}))
		}
	}
	return programs
}

// Other programs have all places in the kernel's XDP dispatcher when the links start. One of them leaves: the kernel
// now takes milliseconds for each call of the links, until one has attached its program again and has the free place.
func TestFullDispatcher(t *testing.T) {
	if !*fillDispatcher {
		t.Skip("skipped, missing a machine of its own: make test-all has it (-dispatcher.fill)")
	}
	others := attachMany(t, places)
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	both := []*bed.Daemon{p.A, p.B}
	l := top.Batches(t, bed.Patience)
	for _, d := range both {
		d.SendsLive()
	}
	bed.Must(t, others[0].Close())
	bed.Eventually(t, "a link whose program is attached again", func() string {
		for _, d := range both {
			if strings.Contains(d.Link().Notice, "was slow to send live frames: the XDP program was attached again") {
				return ""
			}
		}
		return fmt.Sprintf("A: %q; B: %q", p.A.Link().Notice, p.B.Link().Notice)
	})
	for _, d := range both {
		d.SendsBy("live", "")
		d.SendsLive()
	}
	l.Reach(l.Least() + 10_000)
	for _, d := range both {
		got := d.Link()
		t.Logf("%s sends by %s: %s; notice %q; %d of %d frames left live", d.Name, got.TxPath, got.TxPathReason, got.Notice,
			got.Socket.TxLive, got.Counters.TxFrames)
	}
	bed.NothingLost(t, l.End())
	p.NoFlush(t)
}
