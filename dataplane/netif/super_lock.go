package netif

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"uelink/bpf"
)

// An XDP program on an interface keeps other processes from the interface. An edge that takes super-frames has no
// program, so its process listens at an abstract unix socket of the interface's network namespace instead. The kernel
// closes the socket when the process ends, and by the socket others learn the ID of the process.

// superAddress returns the address of the socket for an interface.
func superAddress(ifindex int) *net.UnixAddr {
	return &net.UnixAddr{Net: "unix", Name: fmt.Sprintf("@uelink/super-frames/%d", ifindex)}
}

// holdForSuper makes other processes of ours refuse the interface (checkFree), until the returned socket is closed.
func holdForSuper(ifindex int) (*net.UnixListener, error) {
	l, err := net.ListenUnix("unix", superAddress(ifindex))
	if err != nil {
		return nil, fmt.Errorf("keep other processes from the interface: %w", err)
	}
	return l, nil
}

// checkFree returns an error if a process has an interface: a *bpf.OccupiedError for an XDP program, ErrHeld, with the
// ID of the process if known, for super-frames.
func checkFree(ifindex int) error {
	if err := bpf.CheckFree(ifindex); err != nil {
		return err
	}
	c, err := net.DialUnix("unix", nil, superAddress(ifindex))
	if errors.Is(err, unix.ECONNREFUSED) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: it sends and receives super-frames at this interface (connect to it: %w)", ErrHeld, err)
	}
	defer c.Close()
	holder, err := peer(c)
	switch {
	case err != nil:
		return err
	case holder.Uid != 0 && int(holder.Uid) != os.Geteuid():
		return nil // a process of another user must not keep a daemon from its interfaces
	}
	return fmt.Errorf("%w (process %d): it sends and receives super-frames at this interface", ErrHeld, holder.Pid)
}

// peer returns the process at the other end of a connection.
func peer(c *net.UnixConn) (p *unix.Ucred, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	failed := raw.Control(func(fd uintptr) { p, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	return p, errors.Join(failed, err)
}
