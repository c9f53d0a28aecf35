package rig

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns/nstest"
)

const patience = 20 * time.Second

// shell starts a line of sh.
func shell(t *testing.T, line string) *Process {
	t.Helper()
	p, err := Start(nstest.New(t, "rig"), "the shell", exec.Command("sh", "-c", line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// said waits until a process has written a line to its standard output.
func said(t *testing.T, p *Process, line string) {
	t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(p.Stdout.String(), line); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it has not said %q but %q", line, p.Stdout)
		}
	}
}

// A process ends after Stop; the error has the exit status.
func TestStop(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"in order", "trap 'exit 0' TERM; echo up; while :; do sleep 0.01; done", ""},
		{"with a code", "trap 'echo no >&2; exit 3' TERM; echo up; while :; do sleep 0.01; done",
			"the shell: exit status 3; it said:\n  no"},
		{"by the signal", "echo up; exec sleep 60", "the shell: signal: terminated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := shell(t, c.line)
			said(t, p, "up")
			got := ""
			if err := p.Stop(patience); err != nil {
				got = err.Error()
			}
			if got != c.want || p.Running() {
				t.Errorf("%q (running: %t), want %q", got, p.Running(), c.want)
			}
		})
	}
}

// A process that does not listen is killed.
func TestStopOfADeafProcess(t *testing.T) {
	p := shell(t, "trap '' TERM; echo up; while :; do sleep 0.01; done")
	said(t, p, "up")
	if err := p.Stop(50 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "within 50ms of SIGTERM") {
		t.Errorf("%v", err)
	}
	if status := p.Cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Errorf("it ended by %v", status.Signal())
	}
	if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("a signal to what has ended: %v", err)
	}
}

// The runtime directory of a daemon whose starter has ended without Close is removed, and no other.
func TestStaleRuntimeDirectories(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(tmpfs, runPrefix(os.Getpid())+"mine")
	stale := filepath.Join(tmpfs, runPrefix(ended.ProcessState.Pid())+"stale")
	for _, remove := range []func() error{CleanStale, func() error { return RemoveOf(ended.ProcessState.Pid()) }} {
		for _, dir := range []string{mine, stale} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(stale); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", stale, err)
		}
		if err := os.Remove(mine); err != nil {
			t.Error(err)
		}
	}
}

// The error of a missing program names the process.
func TestStartOfNothing(t *testing.T) {
	_, err := Start(nstest.New(t, "rig"), "the tool", exec.Command("/no/such/program"))
	if err == nil || !strings.HasPrefix(err.Error(), "the tool: ") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// What is kept of an endless output is its end.
func TestOutputIsBounded(t *testing.T) {
	var o Output
	block := []byte(strings.Repeat("x", keptOutput/4))
	for range 20 {
		o.Write(block)
	}
	o.Write([]byte("the end \xFF"))
	if got := o.String(); len(got) > 2*keptOutput || !strings.HasSuffix(got, "the end ?") {
		t.Errorf("%d octets, …%q", len(got), got[len(got)-20:])
	}
}

// A daemon is started by its file, with a directory for its records; the line that starts it may begin with
// another program.
func TestDaemon(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "A")
	d, err := NewDaemon(dir, func(socket string) string { return "control: {socket: " + socket + "}\n" })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	if text, _ := os.ReadFile(d.Config); string(text) != "control: {socket: "+d.Socket+"}\n" {
		t.Errorf("the file says %q", text)
	}
	cmd := d.Command("sh", "-c", `echo "$STATE_DIRECTORY $*"`, "uelinkd")
	if err := d.Start(nstest.New(t, "rig"), "uelinkd at A", cmd); err != nil {
		t.Fatal(err)
	}
	<-d.Ended
	if got, want := d.Stdout.String(), d.State+" --config "+d.Config+"\n"; got != want {
		t.Errorf("it was started with %q, want %q", got, want)
	}
	if _, err := NewDaemon(d.Config, func(string) string { return "" }); err == nil {
		t.Error("a directory that is a file is taken")
	}
}
