package xsk

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

// TestErrnoOf: asavie/xdp keeps the text of the errno only.
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
	r := request{ifindex: 4711, queue: 3, options: small(attach.OpenerAsavie)}
	for _, test := range []struct {
		errno  unix.Errno
		bind   attach.Bind
		target error
		says   string
	}{
		{unix.EPERM, attach.BindAuto, os.ErrPermission, "CAP_NET_RAW is missing"},
		{unix.EAFNOSUPPORT, attach.BindAuto, errors.ErrUnsupported, "CONFIG_XDP_SOCKETS"},
		{unix.ENOBUFS, attach.BindAuto, unix.ENOBUFS, "LimitMEMLOCK=infinity"},
		{unix.EINVAL, attach.BindAuto, unix.EINVAL, "the kernel or the driver refuses these settings"},
		{unix.ENOMEM, attach.BindAuto, unix.ENOMEM, "ulimit -v"},
		{unix.EMFILE, attach.BindAuto, unix.EMFILE, "ulimit -n"},
		{unix.EOPNOTSUPP, attach.BindZeroCopy, errors.ErrUnsupported, "bind with auto or copy"},
		{unix.EBUSY, attach.BindAuto, unix.EBUSY, "another AF_XDP socket has queue 3 of eth1"},
		{unix.ENODEV, attach.BindAuto, unix.ENODEV, "no such device"},
	} {
		r.options.Bind = test.bind
		err := r.explain("eth1", test.errno)
		if !errors.Is(err, test.target) || !strings.Contains(err.Error(), test.says) ||
			!strings.HasPrefix(err.Error(), "eth1 queue 3: AF_XDP socket: ") {
			t.Errorf("%v: %v", test.errno, err)
		}
	}
}

// EINVAL of a missing queue names the number of queues; EINVAL of an existing queue is the driver's own, and the
// queue is not blamed.
func TestInvalidIsBlamedOnWhatItIs(t *testing.T) {
	w := newWire(t) // a veth with two queues
	for _, c := range []struct {
		queue    int
		bind     attach.Bind
		says, no string
	}{
		{0, attach.BindZeroCopy, "the driver refuses zero copy as it is set up now", "queue 0?"},
		{0, attach.BindCopy, "the kernel or the driver refuses these settings", "ethtool -L"},
		{2, attach.BindZeroCopy, "the interface has 2 RX queues, numbered from 0", "driver"},
		{2, attach.BindCopy, "give the interface more (ethtool -L a)", "driver"},
	} {
		o := small(attach.OpenerNative)
		o.Bind = c.bind
		err := request{ifindex: w.a, queue: c.queue, options: o}.explain("a", unix.EINVAL)
		if !errors.Is(err, unix.EINVAL) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), c.no) {
			t.Errorf("queue %d, %s: %v", c.queue, c.bind, err)
		}
	}
	o := small(attach.OpenerNative)
	if _, err := Open(w.a, 2, o); err == nil || !strings.Contains(err.Error(), "the interface has 2 RX queues") {
		t.Errorf("a queue that is not there: %v", err)
	}
}
