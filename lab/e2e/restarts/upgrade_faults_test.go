package restarts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/client"
	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// slowRate is a rate in frames a second at which the frames of some seconds have room in the RX rings.
const slowRate = 1000

// bothWays is a flow each way between the hosts.
type bothWays struct {
	t        *testing.T
	from, to *flow
}

// flowBothWays starts a flow each way, once frames cross.
func flowBothWays(t *testing.T, top *bed.Topology, rate float64) bothWays {
	t.Helper()
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	bed.AwaitCrossing(hostA, hostB, bed.Patience)
	bed.AwaitCrossing(hostB, hostA, bed.Patience)
	hostA.Drain()
	hostB.Drain()
	return bothWays{t, flowsAt(rate, hostA, hostB), flowsAt(rate, hostB, hostA)}
}

// whole ends the flows, and demands every frame.
func (b bothWays) whole() {
	b.t.Helper()
	for name, f := range map[string]*flow{"a to b": b.from, "b to a": b.to} {
		if gaps := f.end(b.t); len(gaps) > 0 {
			b.t.Errorf("%s: of %d frames %d never came: %v", name, f.sent, missing(gaps), gaps)
		}
	}
	b.t.Logf("%d and %d frames", b.from.sent, b.to.sent)
}

// refused demands that an upgrade has failed with these words, and that the daemon goes on.
func refused(t *testing.T, d *bed.Daemon, before int, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: it was upgraded", d.Name)
		return
	}
	if problem := said(err.Error(), words...); problem != nil {
		t.Error(problem)
	}
	if got := d.PID(); got != before {
		t.Errorf("process %d answers, not %d", got, before)
	}
}

// A successor that ends or hangs at any moment before it has moved a frame changes nothing.
func TestSuccessorThatFailsAtAnyMoment(t *testing.T) {
	m := newMischief(t)
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	before, b := p.A.PID(), flowBothWays(t, top, slowRate)
	for _, c := range []struct{ moment, harm, text string }{
		{beforeReady, killSuccessor, `waiting for "ready"`},
		{beforeOffer, killSuccessor, "this daemon goes on"},
		{beforeMapped, killSuccessor, `waiting for "mapped"`},
		{beforeState, killSuccessor, "this daemon goes on"},
		{beforeAdopted, killSuccessor, `waiting for "adopted"`},
		{beforeGo, killSuccessor, `waiting for "running"`},
		{beforeAdopted, hangSuccessor, "i/o timeout"},
		{beforeGo, hangSuccessor, "i/o timeout"},
	} {
		err := m.upgrade(t, p.A, c.moment, c.harm)
		t.Logf("%s %s: %v", c.harm, c.moment, err)
		refused(t, p.A, before, err, c.text, "this daemon goes on")
	}
	b.whole()
	if c := p.B.LLRCounters(); c.PartnerRestart+c.PartnerResumed+c.TxFlushedFrames > 0 {
		t.Errorf("the partner has noticed: %+v", c)
	}
}

// A daemon that is killed after it has handed its state over is missed by nobody: the successor begins.
func TestDaemonKilledWhileItHandsOver(t *testing.T) {
	m := newMischief(t)
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	p.A.EndsLast()
	b := flowBothWays(t, top, slowRate)
	for _, moment := range []string{beforeAdopted, beforeGo, afterGo} {
		before := p.A.PID()
		if err := m.upgrade(t, p.A, moment, killDaemon); err == nil {
			t.Errorf("%s: a killed daemon has answered", moment)
		}
		bed.Eventually(t, "the successor", func() string {
			if status, err := p.A.Client.Status(t.Context()); err != nil || status.PID == before {
				return fmt.Sprintf("%+v, %v", status, err)
			}
			return ""
		})
	}
	b.whole()
	if c := p.B.LLRCounters(); c.PartnerRestart+c.PartnerResumed+c.TxFlushedFrames > 0 {
		t.Errorf("the partner has noticed: %+v", c)
	}
}

// A successor that is killed just after it was let go has perhaps moved frames. Either the daemon goes on, and nothing
// is lost, or it ends as if it were killed, and the next start loses what a kill loses: nothing comes twice or late.
func TestSuccessorKilledAsItBegins(t *testing.T) {
	m := newMischief(t)
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	b := flowBothWays(t, top, slowRate)
	ended := 0
	for range 3 {
		err := m.upgrade(t, p.A, afterGo, killSuccessor)
		t.Log(err)
		if status, err := p.A.Client.Status(t.Context()); err == nil && status.PID == p.A.Cmd.Process.Pid {
			continue
		}
		ended++
		if code := p.A.Wait(); code != 1 {
			t.Errorf("exit %d", code)
		}
		p.A.Start()
		p.Advance()
	}
	if ended == 0 {
		b.whole()
		return
	}
	t.Logf("%d times the daemon has ended; never came: %v, %v", ended, b.from.end(t), b.to.end(t))
}

