package e2e

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// confirming makes a daemon in A that must be confirmed within a time.
func (d *daemon) confirming(limit string) {
	d.t.Helper()
	cmd := d.command()
	cmd.Args = append(cmd.Args, "--confirm", limit)
	d.process = start(d.t, d.ns, d.name, cmd)
	d.told("READY=1")
}

// confirm runs `uelink confirm`.
func (d *daemon) confirm() {
	d.t.Helper()
	say(d.t, d.ns, exec.Command(program("uelink"), "--socket", d.socket, "confirm"))
}

// logs waits until the log has some words.
func (d *daemon) logs(words string) {
	d.t.Helper()
	eventually(d.t, "the log to say "+words, func() string {
		if !strings.Contains(d.stderr.String(), words) {
			return "it does not"
		}
		return ""
	})
}

// TestNotConfirmedIsTakenBack: a NIC is restored when nobody confirms the start.
func TestNotConfirmedIsTakenBack(t *testing.T) {
	t.Parallel()
	top := nics(t)
	top.cable()
	before := network(t, top.A)
	ssh := top.dial(nicB)
	a := newDaemon(t, top.A, "A", created(lossless, addressA))
	a.confirming("2s")
	began := time.Now()
	same(t, top.A, before, true)
	if code := a.wait(); code != 4 {
		t.Errorf("exit %d", code)
	}
	t.Logf("it has ended %v after it was ready", time.Since(began))
	same(t, top.A, before, false)
	a.says("not confirmed within 2s")
	ssh.lives("after it was taken back")

	a.confirming("1h")
	a.confirm()
	a.says("confirmed by control")
	if code := a.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	same(t, top.A, before, false)
}

// TestReloadThatIsNotConfirmedIsTakenBack: the address that a reload gives the host's veth is removed again, and the
// host and the daemon go on.
func TestReloadThatIsNotConfirmedIsTakenBack(t *testing.T) {
	t.Parallel()
	top := nics(t)
	top.cable()
	before := network(t, top.A)
	ssh := top.dial(nicB)
	a := newDaemon(t, top.A, "A", created(lossless, addressA))
	a.confirming("4s")
	a.confirm()
	const other = "10.99.0.1"
	a.reload(created(lossless, other).text(a.socket))
	if out := addresses(t, top.A, "uelink0"); !strings.Contains(out, other) {
		t.Error(out)
	}
	a.told("RELOADING=1")
	a.told("READY=1")
	a.logs("the reload was not confirmed: the previous configuration is in force again")
	if out := addresses(t, top.A, "uelink0"); strings.Contains(out, other) || !strings.Contains(out, addressA) {
		t.Error(out)
	}
	ssh.lives("after the reload was taken back")
	same(t, top.A, before, true)

	a.reload(created(lossless, other).text(a.socket))
	a.confirm()
	if out := addresses(t, top.A, "uelink0"); !strings.Contains(out, other) {
		t.Error(out)
	}
	if code := a.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	same(t, top.A, before, false)
}
