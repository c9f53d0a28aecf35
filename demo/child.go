package demo

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"uelink/netns"
)

// childOutput is the most that is kept of what a child prints: its end.
const childOutput = 64 << 10

// child is a process inside a namespace. It has a process group of its own, so
// that Ctrl-C reaches only the demo, which then stops it; it dies with the demo.
type child struct {
	name   string
	cmd    *exec.Cmd
	stdout tail
	stderr tail
	ended  chan struct{} // closed when it has ended
}

// startChild runs a program with more in its environment ("NAME=value"). name is what
// messages call it.
func startChild(ns *netns.NS, name string, environment []string, path string, args ...string) (*child, error) {
	c := &child{name: name, cmd: exec.Command(path, args...), ended: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), environment...)
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := ns.Start(c.cmd); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		_ = c.cmd.Wait() // how it ended is in cmd.ProcessState
		close(c.ended)
	}()
	return c, nil
}

// running says whether it has not ended.
func (c *child) running() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// stop has it end in order, or by force when it takes longer than patience.
func (c *child) stop(patience time.Duration) error {
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-c.ended:
	case <-time.After(patience):
		_ = c.cmd.Process.Kill()
		<-c.ended
		return c.failure(fmt.Errorf("did not stop within %v", patience))
	}
	if !c.cmd.ProcessState.Success() {
		return c.failure(errors.New(c.cmd.ProcessState.String()))
	}
	return nil
}

// failure is an error of the child together with what it said. It has the
// child's exit code when that is one of usage, configuration or privilege.
func (c *child) failure(err error) error {
	err = fmt.Errorf("%s: %w", c.name, err)
	if said := strings.TrimSpace(c.stderr.String()); said != "" {
		err = fmt.Errorf("%w; it said:\n%s", err, indent(said))
	}
	if state := c.cmd.ProcessState; state != nil && (state.ExitCode() == exitUsage || state.ExitCode() == exitPrivilege) {
		return &Error{state.ExitCode(), err}
	}
	return err
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - childOutput; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// String is what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.ToValidUTF8(t.text, []byte("?")))
}
