package bed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/rig"
)

// Patience bounds the wait for anything that must happen. It is far above the time that anything should take, and only
// ends a test that fails.
const Patience = 20 * time.Second

// Process is a child in a namespace, started by a test.
type Process struct {
	*rig.Process
	T testing.TB
}

// Start starts a program in a namespace and does not wait for its end. The program is killed at the end of the
// test; its output is shown when the test fails. name is its name in messages.
func Start(t testing.TB, ns *netns.NS, name string, cmd *exec.Cmd) *Process {
	t.Helper()
	p, err := rig.Start(ns, name, cmd)
	Must(t, err)
	return watched(t, p)
}

// watched makes the end of the test kill a process, and show its output if the test failed.
func watched(t testing.TB, p *rig.Process) *Process {
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s (%s) said:\n%s%s", p.Name, p.Cmd.ProcessState, p.Stdout, p.Stderr)
		}
	})
	return &Process{p, t}
}

// Signal sends a signal to the process, and ends the test if the process has ended.
func (p *Process) Signal(s os.Signal) {
	p.T.Helper()
	Must(p.T, p.Process.Signal(s))
}

// Freeze stops the process by SIGSTOP, until SIGCONT, and waits until all of its threads have stopped.
func (p *Process) Freeze() {
	p.T.Helper()
	p.Signal(syscall.SIGSTOP)
	Eventually(p.T, p.Name+" frozen", func() string {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.Cmd.Process.Pid))
		Must(p.T, err)
		for _, thread := range threads {
			stat, err := os.ReadFile(thread)
			if err != nil {
				return "a thread of the process has just ended"
			}
			// The state is the word after the name, which is in parentheses.
			if _, state, _ := strings.Cut(string(stat), ") "); !strings.HasPrefix(state, "T") {
				return "a thread of the process still runs"
			}
		}
		return ""
	})
}

// Terminate sends SIGTERM to the process, waits for its end and returns the exit code.
func (p *Process) Terminate() int {
	p.T.Helper()
	p.Signal(syscall.SIGTERM)
	return p.Wait()
}

// Wait waits for the end of the process, at most for Patience, and returns the exit code, -1 for an end by a
// signal.
func (p *Process) Wait() int {
	p.T.Helper()
	select {
	case <-p.Ended:
	case <-time.After(Patience):
		p.T.Fatalf("%s has not ended within %v", p.Name, Patience)
	}
	return p.Cmd.ProcessState.ExitCode()
}

// Output keeps the output of a command.
type Output = rig.Output

// Must ends the test with an error if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Eventually calls check every few milliseconds until it returns "", and returns the time passed. After Patience
// it ends the test with the last problem; event names the wait in the error.
func Eventually(t testing.TB, event string, check func() (problem string)) time.Duration {
	t.Helper()
	return Within(t, Patience, event, check)
}

// Within calls check every few milliseconds until it returns "", and returns the time passed. After the time bound
// it ends the test with the last problem; event names the wait in the error.
func Within(t testing.TB, bound time.Duration, event string, check func() (problem string)) time.Duration {
	t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		problem := check()
		took := time.Since(began)
		switch {
		case problem == "":
			return took
		case took > bound:
			t.Fatalf("%s: not within %v: %s", event, bound, problem)
		}
	}
}
