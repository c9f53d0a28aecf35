// Package events hands what happens to whoever wants to know.
package events

import "sync"

// Backlog is how many events a subscriber may lag behind before it misses some.
const Backlog = 256

// Hub hands each event to all subscribers. It never blocks who emits one, and its methods may
// be called from any goroutine. The zero value has no subscribers.
type Hub[E any] struct {
	mu          sync.Mutex
	subscribers map[chan E]struct{}
}

// Emit hands an event to every subscriber that has room for it.
func (h *Hub[E]) Emit(e E) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.subscribers {
		select {
		case c <- e:
		default:
		}
	}
}

// Subscribe returns the events from now on, and how to end that, which closes the channel. It
// may be ended more than once.
func (h *Hub[E]) Subscribe() (<-chan E, func()) {
	c := make(chan E, Backlog)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subscribers == nil {
		h.subscribers = map[chan E]struct{}{}
	}
	h.subscribers[c] = struct{}{}
	return c, sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subscribers, c)
		close(c)
	})
}
