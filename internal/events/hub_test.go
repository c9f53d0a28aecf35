package events

import (
	"sync"
	"testing"
)

// all returns the events that wait for a subscriber.
func all(c <-chan int) (list []int) {
	for len(c) > 0 {
		list = append(list, <-c)
	}
	return list
}

func TestEverySubscriberGetsEveryEventInOrder(t *testing.T) {
	var h Hub[int]
	h.Emit(0) // nobody wants to know
	first, endFirst := h.Subscribe()
	h.Emit(1)
	second, endSecond := h.Subscribe()
	defer endSecond()
	h.Emit(2)
	endFirst()
	endFirst() // once more does nothing
	h.Emit(3)

	var got []int
	for e := range first { // it is closed
		got = append(got, e)
	}
	if len(got) != 2 || got[0] != 1 || got[1] != 2 {
		t.Errorf("the first got %v", got)
	}
	if got := all(second); len(got) != 2 || got[0] != 2 || got[1] != 3 {
		t.Errorf("the second got %v", got)
	}
}

// A subscriber that does not read misses the events after Backlog, and blocks nobody.
func TestSlowSubscriberMissesEvents(t *testing.T) {
	var h Hub[int]
	slow, endSlow := h.Subscribe()
	defer endSlow()
	for i := range Backlog + 10 {
		h.Emit(i)
	}
	fast, endFast := h.Subscribe()
	defer endFast()
	h.Emit(-1)
	if n, none := h.Missed(slow), h.Missed(fast); n != 11 || none != 0 {
		t.Errorf("the slow one has missed %d events, the fast one %d", n, none)
	}
	if got := all(slow); len(got) != Backlog || got[Backlog-1] != Backlog-1 {
		t.Errorf("the slow one got %d events", len(got))
	}
	if got := all(fast); len(got) != 1 || got[0] != -1 {
		t.Errorf("the fast one got %v", got)
	}
}

// Subscribers come and go while events are emitted; the race detector watches.
func TestSubscribersComeAndGo(t *testing.T) {
	var h Hub[int]
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				c, end := h.Subscribe()
				h.Emit(1)
				if len(c) == 0 {
					t.Error("its own event did not come")
				}
				end()
			}
		})
	}
	group.Wait()
}

// Recent returns past events: the latest, in order.
func TestRecent(t *testing.T) {
	var h Hub[int]
	if got := h.Recent(); len(got) != 0 {
		t.Errorf("before anything has happened there is %v", got)
	}
	for i := range 3*Kept + 7 {
		h.Emit(i)
		got := h.Recent()
		if len(got) != min(i+1, Kept) || got[len(got)-1] != i || got[0] != max(0, i+1-Kept) {
			t.Fatalf("after event %d: %d, from %d to %d", i, len(got), got[0], got[len(got)-1])
		}
	}
}

// Restored events are in the place of the former ones, and the next events follow them.
func TestRestore(t *testing.T) {
	for _, n := range []int{0, 1, Kept - 1, Kept, Kept + 5} {
		var h Hub[int]
		h.Emit(-1)
		c, end := h.Subscribe()
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		h.Restore(list)
		if got := all(c); len(got) != 0 {
			t.Errorf("%d events: a subscriber got %v", n, got)
		}
		end()
		for i := range 3 {
			h.Emit(n + i)
		}
		got := h.Recent()
		if len(got) != min(n+3, Kept) || got[len(got)-1] != n+2 || got[0] != max(0, n+3-Kept) {
			t.Errorf("%d events: %d, from %d to %d", n, len(got), got[0], got[len(got)-1])
		}
	}
}
