package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns/nstest"
)

// A message arrives whole, with all its descriptors in order, also more of them than one control message carries.
func TestRelayCarriesStateAndDescriptors(t *testing.T) {
	r, theirs, err := newRelay()
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	other, err := relayOf(theirs)
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	files := make([]*os.File, 2*rightsMax+5)
	m := message{Word: wordState, Text: "text", State: []byte(strings.Repeat("state", 1<<18))}
	for i := range files {
		if files[i], err = os.CreateTemp(t.TempDir(), "file"); err != nil {
			t.Fatal(err)
		}
		defer files[i].Close()
		m.fds = append(m.fds, int(files[i].Fd()))
	}
	sent := make(chan error, 1)
	go func() { sent <- r.send(m) }()
	got, err := other.expect(wordState, patience)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if got.Text != m.Text || !slices.Equal(got.State, m.State) || len(got.fds) != len(files) {
		t.Fatalf("%d octets of state, %d descriptors", len(got.State), len(got.fds))
	}
	for i, fd := range got.fds {
		f := os.NewFile(uintptr(fd), "got")
		is, err := f.Stat()
		was, _ := files[i].Stat()
		if err != nil || !os.SameFile(is, was) {
			t.Fatalf("descriptor %d is of another file: %v", i, err)
		}
		_ = f.Close()
	}
}

func TestRelayRefusesWhatIsNotExpected(t *testing.T) {
	for name, c := range map[string]struct {
		say  func(r *relay)
		want string
	}{
		"another word": {func(r *relay) { _ = r.send(message{Word: wordGo}) }, `message "go" instead of "ready"`},
		"an error":     {func(r *relay) { _ = r.send(message{Error: "no configuration"}) }, "no configuration"},
		"nothing":      {func(*relay) {}, "i/o timeout"},
		"its end":      {(*relay).close, "EOF"},
		"no message":   {func(r *relay) { _, _ = r.conn.Write([]byte("\xff\xff\xff\xffx")) }, "octets"},
		"no JSON":      {func(r *relay) { _, _ = r.conn.Write([]byte("\x00\x00\x00\x01x")) }, "invalid character"},
	} {
		r, theirs, err := newRelay()
		if err != nil {
			t.Fatal(err)
		}
		other, err := relayOf(theirs)
		if err != nil {
			t.Fatal(err)
		}
		c.say(other)
		if _, err := r.expect(wordReady, 50*time.Millisecond); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		r.close()
		other.close()
	}
}

