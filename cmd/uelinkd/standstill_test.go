package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/config"
	"uelink/control/api"
	"uelink/dataplane"
	"uelink/internal/programtest"
	"uelink/internal/spool"
)

// smallPipe returns a pipe that takes 4096 octets.
func smallPipe(t *testing.T) (reader, writer *os.File) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(writer.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil { // Fd makes it blocking
		t.Fatal(err)
	}
	return reader, writer
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never happens: ", what)
		}
	}
}

// While nobody reads the log, the daemon answers, reloads, says so, and ends. The log goes on when its reader does.
func TestReaderOfTheLogStandsStill(t *testing.T) {
	reader, writer := smallPipe(t)
	r := beginLogging(t, newFakeFrames(), writer)
	c := r.client()
	eventually(t, "the daemon answers", func() bool { _, err := c.Status(t.Context()); return err == nil })
	r.configure("log: {level: loud}\n" + strings.Repeat("bogus: 1\n", 300))
	r.signals <- syscall.SIGHUP // refused, in some 300 lines
	is := func(condition func(api.Status) bool) func() bool {
		return func() bool {
			s, err := c.Status(t.Context())
			return err == nil && condition(s)
		}
	}
	eventually(t, "the standstill is in the status", is(func(s api.Status) bool {
		return slices.ContainsFunc(s.Troubles, func(trouble string) bool {
			return strings.Contains(trouble, "nothing has read the log since")
		})
	}))
	r.configure("control: {socket: " + r.socket + "}\nllr_profiles: {fast: {}}\n")
	r.signals <- syscall.SIGHUP
	eventually(t, "the daemon reloads", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return len(r.reloads) > 0 })

	text := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(reader)
		text <- string(all)
	}()
	eventually(t, "the trouble is over", is(func(s api.Status) bool { return len(s.Troubles) == 0 }))
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if all := <-text; !strings.Contains(all, `"msg":"configuration reloaded"`) ||
		!strings.Contains(all[strings.LastIndex(all, "\n{"):]+all, `"msg":"drained"`) {
		t.Errorf("%s", all)
	}
}

// A daemon whose log nobody reads ends, and does not wait for the reader.
func TestEndWhileTheReaderOfTheLogStandsStill(t *testing.T) {
	reader, writer := smallPipe(t)
	defer reader.Close()
	r := beginLogging(t, newFakeFrames(), writer)
	c := r.client()
	eventually(t, "the daemon answers", func() bool { _, err := c.Status(t.Context()); return err == nil })
	r.configure(strings.Repeat("bogus: 1\n", 300))
	r.signals <- syscall.SIGHUP
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// beginLogging starts a daemon that logs to a file, which it closes at its end.
func beginLogging(t *testing.T, f *fakeFrames, log *os.File) *running {
	t.Helper()
	dir := t.TempDir()
	r := &running{fakeFrames: f, t: t, config: filepath.Join(dir, "uelink.yaml"), socket: filepath.Join(dir, "s"),
		signals: make(chan os.Signal, 4), exit: make(chan int, 1)}
	r.configure("control: {socket: " + r.socket + "}\n")
	go func() {
		stderr := spool.Start(log)
		code := run([]string{"--config", r.config}, os.Stdout, stderr, r.signals,
			openers{lldp: f.openLLDP, drop: f.drop,
				frames: func(dataplane.Settings, dataplane.Home, *zap.Logger) (frames, error) { return f, nil }})
		stderr.Close()
		log.Close()
		r.exit <- code
	}()
	return r
}

// A program whose standard error has lost its reader ends with the exit code of the cause, and not by SIGPIPE.
func TestStandardErrorHasNoReader(t *testing.T) {
	daemon := programtest.Path(t, "uelinkd")
	reader, writer := smallPipe(t)
	defer writer.Close()
	reader.Close()
	cmd := exec.Command(daemon, "--config", "/none.yaml")
	cmd.Stderr = writer
	_ = cmd.Run() // the state has the code
	if code := cmd.ProcessState.ExitCode(); code != exitUsage {
		t.Errorf("%v, want exit %d", cmd.ProcessState, exitUsage)
	}
}

// The end of the log's reader, and its return, are an event each.
func TestLogWithoutReaderIsAnEvent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(mode int) *os.File {
		f, err := os.OpenFile(path, mode, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	reader := open(os.O_RDONLY | unix.O_NONBLOCK)
	writer := open(os.O_WRONLY)
	defer writer.Close()
	out := spool.Start(writer)
	defer out.Close()
	var events []string
	j := &journal{logs: newLogs(config.Log{}, out), publish: func(_, text string) { events = append(events, text) }}
	write := func(fault error) {
		t.Helper()
		j.logs.sampled.Info("a line")
		eventually(t, "the line is written or lost", func() bool {
			return errors.Is(out.State().Fault, fault) && out.Sync() == nil
		})
		j.watchLog(time.Now())
		j.watchLog(time.Now())
	}
	write(nil)
	reader.Close()
	write(unix.EPIPE)
	write(unix.EPIPE)
	again := open(os.O_RDONLY | unix.O_NONBLOCK)
	defer again.Close()
	write(nil)
	if len(events) != 2 || !strings.Contains(events[0], "the reader of the log has gone") ||
		!strings.Contains(events[1], "written again; lines lost since the start: ") {
		t.Errorf("%q", events)
	}
}
