package control

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// The lock is tried for lockWait: a daemon that ends gives it up within that time. It is tried every lockEvery.
const (
	lockWait  = 2 * time.Second
	lockEvery = 20 * time.Millisecond
)

// lockMode is for its owner alone: whoever can open a file can lock it, and keep the daemon from starting.
const lockMode = 0o600

// errHeld says that somebody else holds the lock.
var errHeld = errors.New("the lock is held")

// LockPath is the lock file of a socket.
func LockPath(socket string) string { return socket + ".lock" }

// lock is a file that one daemon has locked (flock) as long as it runs. The kernel gives the lock up when the process
// ends, however it ends. The file is beside the socket and readable for its owner alone.
type lock struct{ file *os.File }

// takeLock locks the file at path, and makes it if it is not there. It waits for another holder for lockWait, or until
// ctx ends. Errors: ErrInUse, which names the holder; that of ctx.
func takeLock(ctx context.Context, path string) (*lock, error) {
	limit := time.Now().Add(lockWait)
	for {
		f, err := tryLock(path)
		if err == nil {
			return &lock{f}, nil
		}
		if !errors.Is(err, errHeld) {
			return nil, fmt.Errorf("lock file %s: %w", path, err)
		}
		if time.Now().After(limit) {
			return nil, fmt.Errorf("%w by %s: stop it, or set another control.socket", ErrInUse, holder(path))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockEvery):
		}
	}
}

// tryLock is takeLock without waiting.
func tryLock(path string) (*os.File, error) {
	for {
		f, err := openLock(path)
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

// openLock opens or makes the file at path. A link, a pipe, or a file of somebody else's is refused: root may take one
// of another user, because own gives it to root.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, lockMode)
	if errors.Is(err, unix.ELOOP) {
		return nil, &SettingError{errors.New("a symbolic link is there: remove it")}
	}
	if err != nil {
		return nil, err
	}
	var s unix.Stat_t
	if err = unix.Fstat(int(f.Fd()), &s); err == nil {
		err = mayLock(&s, os.Geteuid())
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// mayLock refuses a user a file.
func mayLock(s *unix.Stat_t, user int) error {
	switch {
	case s.Mode&unix.S_IFMT != unix.S_IFREG:
		return &SettingError{errors.New("it is no plain file: remove it")}
	case int(s.Uid) != user && user != 0:
		return fmt.Errorf("it belongs to user %d, not to user %d, who runs this daemon: remove it, or set another "+
			"control.socket", s.Uid, user)
	}
	return nil
}

// isAt reports whether f is still the file at path: a daemon removes its lock file when it ends.
func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, there)
}

// own keeps others from opening the file again. It is called with the lock.
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

// release removes the file, then gives the lock up: whoever waits for it sees that its file has gone, and makes a new
// one.
func (l *lock) release() error {
	_ = os.Remove(l.file.Name()) // one that stays, in a folder of another user, is used again
	return l.file.Close()
}
