package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pathMax is the longest path of a unix socket in octets.
const pathMax = len(unix.RawSockaddrUnix{}.Path) - 1

// probeTimeout bounds the wait for an answer on an existing socket.
const probeTimeout = time.Second

// Socket is the place of a server's socket, and the permissions on it.
type Socket struct {
	Path  string
	Mode  fs.FileMode // permission bits
	Group string      // name or number of the group that owns the socket; "" leaves the group unchanged
	Words Words       // words of messages about the socket; zero: the words of the control socket
}

// Words are how messages name a socket, and the keys of the configuration for its path and its group.
type Words struct{ Title, Path, Group string }

// words returns the words of messages about the socket.
func (s Socket) words() Words {
	return cmp.Or(s.Words, Words{"control socket", "control.socket", "control.group"})
}

// SettingError reports a Socket that can never work.
type SettingError struct{ Err error }

// Error returns the message of the error that it wraps: why the socket cannot be made as configured.
func (e *SettingError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error, for errors.Is and errors.As.
func (e *SettingError) Unwrap() error { return e.Err }

// ExitCode returns 2, the exit code of a wrong configuration.
func (e *SettingError) ExitCode() int { return 2 }

// ErrInUse reports that another process has the socket.
var ErrInUse = errors.New("in use")

// Listen makes the socket and listens on it. It replaces a socket that a crashed daemon left behind,
// returns ErrInUse for a socket in use, and leaves any other file alone. It makes the directory if only the last
// part of its path is missing. The listener holds the lock file of the socket; closing it removes both. While
// another process has the lock, Listen waits for up to 2 s, or until ctx ends; then it returns the error of ctx.
func Listen(ctx context.Context, s Socket) (net.Listener, error) {
	l, err := listen(ctx, s)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: start uelinkd as root, or set %s to where it may write", err, s.words().Path)
	}
	if err != nil {
		return nil, s.wrap(err)
	}
	return l, nil
}

// wrap adds the path of the socket to an error.
func (s Socket) wrap(err error) error { return fmt.Errorf("%s %s: %w", s.words().Title, s.Path, err) }

// listen makes the folder, the lock file and the socket of s, gives the socket its mode and group, and returns a
// listener that holds the lock. Before, it removes a socket that a killed daemon has left. After an error it releases
// the lock.
func listen(ctx context.Context, s Socket) (net.Listener, error) {
	gid, err := s.check()
	if err != nil {
		return nil, &SettingError{err}
	}
	if err := os.Mkdir(filepath.Dir(s.Path), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	lock, err := takeLock(ctx, LockPath(s.Path), s.words().Path)
	if err != nil {
		return nil, err
	}
	err = removeStale(s.Path, s.words().Path)
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	l, err := bind(s, gid)
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return &locked{Listener: l, lock: lock}, nil
}

// locked is a listener with the lock of its socket.
type locked struct {
	net.Listener
	lock *lock
	left bool // another process has the socket and the lock
}

// Close removes the socket, and then the lock.
func (l *locked) Close() error {
	if l.left {
		return l.Listener.Close()
	}
	return errors.Join(l.Listener.Close(), l.lock.release())
}

// checkSettings returns an error if the path of the socket is too long or the group does not exist. It returns the
// number of the group, or -1 for none.
func (s Socket) checkSettings() (gid int, err error) {
	if len(s.Path) > pathMax {
		return -1, fmt.Errorf("the path has %d octets, and at most %d are allowed: set a shorter %s",
			len(s.Path), pathMax, s.words().Path)
	}
	return groupID(s.Group, s.words().Group)
}

// groupID returns the number of a group, given by name or number, or -1 for "". key is its key in the configuration.
func groupID(group, key string) (int, error) {
	if group == "" {
		return -1, nil
	}
	if gid, err := strconv.ParseUint(group, 10, 31); err == nil {
		return int(gid), nil
	}
	g, err := user.LookupGroup(group)
	if err != nil {
		return 0, fmt.Errorf("%s: no group %q on this host: create it (groupadd) or leave %[1]s empty", key, group)
	}
	return strconv.Atoi(g.Gid)
}

// removeStale removes the socket file at path, if there is one and no process listens on it. A socket in use is
// ErrInUse, any other file a *SettingError. key is the path's key in the configuration.
func removeStale(path, key string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return &SettingError{checkKind(path, fs.ModeSocket, "not a socket", key)}
	}
	c, err := net.DialTimeout("unix", path, probeTimeout)
	if err == nil {
		c.Close()
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w by another daemon: stop it, or set another %s", ErrInUse, key)
	}
	return os.Remove(path)
}

// bind makes the socket and listens on it. At no moment may more users connect than s allows: the file is made for this
// user alone, because the kernel copies its mode from the socket's descriptor, and then gets the group and mode of s.
func bind(s Socket, gid int) (net.Listener, error) {
	closed := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		if e := c.Control(func(fd uintptr) { err = unix.Fchmod(int(fd), 0o600) }); e != nil {
			return e
		}
		return err
	}}
	l, err := closed.Listen(context.Background(), "unix", s.Path)
	if err != nil {
		return nil, err
	}
	if err := open(s, gid); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// open sets the group and then the mode of the socket file, in this order: a change of the group must not give the
// old mode to the new group.
func open(s Socket, gid int) error {
	if gid >= 0 {
		if err := os.Lchown(s.Path, -1, gid); err != nil {
			return err
		}
	}
	return os.Chmod(s.Path, s.Mode.Perm())
}
