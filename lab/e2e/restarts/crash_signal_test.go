package restarts

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/bed"
)

// crashes are signals that end a daemon of bed.Crashing by a crash, and the beginning of its trace.
var crashes = map[syscall.Signal]string{
	syscall.SIGSEGV: "SIGSEGV: segmentation violation", syscall.SIGBUS: "SIGBUS: bus error", syscall.SIGABRT: "SIGABRT: abort",
	syscall.SIGUSR1: "panic: asked to",
}

// A crash ends by a signal, which no exit code of a mistake is, without a core, also while the
// reader of standard error stands still.
func TestCrashEndsBySignal(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	d.Binary = bed.Crashing(t)
	for s, want := range crashes {
		t.Run(want, func(t *testing.T) {
			reader, writer, err := os.Pipe()
			bed.Must(t, err)
			defer reader.Close()
			if _, err := unix.FcntlInt(writer.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil { // Fd makes it blocking
				t.Fatal(err)
			}
			cmd := d.Command()
			cmd.Stderr = writer
			p := bed.Start(t, d.NS, "uelinkd", cmd)
			writer.Close()
			d.Process = p
			d.AwaitNotify("READY=1")
			p.Signal(s)
			p.Wait() // for the end, with nobody who reads
			status := p.Cmd.ProcessState.Sys().(syscall.WaitStatus)
			if !status.Signaled() || status.Signal() != syscall.SIGABRT || status.CoreDump() {
				t.Errorf("it ends with %v", p.Cmd.ProcessState)
			}
		})
	}
}

// Under a real systemd a daemon that crashes is started again, however often, and its trace is in the journal.
func TestCrashesUnderSystemd(t *testing.T) {
	top := bed.Direct(t)
	b := bed.NewDaemon(t, top.B, "B", bed.Lossless)
	b.Start()
	a := bed.NewDaemon(t, top.A, "A", bed.Lossless)
	a.Binary = bed.Crashing(t)
	s := newServiceOf(t, a, bed.Lossless)
	p := bed.Pair{A: s.Daemon, B: b}
	p.Advance()
	// One more than the starts that systemd allows by itself: 5 in 10 s.
	for i, crash := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGABRT, syscall.SIGUSR1,
		syscall.SIGUSR1, syscall.SIGSEGV} {
		s.systemctl("kill", "-s", unix.SignalName(crash), "--kill-who=main")
		bed.Eventually(t, "another process", func() string {
			state := s.property("NRestarts") + " " + s.property("ActiveState")
			if want := fmt.Sprint(i+1, " active"); state != want {
				return fmt.Sprintf("%s, want %s, after %v", state, want, crash)
			}
			return ""
		})
		p.Advance()
		if text := s.journal(); !strings.Contains(text, crashes[crash]) || !strings.Contains(text, "goroutine ") {
			t.Errorf("no trace of %v:\n%s", crash, text)
		}
	}
	if text := s.journal(); !strings.Contains(text, "this start waits") {
		t.Errorf("no start has waited:\n%s", text)
	}
}
