package demo

import (
	"os/exec"
	"syscall"
	"time"

	"uelink/netns"
	"uelink/rig"
)

// child is a process of the demo. It has a process group of its own, so that Ctrl-C reaches only the demo, which
// then stops it.
type child struct{ *rig.Process }

// apart gives a command a process group of its own.
func apart(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// startChild runs a program. name is what messages call it.
func startChild(ns *netns.NS, name, path string, args ...string) (child, error) {
	p, err := rig.Start(ns, name, apart(exec.Command(path, args...)))
	return child{p}, err
}

// stop has it end in order, or by force when it takes longer than patience.
func (c child) stop(patience time.Duration) error {
	if err := c.Stop(patience); err != nil {
		return c.coded(err)
	}
	return nil
}

// failure is an error of the child together with what it said.
func (c child) failure(err error) error { return c.coded(c.Failure(err)) }

// coded gives an error the child's exit code when that is one of usage, configuration or privilege.
func (c child) coded(err error) error {
	state := c.Cmd.ProcessState
	if state != nil && (state.ExitCode() == exitUsage || state.ExitCode() == exitPrivilege) {
		return &Error{state.ExitCode(), err}
	}
	return err
}
