package controltest

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// hub delivers events to subscribers. The zero value has no subscriber.
type hub[E any] struct {
	mu          sync.Mutex
	subscribers map[chan E]bool
	emitted     []E
}

// Subscribe returns a channel with room for one event, which receives the events of Emit, and a function that ends
// the subscription.
func (h *hub[E]) Subscribe() (<-chan E, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := make(chan E, 1)
	if h.subscribers == nil {
		h.subscribers = map[chan E]bool{}
	}
	h.subscribers[c] = true
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subscribers, c)
	}
}

// Subscribers returns the number of present subscribers to the events.
func (h *hub[E]) Subscribers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subscribers)
}

// Emit sends an event to every subscriber, and waits up to patience for room in each channel. It reports whether
// every channel had room.
func (h *hub[E]) Emit(e E, patience time.Duration) bool {
	h.mu.Lock()
	h.emitted = append(h.emitted, e)
	subscribers := slices.Collect(maps.Keys(h.subscribers))
	h.mu.Unlock()
	late := time.After(patience)
	for _, c := range subscribers {
		select {
		case c <- e:
		case <-late:
			return false
		}
	}
	return true
}

// Recent returns all events that Emit has sent.
func (h *hub[E]) Recent() []E {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.emitted)
}

// Drop closes every subscriber's channel, as a data plane does for a subscriber that is too slow.
func (h *hub[E]) Drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.subscribers {
		delete(h.subscribers, c)
		close(c)
	}
}
