package dataplane

import (
	"testing"

	"golang.org/x/sys/unix"
)

// eventfd is a descriptor that becomes readable when it is raised.
func eventfd(t *testing.T) (fd int) {
	t.Helper()
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

func raise(t *testing.T, fd int) {
	t.Helper()
	if _, err := unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
}

func lower(t *testing.T, fd int) {
	t.Helper()
	if _, err := unix.Read(fd, make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
}

// TestWaiterWakesForEverySocket: polled or behind the epoll, also after some have
// been closed and their numbers been given to others, and after all were behind
// the epoll.
func TestWaiterWakesForEverySocket(t *testing.T) {
	w, err := newWaiter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	var all []int
	for range 3 * directly {
		all = append(all, eventfd(t))
	}
	for _, n := range []int{directly, 3 * directly, 3 * directly, directly, directly + 1} {
		fds := all[:n]
		w.watch(fds)
		if polled := len(w.fds) - waitSockets; polled != n && n <= directly || polled != 0 && n > directly {
			t.Errorf("%d of %d sockets are polled one by one", polled, n)
		}
		for i, fd := range fds {
			raise(t, fd)
			w.wait(maxSleep)
			if n, err := unix.Poll(w.fds, 0); n != 1 || err != nil {
				t.Errorf("socket %d of %d is readable, and the waiter sees %d (%v)", i, len(fds), n, err)
			}
			lower(t, fd)
		}
		for _, i := range []int{1, directly - 1} {
			unix.Close(fds[i])
		}
		for _, i := range []int{directly - 1, 1} {
			fds[i] = eventfd(t)
		}
	}
	for _, fd := range all {
		unix.Close(fd)
	}
}

// TestWaiterWakesForACommand: also for one that came before it slept.
func TestWaiterWakesForACommand(t *testing.T) {
	w, err := newWaiter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	w.wake()
	w.wait(maxSleep)
	if n, _ := unix.Poll(w.fds, 0); n != 0 {
		t.Error("the waiter has not taken the command note")
	}
}
