package control

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"uelink/control/api"
)

// counting is a feed of one source, and the source; subscriptions says how many there are.
type counting struct {
	*feed
	emit          chan int
	subscriptions chan int
}

func newCounting(size int) *counting {
	n := &counting{emit: make(chan int), subscriptions: make(chan int, 10)}
	subscribe := func() (<-chan int, func()) {
		n.subscriptions <- 1
		return n.emit, func() { n.subscriptions <- -1 }
	}
	text := func(i int) api.Event { return api.Event{Text: fmt.Sprint(i)} }
	n.feed = &feed{size: size, sources: []source{from(subscribe, text)}}
	return n
}

// reads demands the texts of the events from a place on, and returns the place after them.
func reads(t *testing.T, b *broadcast, place uint64, want ...string) uint64 {
	t.Helper()
	for _, text := range want {
		line, is, more := b.at(place)
		for is == early {
			select {
			case <-more:
			case <-time.After(5 * time.Second):
				t.Fatalf("%s did not come", text)
			}
			line, is, more = b.at(place)
		}
		var e api.Event
		if is != ready || json.Unmarshal(line, &e) != nil || e.Text != text {
			t.Fatalf("%q, standing %d, want %q", line, is, text)
		}
		place++
	}
	return place
}

// Each watcher gets every event from when it came on, in order; there is one subscription for all
// of them, and none without.
func TestFeed(t *testing.T) {
	n := newCounting(8)
	for range 2 {
		b, first, leaveFirst := n.join()
		n.emit <- 1
		first = reads(t, b, first, "1")
		again, second, leaveSecond := n.join()
		if again != b {
			t.Fatal("the second watcher has a broadcast of its own")
		}
		n.emit <- 2
		n.emit <- 3
		reads(t, b, second, "2", "3")
		leaveSecond()
		reads(t, b, first, "2", "3")
		if len(n.subscriptions) != 1 {
			t.Fatalf("%d subscriptions were made or ended, want one", len(n.subscriptions))
		}
		leaveFirst()
		if on, off := <-n.subscriptions, <-n.subscriptions; on != 1 || off != -1 {
			t.Errorf("subscribed %d, then %d", on, off)
		}
	}
}

// A watcher that is too slow learns that it has lost events, and holds nobody up.
func TestFeedOfASlowWatcher(t *testing.T) {
	n := newCounting(4)
	b, slow, leave := n.join()
	defer leave()
	fast := slow
	for i := range 5 {
		n.emit <- i
		fast = reads(t, b, fast, fmt.Sprint(i))
		if i == 3 {
			reads(t, b, slow, "0", "1", "2", "3")
		}
	}
	if _, is, _ := b.at(slow); is != late {
		t.Errorf("a watcher that is five events behind of four has standing %d", is)
	}
	if _, is, _ := b.at(fast); is != early {
		t.Errorf("one that has read all has standing %d", is)
	}
}

// When the source ends, watchers get what is left and then the end; the next one subscribes anew.
func TestFeedWhoseSourceEnds(t *testing.T) {
	n := newCounting(4)
	b, place, leave := n.join()
	n.emit <- 1
	close(n.emit)
	place = reads(t, b, place, "1")
	for end := time.Now().Add(5 * time.Second); !b.over(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the end did not come")
		}
	}
	if _, is, _ := b.at(place); is != finish {
		t.Errorf("standing %d at the end", is)
	}
	n.emit = make(chan int)
	next, from, leaveNext := n.join()
	n.emit <- 2
	reads(t, next, from, "2")
	leaveNext()
	leave()
}

// An event that comes while the first watcher subscribes is not lost: whoever reports one when there is a
// subscriber may count on it.
func TestEventWhileTheFirstWatcherSubscribes(t *testing.T) {
	f := &feed{size: 4, sources: []source{func(_ context.Context, b *broadcast) func() {
		b.put(api.Event{Text: "early"})
		return func() {}
	}}}
	b, place, leave := f.join()
	defer leave()
	if line, is, _ := b.at(place); is != ready || !strings.Contains(string(line), "early") {
		t.Errorf("at place %d: %q, %v", place, line, is)
	}
}
