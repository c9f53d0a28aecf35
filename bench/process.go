package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"uelink/netns"
)

// stopTimeout is what a process gets to end when it is asked to.
const stopTimeout = 10 * time.Second

// process is a forwarder's.
type process struct {
	name  string
	stdin io.Closer
	cmd   *exec.Cmd
	out   bytes.Buffer // both outputs; to be read when it has ended
	ended chan struct{}
}

// startOn starts a program in a namespace, tied to CPUs ("1", "0,1"). Its
// standard input stays open until it is stopped: testpmd ends with it.
func startOn(ns *netns.NS, cpus, name string, args ...string) (*process, error) {
	return startWith(ns, nil, cpus, name, args...)
}

// startWith is the same with more in its environment ("NAME=value").
func startWith(ns *netns.NS, environment []string, cpus, name string, args ...string) (*process, error) {
	p := &process{name: filepath.Base(name), ended: make(chan struct{})}
	p.cmd = exec.Command("taskset", append([]string{"-c", cpus, name}, args...)...)
	p.cmd.Env = append(os.Environ(), environment...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	if err := ns.Start(p.cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in ProcessState
		close(p.ended)
	}()
	return p, nil
}

// stop asks it to end, and has it killed if it does not.
func (p *process) stop() error {
	_, _ = p.stdin.Close(), p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill()
		<-p.ended
		return fmt.Errorf("%s did not end within %v of SIGTERM", p.name, stopTimeout)
	}
	return nil
}

// wait waits until it ends by itself, and is what it has written.
func (p *process) wait(within time.Duration) (out []byte, err error) {
	select {
	case <-p.ended:
		return p.out.Bytes(), nil
	case <-time.After(within):
		return nil, errors.Join(p.stop(), fmt.Errorf("%s did not end within %v", p.name, within))
	}
}

// freeze takes its CPU away, until thaw.
func (p *process) freeze() { _ = p.cmd.Process.Signal(syscall.SIGSTOP) } // failed tells of an end

func (p *process) thaw() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }

// failed is the error that a process should have been running still.
func (p *process) failed() error {
	select {
	case <-p.ended:
		said := strings.Split(strings.TrimSpace(p.out.String()), "\n")
		last := strings.Join(said[max(0, len(said)-5):], " | ")
		return fmt.Errorf("%s ended (%v): %s", p.name, p.cmd.ProcessState, last)
	default:
		return nil
	}
}

// await waits until ready says so.
func (p *process) await(what string, ready func() bool) error {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if err := p.failed(); err != nil {
			return err
		}
		if ready() {
			return nil
		}
	}
	return errors.Join(p.stop(), fmt.Errorf("%s: no %s within 20 s: %s", p.name, what, p.out.String()))
}

func (p *process) cpuTime() (ns int64, err error) { return cpuTime(p.cmd.Process.Pid, every) }

// awaitXDP waits until a process has its XDP programs on its interfaces.
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
