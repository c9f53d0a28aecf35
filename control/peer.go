package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/user"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/control/api"
	"uelink/internal/printable"
)

// Caller is the process that has sent a request, as the kernel knew it when it connected.
type Caller struct {
	UID    uint32
	PID    int32
	Groups []uint32 // all groups of the process
}

// Owner reports whether the caller may do all that the daemon may: it is root, or the daemon's user.
func (c Caller) Owner() bool { return c.UID == 0 || int(c.UID) == os.Geteuid() }

// String returns user and process of the caller in words: "user 0 (root), process 4711 (uelink)". A process
// chooses its own name, so control characters are removed from the name.
func (c Caller) String() string {
	text := fmt.Sprintf("user %d", c.UID)
	if u, err := user.LookupId(strconv.FormatUint(uint64(c.UID), 10)); err == nil {
		text += " (" + u.Username + ")"
	}
	text += fmt.Sprintf(", process %d", c.PID)
	if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", c.PID)); err == nil {
		text += " (" + string(printable.Append(nil, bytes.TrimSpace(name))) + ")"
	}
	return text
}

// callerKey is the key of a connection's caller in the context of its requests.
type callerKey struct{}

// withCaller adds the process at the other end of connection c to the context of its requests.
func withCaller(ctx context.Context, c net.Conn) context.Context {
	if caller, err := readCaller(c); err == nil {
		return context.WithValue(ctx, callerKey{}, caller)
	}
	return ctx
}

// callerOf returns the process that has sent a request, or a refusal if it is not known.
func callerOf(r *http.Request) (Caller, error) {
	caller, ok := r.Context().Value(callerKey{}).(Caller)
	if !ok {
		return caller, &api.Error{Status: http.StatusForbidden, Message: "the process that sent the request is not known"}
	}
	return caller, nil
}

// readCaller returns the process at the other end of a unix socket (SO_PEERCRED, SO_PEERGROUPS).
func readCaller(c net.Conn) (caller Caller, err error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return caller, errors.New("no unix socket")
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return caller, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); failed == nil {
			caller = Caller{cred.Uid, cred.Pid, append(peerGroups(fd), cred.Gid)}
		}
	})
	return caller, errors.Join(err, failed)
}

// peerGroups returns the supplementary groups of the process at the other end of a socket; none if the kernel does not
// tell them.
func peerGroups(fd uintptr) []uint32 {
	groups := make([]uint32, 32)
	for {
		size := uint32(len(groups) * 4)
		_, _, failed := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_PEERGROUPS,
			uintptr(unsafe.Pointer(&groups[0])), uintptr(unsafe.Pointer(&size)), 0)
		switch {
		case failed == 0:
			return groups[:size/4]
		case failed != unix.ERANGE || int(size/4) <= len(groups):
			return nil
		}
		groups = make([]uint32, size/4) // the kernel has told how many there are
	}
}
