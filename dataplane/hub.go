package dataplane

import (
	"sync"
	"time"
)

// eventBacklog is how many events a subscriber may lag behind before it misses
// some.
const eventBacklog = 256

// hub hands events to subscribers; it never blocks who reports one.
type hub struct {
	mu          sync.Mutex
	subscribers map[chan Event]struct{}
}

func newHub() *hub { return &hub{subscribers: map[chan Event]struct{}{}} }

func (h *hub) emit(port, kind, text string) {
	e := Event{Time: time.Now(), Port: port, Kind: kind, Text: text}
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.subscribers {
		select {
		case c <- e:
		default:
		}
	}
}

func (h *hub) subscribe() (<-chan Event, func()) {
	c := make(chan Event, eventBacklog)
	h.mu.Lock()
	h.subscribers[c] = struct{}{}
	h.mu.Unlock()
	return c, sync.OnceFunc(func() {
		h.mu.Lock()
		delete(h.subscribers, c)
		h.mu.Unlock()
		close(c)
	})
}