// A daemon that is told to end while it hands over ends in good order: before it has let go itself, and then by its
// successor.
func TestDaemonToldToEndWhileItHandsOver(t *testing.T) {
	m := newMischief(t)
	top := bed.Direct(t)
	before := owned(top, t)
	b := bed.NewDaemon(t, top.B, "B", bed.Lossless)
	b.Start()
	a := bed.NewDaemon(t, top.A, "A", bed.Lossless)
	for _, moment := range []string{beforeReady, beforeAdopted, beforeGo, afterGo} {
		a.Start()
		bed.Pair{A: a, B: b}.Advance()
		err := m.upgrade(t, a, moment, terminateDaemon)
		t.Logf("%s: %v", moment, err)
		if code := a.Wait(); code != 0 { // with its successor, which has the same output
			t.Errorf("%s: exit %d", moment, code)
		}
		a.AwaitLogLines("drained")
		if moment == beforeReady { // later the signal comes in time or not
			if err == nil {
				t.Errorf("%s: it was upgraded", moment)
			} else if problem := said(err.Error(), "has got a signal to end"); problem != nil {
				t.Error(problem)
			}
		}
	}
	b.Kill() // a veth restores its segmentation only when its other end has no XDP program
	b.HasNoXDP()
	a.Start()
	ends(top, t, a, before)
}

// Of two upgrades at once at least one is made, and the other is made too or says why not.
func TestTwoUpgradesAtOnce(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	p.A.EndsLast()
	b := flowBothWays(t, top, slowRate)
	var asked sync.WaitGroup
	var errs [3]error
	for i := range errs {
		asked.Go(func() {
			c := client.NewClient(p.A.Socket)
			defer c.Close()
			errs[i] = c.Upgrade(t.Context(), api.Upgrade{})
		})
	}
	asked.Wait()
	created := 0
	for _, err := range errs {
		switch {
		case err == nil:
			created++
		case said(err.Error(), "another request") != nil && said(err.Error(), "EOF") != nil &&
			said(err.Error(), "connection reset") != nil:
			t.Error(err)
		}
	}
	t.Logf("%d of %d: %v", created, len(errs), errs)
	if created == 0 {
		t.Error("none was made")
	}
	b.whole()
}

// Without descriptors, on a full disk and without a program that can run there is no upgrade, or it does not matter.
func TestUpgradeWithTooLittle(t *testing.T) {
	top := bed.Direct(t)
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Lossless), B: bed.NewDaemon(t, top.B, "B", bed.Lossless)}
	full(t, p.A.Rig.State)
	var limit unix.Rlimit
	bed.Must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	limit.Cur = limit.Max // so that Go leaves the limit as it is, and a successor has the limit of the daemon
	bed.Must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, (*syscall.Rlimit)(&limit)))
	p.Start()
	p.A.EndsLast()
	before, b := p.A.PID(), flowBothWays(t, top, slowRate)
	for _, u := range unfit(t) {
		err := p.A.Client.Upgrade(t.Context(), api.Upgrade{Binary: u.path})
		t.Logf("%s: %v", filepath.Base(u.path), err)
		refused(t, p.A, before, err, u.text)
	}
	fewDescriptors(t, p.A, limit.Max)
	b.whole()
}

// fewDescriptors raises the number of files that a daemon may have open until an upgrade succeeds. Before each upgrade
// that fails the status says that, and how many files are enough.
func fewDescriptors(t *testing.T, d *bed.Daemon, most uint64) {
	t.Helper()
	pid := d.PID()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	bed.Must(t, err)
	permit := func(n uint64) {
		t.Helper()
		bed.Must(t, unix.Prlimit(pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: most}, nil))
	}
	trouble := func() string {
		t.Helper()
		status, err := d.Client.Status(t.Context())
		bed.Must(t, err)
		return strings.Join(status.Troubles, "; ")
	}
	needs := uint64(0)
	for n := uint64(len(open)) + 2; ; n += 3 { // two for the request of the status
		permit(n)
		text := trouble()
		err := d.Client.Upgrade(t.Context(), api.Upgrade{Check: true})
		t.Logf("%d descriptors: %q: %v", n, text, err)
		if err == nil {
			break
		}
		_, after, ok := strings.Cut(text, "it needs ")
		if _, wrong := fmt.Sscan(after, &needs); !ok || wrong != nil || n >= needs {
			t.Fatalf("with %d descriptors there is no upgrade (%v), and the status says %q", n, err, text)
		}
	}
	permit(needs + 8) // requests that were under way do not count
	if text := trouble(); text != "" {
		t.Errorf("with 8 descriptors more than the status has asked for, %d, it says %q", needs, text)
	}
	bed.Must(t, d.Client.Upgrade(t.Context(), api.Upgrade{}))
	open, err = os.ReadDir(fmt.Sprintf("/proc/%d/fd", d.PID()))
	bed.Must(t, err)
	if n := uint64(len(open)); n > needs {
		t.Errorf("the successor has %d descriptors, and the status has asked for %d", n, needs)
	}
}

// full makes a folder a file system of its own, without room.
func full(t *testing.T, dir string) {
	t.Helper()
	bed.Must(t, os.MkdirAll(filepath.Join(dir, "interfaces"), 0o755))
	bed.Must(t, unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"))
	t.Cleanup(func() { bed.Must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
}

// unfit is programs that cannot be executed, and what is said of them.
func unfit(t *testing.T) (list []struct{ path, text string }) {
	t.Helper()
	dir := t.TempDir()
	octets, err := os.ReadFile(bed.Program("uelinkd"))
	bed.Must(t, err)
	other := slices.Clone(octets)
	other[18] ^= 0xFF // e_machine of the ELF header
	for name, text := range map[string][]byte{
		"another architecture": other, "cut short": octets[:4096], "empty": nil, "text": []byte("hello"),
	} {
		path := filepath.Join(dir, name)
		bed.Must(t, os.WriteFile(path, text, 0o755))
		said := "exec format error"
		if name == "cut short" {
			said = "this daemon goes on"
		}
		list = append(list, struct{ path, text string }{path, said})
	}
	return list
}
