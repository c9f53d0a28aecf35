package demo

import (
	"os/exec"
	"syscall"
	"time"

	"uelink/internal/netns"
	"uelink/lab/rig"
)

// child is a process of the demo. It has its own process group, so that Ctrl-C reaches only the demo, which then
// stops the child.
type child struct{ *rig.Process }

// apart gives a command its own process group.
func apart(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// startChild runs a program. name is its name in messages.
func startChild(ns *netns.NS, name, path string, args ...string) (child, error) {
	p, err := rig.Start(ns, name, apart(exec.Command(path, args...)))
	return child{p}, err
}

// stop sends SIGTERM, and SIGKILL after patience.
func (c child) stop(patience time.Duration) error {
	if err := c.Stop(patience); err != nil {
		return c.coded(err)
	}
	return nil
}

// failure adds to err the name and the standard error of the child.
func (c child) failure(err error) error { return c.coded(c.Failure(err)) }

// coded adds the child's exit code to err if the code is that of usage, configuration or privilege.
func (c child) coded(err error) error {
	state := c.Cmd.ProcessState
	if state != nil && (state.ExitCode() == exitUsage || state.ExitCode() == exitPrivilege) {
		return &Error{state.ExitCode(), err}
	}
	return err
}
