package path

import (
	"slices"
	"testing"
	"time"

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
		list = append(list, watched{fd: fd, owner: 100 + i, stalled: new(bool)})
	}
	return list
}

// many are more sockets than are polled one by one.
func openEventfds(t *testing.T) (fds []int) {
	t.Helper()
	for range maxPolled + 1 {
		fds = append(fds, eventfd(t))
	}
	return fds
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

// TestWaiterWakesForEverySocket: polled or behind the epoll, also after some have
// been closed and their numbers been given to others, and after all were behind
// the epoll. Of those behind it the waiter tells whose they are.
func TestWaiterWakesForEverySocket(t *testing.T) {
	w := testWaiter(t)
	var all []int
	for range 3 * maxPolled {
		all = append(all, eventfd(t))
	}
	defer closeAll(all)
	for _, n := range []int{maxPolled, 3 * maxPolled, 3 * maxPolled, maxPolled, maxPolled + 1} {
		fds := all[:n]
		w.watch(owned(fds))
		if polled := len(w.polled) - 1; polled != n && n <= maxPolled || polled != 0 && n > maxPolled {
			t.Errorf("%d of %d sockets are polled one by one", polled, n)
		}
		for i, fd := range fds {
			raise(t, fd)
			start := time.Now()
			owners, complete := w.wait(maxSleep)
			if time.Since(start) >= maxSleep {
				t.Errorf("socket %d of %d is readable, and the waiter sleeps", i, n)
			}
			if n > maxPolled && (!complete || !slices.Equal(owners, []int{100 + i})) || n <= maxPolled && complete {
				t.Errorf("socket %d of %d is readable, and the waiter tells of %v (all: %v)", 100+i, n, owners, complete)
			}
			lower(t, fd)
		}
		for _, i := range []int{1, maxPolled - 1} {
			unix.Close(fds[i])
		}
		for _, i := range []int{maxPolled - 1, 1} {
			fds[i] = eventfd(t)
		}
	}
}

// TestWaiterLeavesStalledSocketsAlone: whoever waits there would never sleep.
func TestWaiterLeavesStalledSocketsAlone(t *testing.T) {
	w, fds := testWaiter(t), []int{eventfd(t), eventfd(t)}
	defer closeAll(fds)
	sockets := owned(fds)
	w.watch(sockets)
	for _, c := range []struct {
		stalled bool
		wakes   bool
	}{{false, true}, {true, false}, {false, true}} {
		raise(t, fds[0])
		*sockets[0].stalled = c.stalled
		w.wait(1e6)
		if woke := w.polled[1].Revents != 0; woke != c.wakes {
			t.Errorf("readable and stalled %v: it woke the waiter %v, want %v", c.stalled, woke, c.wakes)
		}
		*sockets[1].stalled = c.stalled
	}
}

// TestWaiterTellsOnce: of what is not taken it does not tell again until more comes.
func TestWaiterTellsOnce(t *testing.T) {
	w, fds := testWaiter(t), openEventfds(t)
	defer closeAll(fds)
	w.watch(owned(fds))
	for range 2 {
		raise(t, fds[2])
		if owners, _ := w.wait(maxSleep); !slices.Equal(owners, []int{102}) {
			t.Errorf("told of %v, want 102", owners)
		}
		if owners, complete := w.wait(1); len(owners) > 0 || !complete {
			t.Errorf("told of %v (all: %v), and nothing has come", owners, complete)
		}
	}
}

// TestWaiterTellsOfMoreThanAtOnce: those that did not fit are told of next.
func TestWaiterTellsOfMoreThanAtOnce(t *testing.T) {
	w := testWaiter(t)
	var fds []int
	for range maxEvents + 2 {
		fds = append(fds, eventfd(t))
	}
	w.watch(owned(fds))
	for _, fd := range fds {
		raise(t, fd)
	}
	owners, all := w.wait(maxSleep)
	if all || len(owners) != maxEvents {
		t.Errorf("told of %d (all: %v), want %d and that there are more", len(owners), all, maxEvents)
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
	closeAll(fds)
}

// TestWaiterThatCannotWatchAll says that it does not know.
func TestWaiterThatCannotWatchAll(t *testing.T) {
	w, fds := testWaiter(t), openEventfds(t)
	defer closeAll(fds[1:])
	unix.Close(fds[0])
	w.watch(owned(fds))
	if owners, all := w.wait(maxSleep); all || len(owners) > 0 {
		t.Errorf("told of %v (all: %v), and one socket is not watched", owners, all)
	}
}

// TestWaiterWakesForACommand: also for one that came before it slept.
func TestWaiterWakesForACommand(t *testing.T) {
	fds := openEventfds(t)
	defer closeAll(fds)
	for _, n := range []int{0, 1, len(fds)} {
		w := testWaiter(t)
		w.watch(owned(fds[:n]))
		w.wake()
		if owners, _ := w.wait(maxSleep); len(owners) > 0 {
			t.Errorf("told of %v", owners)
		}
		if n, _ := unix.Poll(w.polled, 0); n != 0 {
			t.Error("the waiter has not taken the command note")
		}
	}
}

// TestWaitingAllocatesNothing: a worker may sleep and wake for every frame.
func TestWaitingAllocatesNothing(t *testing.T) {
	fds, increment := openEventfds(t), []byte{1, 0, 0, 0, 0, 0, 0, 0}
	defer closeAll(fds)
	for _, n := range []int{1, len(fds)} {
		w := testWaiter(t)
		w.watch(owned(fds[:n]))
		if allocs := testing.AllocsPerRun(100, func() {
			_, _ = unix.Write(fds[0], increment)
			w.wait(maxSleep)
			w.wait(1)
		}); allocs != 0 {
			t.Errorf("%d sockets: %v allocations", n, allocs)
		}
	}
}
