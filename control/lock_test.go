package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns/nstest"
)

// holdElsewhere has another process lock a file until the test ends, and returns that process.
func holdElsewhere(t *testing.T, path string) int {
	t.Helper()
	tool, err := exec.LookPath("flock")
	if err != nil {
		nstest.Missing(t, "flock(1) of util-linux")
	}
	c := exec.Command(tool, "--exclusive", "--no-fork", path, "sh", "-c", "echo held; read -r end")
	end, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end.Close()
		_ = c.Wait()
	})
	if _, err := said.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	return c.Process.Pid
}

// A lock on the folder of the socket, which any user may take, keeps nobody from starting.
func TestLockOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	holdElsewhere(t, dir)
	l, err := Listen(t.Context(), Socket{Path: filepath.Join(dir, "s"), Mode: 0o600})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// Who holds the lock is named, and nothing is left or taken.
func TestHolderIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	if err := os.WriteFile(LockPath(path), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pid := holdElsewhere(t, LockPath(path))
	_, err := Listen(t.Context(), Socket{Path: path, Mode: 0o600})
	want := fmt.Sprintf(`in use by "sh" (process %d)`, pid)
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a socket is there: %v", err)
	}
}

// The wait for the lock ends with its context.
func TestWaitForTheLockEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(t.Context(), Socket{Path: path, Mode: 0o600})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Listen(ctx, Socket{Path: path, Mode: 0o600}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A lock file that a killed daemon left behind is used again, and is for its owner alone whatever its mode was.
func TestLockFileLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	l, err := takeLock(t.Context(), path, "control.socket")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != lockMode || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		t.Errorf("%+v, %v", info, err)
	}
	if err := l.release(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is left: %v", err)
	}
}

// Who has waited for a lock file that was removed makes a new one: the old one would lock nobody out.
func TestLockFileThatWasRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	old, err := openLock(path, "control.socket")
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if isAt(old, path) {
		t.Error("a file that was removed counts as the lock")
	}
	l, err := takeLock(t.Context(), path, "control.socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.release()
	if isAt(old, path) || !isAt(l.file, path) {
		t.Error("the lock is not that of the file that is there")
	}
}

// What is no plain file is refused at once, and not waited for.
func TestLockFileThatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(path string) error{
		"link": func(path string) error { return os.Symlink(target, path) },
		"pipe": func(path string) error { return unix.Mkfifo(path, 0o666) },
		"dir":  func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		path := filepath.Join(dir, name)
		if err := make(LockPath(path)); err != nil {
			t.Fatal(err)
		}
		_, err := Listen(t.Context(), Socket{Path: path, Mode: 0o600})
		if err == nil || !strings.Contains(err.Error(), LockPath(path)) {
			t.Errorf("%s: %v", name, err)
		}
		var setting *SettingError
		if _, err := (Socket{Path: path}).Check(); !errors.As(err, &setting) {
			t.Errorf("%s: Check says %v", name, err)
		}
	}
	if info, err := os.Stat(target); err != nil || info.Mode() != 0o644 {
		t.Errorf("the target of the link has changed: %v, %v", info, err)
	}
}

// Another user's lock file is refused to all but root, with its owner.
func TestLockFileOfAnotherUser(t *testing.T) {
	file := unix.Stat_t{Mode: unix.S_IFREG, Uid: 1}
	if err := mayLock(&file, 2, "control.socket"); err == nil ||
		!strings.Contains(err.Error(), "belongs to user 1, not to user 2") {
		t.Errorf("%v", err)
	}
	for _, user := range []int{0, 1} {
		if err := mayLock(&file, user, "control.socket"); err != nil {
			t.Errorf("user %d is refused a file of user 1: %v", user, err)
		}
	}
}
