package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"uelink/internal/netns"
	"uelink/lab/rig"
)

// stopTimeout is how long a process may take to end after SIGTERM.
const stopTimeout = 10 * time.Second

// process is a forwarder or a tool.
type process struct {
	*rig.Process
	stdin io.Closer
}

// startOn starts a program in a namespace, bound to CPUs ("1", "0,1"). Its standard input stays open until stop:
// testpmd ends when it is closed.
func startOn(ns *netns.NS, cpus, name string, args ...string) (*process, error) {
	return startWith(ns, nil, cpus, name, args...)
}

// startWith starts a program as startOn does, in a namespace and bound to CPUs, with additional environment
// variables ("NAME=value").
func startWith(ns *netns.NS, environment []string, cpus, name string, args ...string) (*process, error) {
	cmd := exec.Command("taskset", append([]string{"-c", cpus, name}, args...)...)
	cmd.Env = append(os.Environ(), environment...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p, err := rig.Start(ns, filepath.Base(name), cmd)
	if err != nil {
		return nil, err
	}
	return &process{p, stdin}, nil
}

// stop sends SIGTERM to the process and waits for its end; after stopTimeout it sends SIGKILL. Only SIGKILL is an
// error, because testpmd does not exit with 0 after a signal.
func (p *process) stop() error {
	if p.stdin != nil {
		_ = p.stdin.Close() // an ended process is no error
	}
	err := p.Stop(stopTimeout)
	if !p.killed() {
		return nil
	}
	return err
}

// killed reports whether the process ended by SIGKILL.
func (p *process) killed() bool {
	status, ok := p.Cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// printed returns all that the process has written so far: standard output, then standard error.
func (p *process) printed() string { return p.Stdout.String() + p.Stderr.String() }

// wait waits until the process ends by itself, and returns its standard output. After the time within, it stops
// the process and returns an error.
func (p *process) wait(within time.Duration) (out []byte, err error) {
	select {
	case <-p.Ended:
		return []byte(p.Stdout.String()), nil
	case <-time.After(within):
		return nil, errors.Join(p.stop(), fmt.Errorf("%s did not end within %v", p.Name, within))
	}
}

// freeze stops the process (SIGSTOP) until thaw continues it.
func (p *process) freeze() { _ = p.Signal(syscall.SIGSTOP) }

func (p *process) thaw() { _ = p.Signal(syscall.SIGCONT) }

// failed returns an error with the last lines of output if the process has ended; nil while it runs.
func (p *process) failed() error {
	select {
	case <-p.Ended:
		lines := strings.Split(strings.TrimSpace(p.printed()), "\n")
		last := strings.Join(lines[max(0, len(lines)-5):], " | ")
		return fmt.Errorf("%s ended (%v): %s", p.Name, p.Cmd.ProcessState, last)
	default:
		return nil
	}
}

// await calls ready every 10 ms until it returns true. It returns an error if the process ends or 20 s pass; state
// names the wait in the error.
func (p *process) await(state string, ready func() bool) error {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if err := p.failed(); err != nil {
			return err
		}
		if ready() {
			return nil
		}
	}
	return errors.Join(p.stop(), fmt.Errorf("%s: no %s within 20 s: %s", p.Name, state, p.printed()))
}

func (p *process) cpuTime() (ns int64, err error) { return cpuTime(p.Cmd.Process.Pid, every) }

// awaitXDP waits until a process has attached XDP programs to all these interfaces of the namespace.
func awaitXDP(p *process, ns *netns.NS, ports []string) error {
	return p.await("XDP program on "+ports[len(ports)-1], func() bool {
		for _, ifname := range ports {
			if at, err := ns.Link(ifname); err != nil || at.Xdp == nil || !at.Xdp.Attached {
				return false
			}
		}
		return true
	})
}
