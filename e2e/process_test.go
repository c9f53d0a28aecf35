package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/netns"
	"uelink/rig"
)

// patience bounds the wait for anything that must happen. It claims nothing about time; it only ends a test that
// fails.
const patience = 20 * time.Second

// process is a child in a namespace, started by a test.
type process struct {
	*rig.Process
	t      testing.TB
	name   string
	cmd    *exec.Cmd
	stdout *output
	stderr *output
	ended  chan struct{} // closed at its end
}

// start runs a program in a namespace. The program is killed at the end of the test; its output is shown when the
// test fails.
func start(t testing.TB, ns *netns.NS, name string, cmd *exec.Cmd) *process {
	t.Helper()
	p, err := rig.Start(ns, name, cmd)
	must(t, err)
	return watched(t, p)
}

// watched kills a process at the end of the test, and then shows its output if the test failed.
func watched(t testing.TB, p *rig.Process) *process {
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s (%s) said:\n%s%s", p.Name, p.Cmd.ProcessState, p.Stdout, p.Stderr)
		}
	})
	return &process{p, t, p.Name, p.Cmd, p.Stdout, p.Stderr, p.Ended}
}

// kill kills the process and waits for its end.
func (p *process) kill() { p.Kill() }

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	must(p.t, p.Signal(s))
}

// freeze stops every thread of the process until SIGCONT.
func (p *process) freeze() {
	p.t.Helper()
	p.signal(syscall.SIGSTOP)
	eventually(p.t, p.name+" frozen", func() string {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.cmd.Process.Pid))
		must(p.t, err)
		for _, thread := range threads {
			stat, err := os.ReadFile(thread)
			if err != nil {
				return "a thread has just ended"
			}
			// The state is the word after the name, which is in parentheses.
			if _, state, _ := strings.Cut(string(stat), ") "); !strings.HasPrefix(state, "T") {
				return "a thread still runs"
			}
		}
		return ""
	})
}

// terminate sends SIGTERM and returns the exit code.
func (p *process) terminate() int {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	return p.wait()
}

// wait waits for the end and returns the exit code, -1 for an end by a signal.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatalf("%s has not ended within %v", p.name, patience)
	}
	return p.cmd.ProcessState.ExitCode()
}

// running reports whether the process has not ended.
func (p *process) running() bool { return p.Running() }

// output keeps the output of a command.
type output = rig.Output

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until check returns "", at most for patience; what names the wait in the error.
func eventually(t testing.TB, what string, check func() (problem string)) time.Duration {
	t.Helper()
	return within(t, patience, what, check)
}

// within waits like eventually, at most for bound, and returns the time it took.
func within(t testing.TB, bound time.Duration, what string, check func() (problem string)) time.Duration {
	t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		problem := check()
		took := time.Since(began)
		switch {
		case problem == "":
			return took
		case took > bound:
			t.Fatalf("%s: not within %v: %s", what, bound, problem)
		}
	}
}
