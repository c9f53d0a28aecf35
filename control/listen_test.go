package control_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"uelink/control"
)

// leaveBehind makes a socket that nobody listens on, as a crash does.
func leaveBehind(t *testing.T, path string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestListen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "uelink") // not there yet
	path := filepath.Join(dir, "uelink.sock")
	l, err := control.Listen(t.Context(), control.Socket{Path: path, Mode: 0o660, Group: "0"})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o660 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	lock, err := os.Stat(control.LockPath(path))
	if err != nil || lock.Mode() != 0o600 {
		t.Errorf("lock file: mode %v, %v", lock.Mode(), err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left after close: %v, %v", left, err)
	}
}

func TestStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "uelink.sock")
	leaveBehind(t, path)
	l, err := control.Listen(t.Context(), control.Socket{Path: path, Mode: 0o600})
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestLiveSocketIsLeftAlone(t *testing.T) {
	d := start(t, nil)
	_, err := control.Listen(t.Context(), control.Socket{Path: d.socket, Mode: 0o600})
	if !errors.Is(err, control.ErrInUse) || !strings.Contains(err.Error(), d.socket) {
		t.Errorf("%v", err)
	}
	if _, err := d.client.Status(t.Context()); err != nil {
		t.Errorf("the first daemon is gone: %v", err)
	}
}

// Of many that find a stale socket at once, exactly one gets it.
func TestListenRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "uelink.sock")
	leaveBehind(t, path)
	const daemons = 8
	listeners := make([]net.Listener, daemons)
	var all sync.WaitGroup
	for i := range daemons {
		all.Go(func() {
			l, err := control.Listen(t.Context(), control.Socket{Path: path, Mode: 0o600})
			if err == nil {
				listeners[i] = l
			} else if !errors.Is(err, control.ErrInUse) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	won := 0
	for _, l := range listeners {
		if l != nil {
			won++
			l.Close()
		}
	}
	if won != 1 {
		t.Errorf("%d daemons have the socket", won)
	}
}

// Check finds nothing wrong with a socket that can be made, makes nothing, and does not mind a daemon that is there.
func TestCheckOfASocket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "uelink")
	s := control.Socket{Path: filepath.Join(dir, "s"), Mode: 0o600}
	for range 2 {
		if notes, err := s.Check(); err != nil || len(notes) > 0 {
			t.Errorf("%v, %v", notes, err)
		}
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		l, err := control.Listen(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
}

func TestListenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		socket  control.Socket
		setting bool
		message string
	}{
		{"a file", control.Socket{Path: file}, true, "not a socket"},
		{"long path", control.Socket{Path: filepath.Join(dir, strings.Repeat("x", 120))}, true, "at most 107 are allowed"},
		{"unknown group", control.Socket{Path: filepath.Join(dir, "s"), Group: "nobody-has-this"}, true, `no group "nobody-has-this"`},
		{"no directory", control.Socket{Path: filepath.Join(dir, "a", "b", "s")}, true, "only the last part of its path is made"},
		{"file as directory", control.Socket{Path: filepath.Join(file, "s")}, true, file + " is no folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := control.Listen(t.Context(), c.socket)
			if err == nil {
				l.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), c.message) || !strings.Contains(err.Error(), c.socket.Path) {
				t.Errorf("%v", err)
			}
			var setting *control.SettingError
			if errors.As(err, &setting) != c.setting {
				t.Errorf("%T", err)
			}
			if c.setting && setting.ExitCode() != 2 {
				t.Errorf("exit code %d", setting.ExitCode())
			}
			if _, checked := c.socket.Check(); checked == nil || checked.Error() != err.Error() {
				t.Errorf("Check says %v", checked)
			}
		})
	}
	if kept, err := os.ReadFile(file); err != nil || string(kept) != "kept" {
		t.Errorf("the file is now %q, %v", kept, err)
	}
}

// Messages about a socket that is not the API's have its own words.
func TestWordsOfAnotherSocket(t *testing.T) {
	s := control.Socket{Path: filepath.Join(t.TempDir(), "a", "b", "s"), Words: control.Words{
		Title: "socket of the page", Path: "web.listen", Group: "web.group"}}
	_, err := control.Listen(t.Context(), s)
	if err == nil || !strings.HasPrefix(err.Error(), "socket of the page "+s.Path) ||
		!strings.HasSuffix(err.Error(), "or set another web.listen") {
		t.Errorf("%v", err)
	}
	s.Group = "nobody-has-this"
	if _, err := s.Check(); err == nil || !strings.HasSuffix(err.Error(), "or leave web.group empty") {
		t.Errorf("%v", err)
	}
}
