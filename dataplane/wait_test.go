package dataplane

import (
	"slices"
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

func testWaiter(t *testing.T) *waiter {
	t.Helper()
	w, err := newWaiter()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w
}

// owned gives every descriptor an owner, from 100 on.
func owned(fds []int) (list []watched) {
	for i, fd := range fds {
		list = append(list, watched{fd, 100 + i})
	}
	return list
}

// TestWaiterTellsWhoseSocketItIs: also after some have been closed and their numbers
// been given to others.
func TestWaiterTellsWhoseSocketItIs(t *testing.T) {
	w := testWaiter(t)
	var all []int
	for range 24 {
		all = append(all, eventfd(t))
	}
	for _, n := range []int{4, 24, 24, 4, 5} {
		fds := all[:n]
		w.watch(owned(fds))
		for i, fd := range fds {
			raise(t, fd)
			if owners, known := w.wait(maxSleep); !known || !slices.Equal(owners, []int{100 + i}) {
				t.Errorf("socket %d of %d is readable, and the waiter tells of %v (all: %v)", 100+i, n, owners, known)
			}
			lower(t, fd)
		}
		for _, i := range []int{1, 3} {
			unix.Close(fds[i])
		}
		for _, i := range []int{3, 1} {
			fds[i] = eventfd(t)
		}
	}
	for _, fd := range all {
		unix.Close(fd)
	}
}

// TestWaiterTellsOnce: of what is not taken it does not tell again until more comes.
func TestWaiterTellsOnce(t *testing.T) {
	w := testWaiter(t)
	fd := eventfd(t)
	defer unix.Close(fd)
	w.watch(owned([]int{fd}))
	for range 2 {
		raise(t, fd)
		if owners, _ := w.wait(maxSleep); !slices.Equal(owners, []int{100}) {
			t.Errorf("told of %v, want 100", owners)
		}
		if owners, known := w.wait(1); len(owners) > 0 || !known {
			t.Errorf("told of %v (all: %v), and nothing has come", owners, known)
		}
	}
}

// TestWaiterTellsOfMoreThanAtOnce: those that did not fit are told of next.
func TestWaiterTellsOfMoreThanAtOnce(t *testing.T) {
	w := testWaiter(t)
	var fds []int
	for range toldAtOnce + 2 {
		fds = append(fds, eventfd(t))
	}
	w.watch(owned(fds))
	for _, fd := range fds {
		raise(t, fd)
	}
	owners, all := w.wait(maxSleep)
	if all || len(owners) != toldAtOnce {
		t.Errorf("told of %d (all: %v), want %d and that there are more", len(owners), all, toldAtOnce)
	}
	seen := slices.Clone(owners)
	owners, all = w.wait(maxSleep)
	if seen = append(seen, owners...); !all {
		t.Error("all have been told of")
	}
	slices.Sort(seen)
	if len(seen) != len(fds) || len(slices.Compact(seen)) != len(fds) {
		t.Errorf("told of %v, want each of %d once", seen, len(fds))
	}
	for _, fd := range fds {
		unix.Close(fd)
	}
}

// TestWaiterThatCannotWatchAll says that it does not know.
func TestWaiterThatCannotWatchAll(t *testing.T) {
	w := testWaiter(t)
	fd := eventfd(t)
	unix.Close(fd)
	w.watch(owned([]int{fd}))
	if owners, all := w.wait(maxSleep); all || len(owners) > 0 {
		t.Errorf("told of %v (all: %v), and one socket is not watched", owners, all)
	}
}

// TestWaiterWakesForACommand: also for one that came before it slept.
func TestWaiterWakesForACommand(t *testing.T) {
	w := testWaiter(t)
	w.wake()
	if owners, all := w.wait(maxSleep); !all || len(owners) > 0 {
		t.Errorf("told of %v (all: %v)", owners, all)
	}
	if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(w.epoll), Events: unix.POLLIN}}, 0); n != 0 {
		t.Error("the waiter has not taken the command note")
	}
}
