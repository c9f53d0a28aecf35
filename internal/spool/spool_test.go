package spool

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pipe returns the two ends of a pipe with the smallest buffer, and a Spool in front of it.
func pipe(t *testing.T) (*os.File, *Spool) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil { // blocking, as a shell makes them
		t.Fatal(err)
	}
	reader, writer := os.NewFile(uintptr(ends[0]), "reader"), os.NewFile(uintptr(ends[1]), "writer")
	if _, err := unix.FcntlInt(writer.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil {
		t.Fatal(err)
	}
	s := Start(writer)
	s.SetNotice(func(lost uint64) []byte { return fmt.Appendf(nil, "%d lost\n", lost) })
	t.Cleanup(func() {
		reader.Close()
		s.Close()
		writer.Close()
	})
	return reader, s
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never happens: ", what)
		}
	}
}

func TestLinesArriveInOrder(t *testing.T) {
	reader, s := pipe(t)
	var want bytes.Buffer
	for i := range 100 {
		fmt.Fprintf(io.MultiWriter(s, &want), "line %d\n", i)
	}
	got := make([]byte, want.Len())
	if _, err := io.ReadFull(reader, got); err != nil || string(got) != want.String() {
		t.Errorf("%q, %v", got, err)
	}
	if err := s.Sync(); err != nil || s.State() != (State{}) {
		t.Errorf("%+v, %v", s.State(), err)
	}
}

// A reader that stands still stops nobody. The newest lines are kept, and a notice stands in the place of the others.
func TestReaderStandsStill(t *testing.T) {
	reader, s := pipe(t)
	line := strings.Repeat("x", 1023) + "\n"
	const written = 2000
	for range written {
		io.WriteString(s, line)
	}
	io.WriteString(s, "the last\n")
	if err := s.Sync(); err == nil {
		t.Error("everything is written, and nobody has read it")
	}
	state := s.State()
	if state.Since.IsZero() || state.Lost == 0 {
		t.Errorf("%+v", state)
	}
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(reader)
		text <- string(all)
	}()
	eventually(t, "everything is written", func() bool { return s.Sync() == nil })
	s.Close()
	s.file.Close()
	all := <-text
	var noticed uint64 // the pipe may have filled at the first of two notices
	for _, text := range strings.Split(all, "\n") {
		var lost uint64
		fmt.Sscanf(text, "%d lost", &lost)
		noticed += lost
	}
	if noticed != state.Lost || !strings.HasSuffix(all, "the last\n") ||
		uint64(strings.Count(all, line))+state.Lost != written {
		t.Errorf("%d lines, %+v, the end %q", strings.Count(all, line), state, all[max(0, len(all)-50):])
	}
	if after := s.State(); after != (State{Lost: state.Lost}) {
		t.Errorf("%+v", after)
	}
}

// The reader of a FIFO goes, and another comes.
func TestReaderGoesAndAnotherComes(t *testing.T) {
	path := t.TempDir() + "/fifo"
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
	first := open(os.O_RDONLY | unix.O_NONBLOCK)
	writer := open(os.O_WRONLY)
	defer writer.Close()
	s := Start(writer)
	s.SetNotice(func(lost uint64) []byte { return fmt.Appendf(nil, "%d lost\n", lost) })
	defer s.Close()
	first.Close()
	for n := range uint64(3) {
		io.WriteString(s, "unheard\n")
		eventually(t, "a line is lost", func() bool { return s.State().Lost == n+1 })
	}
	if fault := s.State().Fault; fault != unix.EPIPE {
		t.Error(fault)
	}
	second := open(os.O_RDONLY | unix.O_NONBLOCK)
	defer second.Close()
	io.WriteString(s, "heard\n")
	eventually(t, "a line is written", func() bool { return s.State().Fault == nil && s.Sync() == nil })
	got := make([]byte, 100)
	if n, err := second.Read(got); string(got[:n]) != "3 lost\nheard\n" {
		t.Errorf("%q, %v", got[:n], err)
	}
}

// A description that somebody else has made non-blocking loses nothing.
func TestNonBlocking(t *testing.T) {
	reader, s := pipe(t)
	if err := unix.SetNonblock(s.fd, true); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(io.MultiWriter(s, &want), "line %d %s\n", i, strings.Repeat("y", 50))
	}
	got := make([]byte, want.Len())
	if _, err := io.ReadFull(reader, got); err != nil || string(got) != want.String() {
		t.Errorf("%v", err)
	}
}

// A process whose standard error has no reader goes on, and ends as it wants to. The mode of the description, which a
// shell shares, stays as it was.
func TestStandardErrorWithoutReader(t *testing.T) {
	const role = "SPOOL_TEST_ROLE"
	if os.Getenv(role) != "" {
		s := Start(os.Stderr)
		io.WriteString(s, "a line\n")
		_ = s.Sync() // of no interest
		if s.State().Fault != unix.EPIPE {
			os.Exit(1)
		}
		os.Exit(7)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestStandardErrorWithoutReader$")
	cmd.Env = append(os.Environ(), role+"=child")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	reader.Close()
	cmd.Stderr = writer
	_ = cmd.Run() // the state has the code
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.ExitStatus() != 7 {
		t.Error(cmd.ProcessState)
	}
	if flags, err := unix.FcntlInt(writer.Fd(), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK != 0 {
		t.Errorf("flags %#o, %v", flags, err)
	}
}
