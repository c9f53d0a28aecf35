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

// apart makes a command run in a process group of its own, so that Ctrl-C does not reach it, and returns the
// command.
func apart(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// startChild starts the program at path in a namespace, in a process group of its own. name is the program's name
// in messages.
func startChild(ns *netns.NS, name, path string, args ...string) (child, error) {
	p, err := rig.Start(ns, name, apart(exec.Command(path, args...)))
	return child{p}, err
}

// stop sends SIGTERM to the child and waits for its end; after patience it sends SIGKILL. An end by SIGKILL or
// with an exit code other than 0 is an error.
func (c child) stop(patience time.Duration) error {
	if err := c.Stop(patience); err != nil {
		return c.coded(err)
	}
	return nil
}

// failure returns err with the name of the child, the end of its standard error and, where it has a meaning, its
// exit code.
func (c child) failure(err error) error { return c.coded(c.Failure(err)) }

// coded returns err as an Error with the child's exit code if the code stands for wrong usage, a wrong
// configuration or a missing privilege; else err.
func (c child) coded(err error) error {
	state := c.Cmd.ProcessState
	if state != nil && (state.ExitCode() == exitUsage || state.ExitCode() == exitPrivilege) {
		return &Error{state.ExitCode(), err}
	}
	return err
}
