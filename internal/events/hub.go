// Package events distributes events to subscribers.
package events

import (
	"slices"
	"sync"
)

// Backlog is how many events a subscriber may lag behind before events are dropped for that subscriber.
const Backlog = 256

// Hub sends each event to all subscribers. Emit never blocks. All methods may be called from any goroutine. The
// zero value has no subscribers.
type Hub[E any] struct {
	mu          sync.Mutex
	subscribers map[<-chan E]*subscriber[E]
	latest      []E // a ring of the latest
	next        int // index of the oldest, once the ring is full
}

// Kept is how many of the latest events a hub keeps.
const Kept = 256

// subscriber is the channel of a subscription, and the number of events for which it had no room.
type subscriber[E any] struct {
	c      chan E
	missed uint64
}

// keep stores an event for Recent; when Kept events are stored, it replaces the oldest.
func (h *Hub[E]) keep(e E) {
	if len(h.latest) < Kept {
		h.latest = append(h.latest, e)
		return
	}
	h.latest[h.next] = e
	h.next = (h.next + 1) % Kept
}

// Recent returns the latest events emitted, at most Kept, the oldest first.
func (h *Hub[E]) Recent() []E {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append(append([]E{}, h.latest[h.next:]...), h.latest[:h.next]...)
}

// Restore replaces the events that the hub keeps for Recent by the latest events of list, which is sorted from the
// oldest to the newest. Subscribers do not receive these events.
func (h *Hub[E]) Restore(list []E) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.latest, h.next = slices.Clone(list[max(0, len(list)-Kept):]), 0
}

// Emit sends an event to every subscriber and keeps it for Recent. It never blocks: if a subscriber has not yet read
// the last Backlog events, it misses e, and Missed counts that.
func (h *Hub[E]) Emit(e E) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keep(e)
	for _, s := range h.subscribers {
		select {
		case s.c <- e:
		default:
			s.missed++
		}
	}
}

// Missed returns the number of events that the subscriber with channel c has missed; 0 after the end of the
// subscription.
func (h *Hub[E]) Missed(c <-chan E) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.subscribers[c]; s != nil {
		return s.missed
	}
	return 0
}

// Subscribe returns a channel that gets all events from now on, and a function that ends the subscription and
// closes the channel. The function may be called more than once.
func (h *Hub[E]) Subscribe() (<-chan E, func()) {
	c := make(chan E, Backlog)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subscribers == nil {
		h.subscribers = map[<-chan E]*subscriber[E]{}
	}
	h.subscribers[c] = &subscriber[E]{c: c}
	return c, sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subscribers, c)
		close(c)
	})
}
