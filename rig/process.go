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

	"uelink/netns"
)

// Process is a program that was started in a namespace. It dies with the process that started it.
type Process struct {
	Name   string // what messages call it
	Cmd    *exec.Cmd
	Stdout *Output
	Stderr *Output
	Ended  chan struct{} // closed when it has ended; Cmd.ProcessState says how
}

// Start starts a command in a namespace and keeps what it says.
func Start(ns *netns.NS, name string, cmd *exec.Cmd) (*Process, error) {
	p := &Process{Name: name, Cmd: cmd, Stdout: &Output{}, Stderr: &Output{}, Ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.Stdout, p.Stderr
	if err := ns.Start(cmd); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		_ = cmd.Wait() // how it ended is in cmd.ProcessState
		close(p.Ended)
	}()
	return p, nil
}

// Running tells whether it has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.Ended:
		return false
	default:
		return true
	}
}

// Stop asks it to end, by SIGTERM, and kills it when that takes longer than patience. An error says that it was
// killed, or that it ended with another code than 0.
func (p *Process) Stop(patience time.Duration) error {
	_ = p.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-p.Ended:
	case <-time.After(patience):
		p.Kill()
		return p.Failure(fmt.Errorf("it did not end within %v of SIGTERM", patience))
	}
	if !p.Cmd.ProcessState.Success() {
		return p.Failure(errors.New(p.Cmd.ProcessState.String()))
	}
	return nil
}

// Signal sends it a signal. An error is os.ErrProcessDone where it has ended.
func (p *Process) Signal(s os.Signal) error { return p.Cmd.Process.Signal(s) }

// Kill ends it at once and waits for that.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill() // it may have ended
	<-p.Ended
}

// Failure is an error of the process, with the end of what it said on standard error.
func (p *Process) Failure(err error) error {
	err = fmt.Errorf("%s: %w", p.Name, err)
	said := strings.TrimSpace(p.Stderr.String())
	if said == "" {
		return err
	}
	if over := len(said) - shownOutput; over > 0 {
		said = "…" + said[over:]
	}
	return fmt.Errorf("%w; it said:\n  %s", err, strings.ReplaceAll(said, "\n", "\n  "))
}

// shownOutput is the most octets of what a process said that an error shows.
const shownOutput = 64 << 10
