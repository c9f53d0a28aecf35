package e2e

import (
	"os/exec"
	"testing"
	"time"
)

// confirming is a daemon of A with a time to be confirmed in.
func (d *daemon) confirming(limit string) {
	d.t.Helper()
	cmd := d.command()
	cmd.Args = append(cmd.Args, "--confirm", limit)
	d.process = start(d.t, d.ns, d.name, cmd)
	d.told("READY=1")
}

// TestNotConfirmedIsTakenBack: a NIC is what it was before when nobody has confirmed the start.
func TestNotConfirmedIsTakenBack(t *testing.T) {
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
	say(t, top.A, exec.Command(program("uelink"), "--socket", a.socket, "confirm"))
	a.says("confirmed by control")
	if code := a.terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	same(t, top.A, before, false)
}
