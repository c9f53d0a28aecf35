package control

import (
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

// probeTimeout bounds the wait for a sign of life from whoever has the socket.
const probeTimeout = time.Second

// Socket is where the server listens and who may speak to it.
type Socket struct {
	Path  string
	Mode  fs.FileMode // permission bits
	Group string      // name or number of the group that owns it; "" leaves it
}

// SettingError is a Socket that can never work.
type SettingError struct{ Err error }

// Error says what is wrong.
func (e *SettingError) Error() string { return e.Err.Error() }

// Unwrap is the cause.
func (e *SettingError) Unwrap() error { return e.Err }

// ExitCode is 2: the configuration is wrong.
func (e *SettingError) ExitCode() int { return 2 }

// ErrInUse says that a running daemon listens on the socket.
var ErrInUse = errors.New("another daemon is listening on it")

// Listen makes the socket. One that a crashed daemon left behind is replaced,
// one that is alive is ErrInUse, and anything but a socket is left alone. The
// directory is made if only its last part is missing. Closing the listener
// removes the socket.
func Listen(s Socket) (net.Listener, error) {
	l, err := listen(s)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: start uelinkd as root, or set control.socket to where it may write", err)
	}
	if err != nil {
		return nil, fmt.Errorf("control socket %s: %w", s.Path, err)
	}
	return l, nil
}

func listen(s Socket) (net.Listener, error) {
	if len(s.Path) > pathMax {
		return nil, &SettingError{fmt.Errorf("path is %d octets long, at most %d fit: set a shorter control.socket",
			len(s.Path), pathMax)}
	}
	gid, err := groupID(s.Group)
	if err != nil {
		return nil, &SettingError{err}
	}
	unlock, err := lockDirectory(filepath.Dir(s.Path))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := removeStale(s.Path); err != nil {
		return nil, err
	}
	return bind(s, gid)
}

// groupID is the number of a group, or -1 for none.
func groupID(group string) (int, error) {
	if group == "" {
		return -1, nil
	}
	if gid, err := strconv.ParseUint(group, 10, 31); err == nil {
		return int(gid), nil
	}
	g, err := user.LookupGroup(group)
	if err != nil {
		return 0, fmt.Errorf("control.group: no group %q on this host: create it (groupadd) or leave control.group empty",
			group)
	}
	return strconv.Atoi(g.Gid)
}

// lockDirectory makes sure that of two daemons that start at once only one looks
// for a stale socket, so that none removes the other's fresh one. The lock is
// the directory's own, so that no file is left.
func lockDirectory(dir string) (unlock func(), err error) {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return func() { f.Close() }, nil
}

// removeStale removes a socket that nobody listens on.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return &SettingError{errors.New("there is a file there that is not a socket: remove it or set another " +
			"control.socket")}
	}
	c, err := net.DialTimeout("unix", path, probeTimeout)
	if err == nil {
		c.Close()
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w: stop that daemon or set another control.socket", ErrInUse)
	}
	return os.Remove(path)
}

// bind makes the socket without a moment in which more may speak to it than s
// allows: the kernel takes the mode of a new socket's file from the socket.
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

// open gives the socket its owner and mode, in this order: a change of group
// may not hand the mode of another group over.
func open(s Socket, gid int) error {
	if gid >= 0 {
		if err := os.Lchown(s.Path, -1, gid); err != nil {
			return err
		}
	}
	return os.Chmod(s.Path, s.Mode.Perm())
}
