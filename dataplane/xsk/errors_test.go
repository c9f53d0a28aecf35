package xsk

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestErrnoOf: asavie/xdp says what the system said in words.
func TestErrnoOf(t *testing.T) {
	err := errnoOf(errors.New("syscall.Bind SockaddrXDP failed: device or resource busy"))
	if !errors.Is(err, unix.EBUSY) || err.Error() != "syscall.Bind SockaddrXDP failed: device or resource busy" {
		t.Errorf("%v", err)
	}
	if other := errors.New("something else"); errnoOf(other) != other {
		t.Errorf("%v", errnoOf(other))
	}
}

func TestExplain(t *testing.T) {
	r := request{ifindex: 4711, queue: 3, options: small(OpenerAsavie)}
	for _, test := range []struct {
		errno unix.Errno
		bind  Bind
		is    error
		says  string
	}{
		{unix.EPERM, BindAuto, os.ErrPermission, "CAP_NET_RAW is missing"},
		{unix.EAFNOSUPPORT, BindAuto, errors.ErrUnsupported, "CONFIG_XDP_SOCKETS"},
		{unix.ENOBUFS, BindAuto, unix.ENOBUFS, "LimitMEMLOCK=infinity"},
		{unix.EINVAL, BindAuto, unix.EINVAL, "has the interface a queue 3?"},
		{unix.EOPNOTSUPP, BindZeroCopy, errors.ErrUnsupported, "bind with auto or copy"},
		{unix.EBUSY, BindAuto, unix.EBUSY, "another AF_XDP socket has queue 3 of eth1"},
		{unix.ENODEV, BindAuto, unix.ENODEV, "no such device"},
	} {
		r.options.Bind = test.bind
		err := r.explain("eth1", test.errno)
		if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) || !strings.HasPrefix(err.Error(), "eth1 queue 3: AF_XDP socket: ") {
			t.Errorf("%v: %v", test.errno, err)
		}
	}
}
