package restarts

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/llr"
	"uelink/wire"
)

// A transmitter that has given its partner up stays in FLUSH across an upgrade, and comes up with the partner.
func TestUpgradeDuringFlush(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{Profile: "max_replay_count: 2, hold_timeout: 50ms, re_init_on_flush: false"})
	p.A.EndsLast()
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	bed.AwaitCrossing(hostA, hostB, bed.Patience)
	p.B.Freeze()
	for n := range uint32(20) {
		hostA.Send(bed.Probe(n, wire.MinFrameLen))
	}
	inFlush := func() string {
		if got := p.A.LLR().TxStatus; got != llr.TxFlush {
			return got.String()
		}
		return ""
	}
	bed.Eventually(t, "FLUSH", inFlush)
	before := p.A.LLRCounters()
	p.A.Upgrade()
	if problem := inFlush(); problem != "" {
		t.Errorf("after the upgrade it is in %s", problem)
	}
	if after := p.A.LLRCounters(); after.TxFlush != before.TxFlush || after.TxFlushedFrames != before.TxFlushedFrames {
		t.Errorf("%+v, before %+v", after, before)
	}
	p.B.Signal(syscall.SIGCONT)
	bed.Must(t, p.A.Client.ReinitLLR(t.Context(), "link0"))
	p.Advance()
	hostB.Drain()
	bed.AwaitCrossing(hostA, hostB, bed.Patience)
}

// A virtual channel that is on its way out of its credits or back goes on across an upgrade: nothing is lost, and no
// credit.
func TestUpgradeDuringTransactionOfAVirtualChannel(t *testing.T) {
	t.Parallel()
	credited := bed.Lossless
	credited.Link = "cbfc: {mode: static, vcs: [{index: 0, lossless: true}]}"
	top := bed.Direct(t)
	p := top.Daemons(credited)
	p.A.EndsLast()
	phase := func(want string) {
		t.Helper()
		bed.Eventually(t, "VC 0 "+want, func() string {
			if v := p.A.VC(0); v.Phase != want {
				return fmt.Sprintf("it is %s %s", v.Phase, v.Note)
			}
			return ""
		})
	}
	phase("lossless")
	b := flowBothWays(t, top, slowRate)
	for i, want := range []string{"best_effort", "lossless"} {
		p.B.Freeze() // so that nobody answers
		bed.Must(t, p.A.Client.SetVC(t.Context(), "link0", 0, i == 1))
		if got := p.A.VC(0).Phase; got == want {
			t.Errorf("it is %s without an answer", got)
		}
		p.A.Upgrade()
		if got := p.A.VC(0).Phase; got == want {
			t.Errorf("it is %s without an answer, after the upgrade", got)
		}
		p.B.Signal(syscall.SIGCONT)
		phase(want)
	}
	b.whole()
	if v := p.A.VC(0); v.Counters.Repaired+v.Counters.Refused > 0 {
		t.Errorf("%+v", v)
	}
}

// An address that moves to another port while its bridge is upgraded is found there.
func TestUpgradeDuringMoveInABridge(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	hostC := top.Host(top.A, "edge1")
	p := top.Bridges(bed.Switching.At("edge0", "edge1"), bed.Switching)
	p.A.EndsLast()
	const mover = 9
	caller := bed.NewTalker(t, top.HostB, 1)
	places := []*bed.Talker{bed.NewTalker(t, top.HostA, mover), bed.NewTalker(t, hostC, mover)}
	c := bed.NewTalk(t, places[0], places[1], caller)
	for i := range 4 {
		place := places[i%2]
		moved := make(chan error, 1)
		go func() { moved <- p.A.Client.Upgrade(t.Context(), api.Upgrade{}) }()
		hello, call := c.Stream(place, 0, caller), c.Stream(caller, 0, place)
		c.SendNext(hello, 50) // before, while and after the daemon hands over
		bed.Must(t, <-moved)
		c.Complete(hello, caller)
		c.SendNext(call, 50)
		c.Complete(call, place)
	}
	c.End()
}

// A reload that comes while the daemon hands over is made by one of the two processes.
func TestUpgradeDuringReload(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	p.A.EndsLast()
	b := flowBothWays(t, top, slowRate)
	for i := range 4 {
		size := 77 + i
		s := bed.Lossless
		s.Profile += fmt.Sprintf(", max_outstanding_frames: %d", size)
		asked := make(chan error, 1)
		if i%2 == 0 {
			go func() { asked <- p.A.Client.Upgrade(t.Context(), api.Upgrade{}) }()
		}
		p.A.Write(s.Text(p.A.Socket))
		bed.Must(t, syscall.Kill(p.A.PID(), syscall.SIGHUP))
		if i%2 == 1 {
			go func() { asked <- p.A.Client.Upgrade(t.Context(), api.Upgrade{}) }()
		}
		bed.Must(t, <-asked)
		bed.Eventually(t, "the new window", func() string {
			if w := window(p.A); w != float64(size) {
				return fmt.Sprintf("it is %v", w)
			}
			return ""
		})
		p.A.AwaitNotify("READY=1") // of the reload
	}
	b.whole()
}

// A start that nobody has confirmed is not handed over. After a confirmation it is, and the next reload has to be
// confirmed to the successor.
func TestUpgradeBeforeConfirmation(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", bed.Lossless)
	cmd := d.Command()
	cmd.Args = append(cmd.Args, "--confirm", "1h")
	d.Process = bed.Start(t, d.NS, d.Name, cmd)
	d.AwaitNotify("READY=1")
	before := d.PID()
	refused(t, d, before, d.Client.Upgrade(t.Context(), api.Upgrade{}), "uelink confirm")
	bed.Must(t, d.Client.Confirm(t.Context()))
	d.EndsLast()
	d.Upgrade()
	d.Write(strings.Replace(bed.Lossless.Text(d.Socket), "level: debug", "level: info", 1))
	bed.Must(t, syscall.Kill(d.PID(), syscall.SIGHUP))
	bed.Eventually(t, "a reload that waits for its confirmation", func() string {
		if status, err := d.Client.Status(t.Context()); err != nil || status.Confirm == 0 {
			return fmt.Sprintf("%+v, %v", status, err)
		}
		return ""
	})
	bed.Must(t, d.Client.Confirm(t.Context()))
}

// With an interface that has just gone an upgrade is made or refused: the other ports lose nothing, and when the
// interface is there again the daemon is upgraded with it.
func TestUpgradeWithoutAnInterfaceThatHasGone(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	top.Host(top.A, "edge1")
	p := top.Bridges(bed.Switching.At("edge0", "edge1"), bed.Switching)
	p.A.EndsLast()
	b := flowBothWays(t, top, slowRate)
	bed.Must(t, top.A.DeleteLink("edge1"))
	t.Log(p.A.Client.Upgrade(t.Context(), api.Upgrade{})) // before the daemon has noticed, or later
	p.A.OperStatus("edge1", "absent")
	bed.Eventually(t, "an upgrade without the interface", func() string {
		if err := p.A.Client.Upgrade(t.Context(), api.Upgrade{}); err != nil {
			return err.Error()
		}
		return ""
	})
	bed.Must(t, netns.Veth(top.MoreHosts[0], "eth0", top.A, "edge1", bed.EdgeMTU))
	p.A.OperStatus("edge1", "up")
	p.A.Upgrade()
	p.A.OperStatus("edge1", "up")
	b.whole()
}
