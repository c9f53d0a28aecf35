package xsk

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

// refuseRuns makes the kernel refuse the calling thread every run of a BPF program, by a seccomp filter. The calling
// goroutine must be locked to the thread, which ends with it.
func refuseRuns(errno unix.Errno) error {
	const number, argument = 0, 16 // offsets in struct seccomp_data; the lower half of the first argument
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	unless := func(value uint32, skip uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: value, Jf: skip}
	}
	ret := func(action uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
	}
	program := []unix.SockFilter{
		load(number), unless(unix.SYS_BPF, 3), load(argument), unless(unix.BPF_PROG_TEST_RUN, 1),
		ret(unix.SECCOMP_RET_ERRNO | uint32(errno)), ret(unix.SECCOMP_RET_ALLOW),
	}
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&f)), 0, 0)
}

// refused runs f on a thread whose runs of BPF programs the kernel refuses.
func refused(t *testing.T, errno unix.Errno, f func()) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		err := refuseRuns(errno)
		if err == nil {
			f()
		}
		ended <- err
	}()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// refusals are errors of a kernel that refuses live frames, and the errors that callers see. 524 is ENOTSUPP.
var refusals = map[unix.Errno]error{
	unix.EINVAL: unix.EINVAL, 524: unix.EOPNOTSUPP, unix.EPERM: unix.EPERM, unix.ENOSYS: unix.ENOSYS,
}

func TestKernelRefusesLiveAtTheStart(t *testing.T) {
	w := newWireOf(t, 1)
	p := w.attach(w.a, attach.ModeAuto)
	s := w.open(w.a, 0, p, roomy(2048))
	if s.Transmitter() == nil {
		t.Skipf("skipped: %v", s.Info().LiveFailed)
	}
	for errno, want := range refusals {
		var err error
		refused(t, errno, func() { err = p.Transmit(s.Transmitter()) })
		if s.SetLive(1500); !errors.Is(err, want) || s.live.longest.Load() != 0 {
			t.Errorf("%v: %v, frames of up to %d octets leave live", errno, err, s.live.longest.Load())
		}
	}
}

// Every frame leaves by AF_XDP, in order, once the kernel refuses live frames, and the Socket has the reason.
func TestKernelRefusesLiveLater(t *testing.T) {
	for errno, want := range refusals {
		w := newWireOf(t, 1)
		a, b := w.livePair(roomy(2048))
		x, y := converse(t, a, b, []int{60, 1500}, nil)
		exchanged := func(n int, kick func()) {
			x.burst(n, 1000)
			kick()
			until(t, func() bool { x.work(); y.work(); return y.received == x.sent && x.done == x.posted })
		}
		exchanged(64, x.kick)
		var err error
		exchanged(64, func() { refused(t, errno, func() { err = a.Kick() }) })
		stop := a.LiveStopped()
		if err != nil || stop == nil || !errors.Is(stop.Err, want) || !strings.Contains(stop.String(), want.Error()) {
			t.Errorf("%v: Kick %v, stopped %v", errno, err, stop)
		}
		if a.Live() != 64 || y.received != 128 {
			t.Errorf("%v: of %d frames %d left live", errno, y.received, a.Live())
		}
	}
}
