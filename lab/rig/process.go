// Package rig runs programs in network namespaces, uelinkd among them: for the demo, the conformance cases, the
// benchmarks and the tests with real daemons.
package rig

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"uelink/internal/netns"
)

// Process is a program started in a namespace. The program dies with its parent.
type Process struct {
	Name   string // its name in messages
	Cmd    *exec.Cmd
	Stdout *Output
	Stderr *Output
	Ended  chan struct{} // closed when the process has ended; Cmd.ProcessState says how
}

// Start starts a command in a namespace and collects its output. It does not wait for the end. name is the
// process's name in messages.
func Start(ns *netns.NS, name string, cmd *exec.Cmd) (*Process, error) {
	p := &Process{Name: name, Cmd: cmd, Stdout: &Output{}, Stderr: &Output{}, Ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.Stdout, p.Stderr
	if err := ns.Start(cmd); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		_ = cmd.Wait() // cmd.ProcessState has the result
		close(p.Ended)
	}()
	return p, nil
}

// Running reports whether the process has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.Ended:
		return false
	default:
		return true
	}
}

// Stop sends SIGTERM and waits until the process has ended. After patience, it kills the process. Stop returns an
// error if the process was killed, or ended with another code than 0.
func (p *Process) Stop(patience time.Duration) error {
	_ = p.Signal(syscall.SIGTERM) // an ended process is no error
	select {
	case <-p.Ended:
	case <-time.After(patience):
		p.Kill()
		return p.Failure(fmt.Errorf("the process did not end within %v of SIGTERM, and was killed", patience))
	}
	if !p.Cmd.ProcessState.Success() {
		return p.Failure(errors.New(p.Cmd.ProcessState.String()))
	}
	return nil
}

// Signal sends a signal to the process. The error is os.ErrProcessDone if the process has ended.
func (p *Process) Signal(s os.Signal) error { return p.Cmd.Process.Signal(s) }

// Kill kills the process and waits until it has ended. A process started with Setpgid is killed with its process group,
// all members at once: the successors of an upgraded daemon hold the output open, too, and a successor that outlived
// the daemon would take over when the daemon ends.
func (p *Process) Kill() {
	if p.Cmd.SysProcAttr.Setpgid {
		_ = syscall.Kill(-p.Cmd.Process.Pid, syscall.SIGKILL) // an ended process is no error
	}
	_ = p.Cmd.Process.Kill()
	<-p.Ended
}

// Failure returns err with the name of the process and the end of its standard error.
func (p *Process) Failure(err error) error {
	err = fmt.Errorf("%s: %w", p.Name, err)
	output := strings.TrimSpace(p.Stderr.String())
	if output == "" {
		return err
	}
	if over := len(output) - shownOutput; over > 0 {
		output = "…" + output[over:]
	}
	return fmt.Errorf("%w; it said:\n  %s", err, strings.ReplaceAll(output, "\n", "\n  "))
}

// shownOutput is how many octets of a process's standard error Failure shows at most.
const shownOutput = 64 << 10
