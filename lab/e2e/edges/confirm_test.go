package edges

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// confirming makes a daemon in A that must be confirmed within a time.
func confirming(d *bed.Daemon, limit string) {
	d.T.Helper()
	cmd := d.Command()
	cmd.Args = append(cmd.Args, "--confirm", limit)
	d.Process = bed.Start(d.T, d.NS, d.Name, cmd)
	d.AwaitNotify("READY=1")
}

// confirm runs `uelink confirm`.
func confirm(d *bed.Daemon) {
	d.T.Helper()
	bed.Run(d.T, d.NS, exec.Command(bed.Program("uelink"), "--socket", d.Socket, "confirm"))
}

// TestNotConfirmedIsTakenBack: a NIC is restored when nobody confirms the start.
func TestNotConfirmedIsTakenBack(t *testing.T) {
	t.Parallel()
	top := nics(t)
	top.Cable()
	before := network(t, top.A)
	ssh := dial(top, nicB)
	a := bed.NewDaemon(t, top.A, "A", bed.CreatedEdge(bed.Lossless, bed.AddressA))
	confirming(a, "2s")
	began := time.Now()
	same(t, top.A, before, true)
	if code := a.Wait(); code != 4 {
		t.Errorf("exit %d", code)
	}
	t.Logf("it has ended %v after it was ready", time.Since(began))
	same(t, top.A, before, false)
	a.AwaitLogLines("not confirmed within 2s")
	ssh.lives("after it was taken back")

	confirming(a, "1h")
	confirm(a)
	a.AwaitLogLines("confirmed over the control socket")
	if code := a.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	a.Down()
	same(t, top.A, before, false)
}

// TestReloadThatIsNotConfirmedIsTakenBack: the address that a reload gives the host's veth is removed again, and the
// host and the daemon go on.
func TestReloadThatIsNotConfirmedIsTakenBack(t *testing.T) {
	t.Parallel()
	top := nics(t)
	top.Cable()
	before := network(t, top.A)
	ssh := dial(top, nicB)
	a := bed.NewDaemon(t, top.A, "A", bed.CreatedEdge(bed.Lossless, bed.AddressA))
	confirming(a, "4s")
	confirm(a)
	const other = "10.99.0.1"
	a.Reload(bed.CreatedEdge(bed.Lossless, other).Text(a.Socket))
	if out := addresses(t, top.A, "uelink0"); !strings.Contains(out, other) {
		t.Error(out)
	}
	a.AwaitNotify("RELOADING=1")
	a.AwaitNotify("READY=1")
	a.AwaitLogWords("the reload was not confirmed: the previous configuration is in force again")
	if out := addresses(t, top.A, "uelink0"); strings.Contains(out, other) || !strings.Contains(out, bed.AddressA) {
		t.Error(out)
	}
	ssh.lives("after the reload was taken back")
	same(t, top.A, before, true)

	a.Reload(bed.CreatedEdge(bed.Lossless, other).Text(a.Socket))
	confirm(a)
	if out := addresses(t, top.A, "uelink0"); !strings.Contains(out, other) {
		t.Error(out)
	}
	if code := a.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	a.Down()
	same(t, top.A, before, false)
}
