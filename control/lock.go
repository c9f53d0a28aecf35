package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// takeLock tries the lock every lockEvery for lockWait: a daemon that stops releases it within that time.
const (
	lockWait  = 2 * time.Second
	lockEvery = 20 * time.Millisecond
)

// lockMode is for the owner alone: a user who can open the file can lock it, and keep the daemon from starting.
const lockMode = 0o600

// errHeld reports that another process holds the lock.
var errHeld = errors.New("another process holds the lock of the socket")

// LockPath returns the path of the lock file of a socket.
func LockPath(socket string) string { return socket + ".lock" }

// lock is a file that one daemon keeps locked (flock) while it runs. The kernel releases the lock when the process
// ends, however it ends. The file is beside the socket and readable for its owner alone.
type lock struct{ file *os.File }

// takeLock locks the file at path (flock), which it makes if it is missing. It waits for another holder for up to
// lockWait, or until ctx ends. key is the configuration key of the socket's path, for errors. Errors: ErrInUse, with
// the name of the holder; the error of ctx.
func takeLock(ctx context.Context, path, key string) (*lock, error) {
	limit := time.Now().Add(lockWait)
	for {
		f, err := tryLock(path, key)
		if err == nil {
			return &lock{f}, nil
		}
		if !errors.Is(err, errHeld) {
			return nil, fmt.Errorf("lock file %s: %w", path, err)
		}
		if time.Now().After(limit) {
			return nil, fmt.Errorf("%w by %s: stop it, or set another %s", ErrInUse, holder(path), key)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockEvery):
		}
	}
}

// tryLock locks the file at path, which it makes if it is missing, without waiting, and returns the open file. It
// begins again if the former holder has removed the file meanwhile. If another process holds the lock, the error is
// errHeld.
func tryLock(path, key string) (*os.File, error) {
	for {
		f, err := openLock(path, key)
		if err != nil {
			return nil, err
		}
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
			err = errHeld
		}
		if err == nil && isAt(f, path) {
			return f, own(f)
		}
		_ = f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// openLock opens or makes the lock file at path. It refuses a link, a pipe, and a file of another user. Root may
// open another user's file, because own gives the file to root.
func openLock(path, key string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, lockMode)
	if errors.Is(err, unix.ELOOP) {
		return nil, &SettingError{errors.New("the path is a symbolic link: remove it")}
	}
	if err != nil {
		return nil, err
	}
	var s unix.Stat_t
	if err = unix.Fstat(int(f.Fd()), &s); err == nil {
		err = mayLock(&s, os.Geteuid(), key)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// mayLock returns an error if a user may not lock a file: it is no plain file, or belongs to somebody else.
func mayLock(s *unix.Stat_t, user int, key string) error {
	switch {
	case s.Mode&unix.S_IFMT != unix.S_IFREG:
		return &SettingError{errors.New("the path is no plain file: remove it")}
	case int(s.Uid) != user && user != 0:
		return fmt.Errorf("the file belongs to user %d, not to user %d, who runs this daemon: remove the file, or set "+
			"another %s", s.Uid, user, key)
	}
	return nil
}

// isAt reports whether the open file f is still the file at path: a daemon removes its lock file when it ends.
func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	current, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, current)
}

// own makes a lock file belong to this user, with mode lockMode, so that other users cannot open it again. The
// lock must be held. After an error the file is closed.
func own(f *os.File) error {
	err := f.Chown(os.Geteuid(), os.Getegid())
	if err == nil {
		err = f.Chmod(lockMode)
	}
	if err != nil {
		_ = f.Close()
	}
	return err
}

// release removes the lock file, then releases the lock: a process that waits for the lock sees that its file has
// gone, and makes a new file.
func (l *lock) release() error {
	_ = os.Remove(l.file.Name()) // if the file cannot be removed (folder of another user), the next daemon uses it
	return l.file.Close()
}

// holder returns the process that holds the lock (flock) of the file at path in words, "another process" if the kernel
// does not show it: as for a process in another PID namespace.
func holder(path string) string {
	pid := holderPID(path)
	if pid == "" {
		return "another process"
	}
	name, err := os.ReadFile("/proc/" + pid + "/comm")
	switch command := strings.TrimSpace(string(name)); {
	case err != nil:
		return fmt.Sprintf("another process (%s)", pid)
	case command == "uelinkd":
		return fmt.Sprintf("another uelinkd (process %s)", pid)
	default:
		return fmt.Sprintf("%q (process %s)", command, pid)
	}
}

// holderPID returns the ID of the process that holds the lock of the file at path, or "".
func holderPID(path string) string {
	var s unix.Stat_t
	if unix.Lstat(path, &s) != nil {
		return ""
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(s.Dev), unix.Minor(s.Dev), s.Ino)
	for line := range strings.Lines(string(locks)) { // 1: FLOCK ADVISORY WRITE 26949 00:19:1234 0 EOF
		f := strings.Fields(line)
		if len(f) == 8 && f[1] == "FLOCK" && f[5] == file && strings.Trim(f[4], "0123456789") == "" && f[4] != "0" {
			return f[4]
		}
	}
	return ""
}