// Only a program that nobody but root and the daemon's own user can change may be started.
func TestProgramThatOthersMayChangeIsRefused(t *testing.T) {
	dir, err := os.MkdirTemp("/", "uelink-test-")
	if err != nil {
		nstest.Missing(t, fmt.Sprintf("root, to write to the folder / that only root can change: %v", err))
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		for _, err := range []error{
			os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("#!"), 0o600), os.Chmod(path, mode),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	good, open, plain := file("good", 0o755), file("open", 0o757), file("plain", 0o644)
	inside, sticky := file("folder/inside", 0o755), file("sticky", os.ModeSticky|0o757)
	foreign := file("foreign", 0o755)
	link := filepath.Join(dir, "link")
	for _, err := range []error{
		os.Chmod(filepath.Dir(inside), 0o777), os.Chown(foreign, 12345, -1), os.Symlink(open, link),
		unix.Mkfifo(filepath.Join(dir, "pipe"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		good: "", open: "may be written to by others", inside: "may be written to by others",
		sticky: "may be written to by others", plain: "not executable",
		foreign: "belongs to user 12345", link: "may be written to by others", dir: "is no file",
		filepath.Join(dir, "none"): "no such file", filepath.Join(dir, "pipe"): "is no file",
	} {
		f, err := openBinary(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if err == nil {
			_ = f.Close()
		}
	}
}

// A program that is replaced after it was checked is not the one that is started. It is no child of this process.
func TestProgramIsTheOneThatWasChecked(t *testing.T) {
	dir, err := os.MkdirTemp("/", "uelink-test-")
	if err != nil {
		nstest.Missing(t, fmt.Sprintf("root, to write to the folder / that only root can change: %v", err))
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program, other := filepath.Join(dir, "program"), filepath.Join(dir, "other")
	const text = "#!/bin/sh\necho checked >&3\n"
	for _, err := range []error{
		os.WriteFile(program, []byte(text), 0o755), os.WriteFile(other, []byte("#!/bin/sh\necho another >&3\n"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := openBinary(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(other, program); err != nil {
		t.Fatal(err)
	}
	s, err := startSuccessor(f, program, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.relay.close()
	if said, err := io.ReadAll(s.relay.conn); err != nil || string(said) != "checked\n" {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := unix.Wait4(s.Pid, nil, 0, nil); !errors.Is(err, unix.ECHILD) {
		t.Errorf("it is a child: %v", err)
	}
	s.end()
	if sum, err := digest(f); err != nil || sum != fmt.Sprintf("%x", sha256.Sum256([]byte(text))) {
		t.Errorf("its digest is %s, %v", sum, err)
	}
}

// A signal that asks for the end interrupts a handover until it is committed, and a reload never does.
func TestSignalInterruptsAHandover(t *testing.T) {
	for _, c := range []struct {
		name    string
		signals []os.Signal
		commit  bool
		want    error
	}{
		{"SIGTERM", []os.Signal{unix.SIGTERM}, false, errInterrupted},
		{"SIGHUP", []os.Signal{unix.SIGHUP}, false, os.ErrDeadlineExceeded},
		{"SIGTERM after the commit", []os.Signal{unix.SIGTERM}, true, os.ErrDeadlineExceeded},
	} {
		r, theirs, err := newRelay()
		if err != nil {
			t.Fatal(err)
		}
		signals := make(chan os.Signal)
		stop := r.collect(signals)
		if c.commit {
			if err := r.commit(); err != nil {
				t.Error(err)
			}
		}
		waited := make(chan error, 1)
		within := patience
		if c.want == os.ErrDeadlineExceeded {
			within = 100 * time.Millisecond
		}
		go func() {
			_, err := r.expect(wordReady, within)
			waited <- err
		}()
		for _, s := range c.signals {
			signals <- s
		}
		if err := <-waited; !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if came := stop(); !slices.Equal(came, c.signals) {
			t.Errorf("%s: %v came", c.name, came)
		}
		if err := r.commit(); c.want == errInterrupted && !errors.Is(err, errInterrupted) {
			t.Errorf("%s: commit: %v", c.name, err)
		}
		r.close()
		_ = theirs.Close()
	}
}

// A process that does not read makes a handover fail in time.
func TestRelayThatIsNotRead(t *testing.T) {
	r, theirs, err := newRelay()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	defer r.close()
	err = r.send(message{Word: wordState, State: make([]byte, 4*relayBuffer)})
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// The daemon that a reaper passes signals to is its child that was started as a successor.
func TestSuccessorOfAReaper(t *testing.T) {
	proc := t.TempDir()
	process := func(pid, parent int, name, command string) {
		dir := filepath.Join(proc, fmt.Sprint(pid))
		stat := fmt.Sprintf("%d (%s) S %d 1 1", pid, name, parent)
		for _, err := range []error{
			os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "stat"), []byte(stat), 0o600),
			os.WriteFile(filepath.Join(dir, "cmdline"), []byte(command), 0o600),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	process(1, 0, "uelinkd", "uelinkd\x00--reap\x0017\x00")
	process(20, 1, "sleep", "sleep\x0010\x00")
	process(21, 17, "uelinkd", "uelinkd\x00--takeover\x00")
	if pid := successorOf(proc, 1); pid != 0 {
		t.Errorf("%d", pid)
	}
	process(22, 1, "a name) S 9 (", "uelinkd\x00--takeover\x00--config\x00f\x00")
	if pid := successorOf(proc, 1); pid != 22 {
		t.Errorf("%d", pid)
	}
}

// In a container the first daemon stays; elsewhere, and above or below another reaper, it ends when it has handed over.
func TestWhoStaysAsReaper(t *testing.T) {
	successor := []string{"uelinkd", takeoverFlag, "--config", "f"}
	for _, c := range []struct {
		name        string
		pid, parent int
		service     string
		args        []string
		want        bool
	}{
		{"process 1", 1, 0, "", nil, true},
		{"process 1 of a container whose engine is notified", 1, 0, "/run/notify", nil, true},
		{"below tini", 7, 1, "", []string{"uelinkd", "--config", "f"}, true},
		{"below systemd", 700, 1, "/run/systemd/notify", []string{"uelinkd", "--config", "f"}, false},
		{"below a reaper that is process 1", 20, 1, "", successor, false},
		{"below a reaper that is below tini", 20, 7, "", successor, false},
		{"below a shell", 700, 699, "", []string{"uelinkd", "--config", "f"}, false},
	} {
		if got := staysAsReaper(c.pid, c.parent, c.service, c.args); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
