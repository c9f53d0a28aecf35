package store

import (
	"sync"
	"time"

	"go.uber.org/zap"

	"uelink/sai"
)

// Some values that a client sets last only while the client lives: a stopped queue would else stand still for ever
// after its client was killed. A client lives while its stream of notifications is open, or until it detaches
// (remove_switch). When the stream is closed, its values are dropped after clientGrace, unless the stream is open
// again: the daemon, or the client's network namespace, may have been upgraded meanwhile.

// clientGrace is how long the values of a client stay that is gone.
const clientGrace = 10 * time.Second

// clients records which clients have a stream open, and which clients are gone and have values that will be dropped
// after clientGrace.
type clients struct {
	store *Store
	grace time.Duration

	mu      sync.Mutex
	streams map[string]int         // number of open streams, by client; a client without one is missing
	timers  map[string]*time.Timer // by client that is gone: a timer that calls expired
}

// newClients returns the clients of a store, at first none.
func newClients(s *Store) *clients {
	return &clients{store: s, grace: clientGrace, streams: map[string]int{}, timers: map[string]*time.Timer{}}
}

// Enter records that a client has opened its stream of notifications, and returns the function to call when the stream
// ends. The empty name is a client that does not say who it is.
func (s *Store) Enter(client string) (leave func()) {
	c := s.clients
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams[client]++
	if t := c.timers[client]; t != nil {
		t.Stop()
		delete(c.timers, client)
	}
	return func() { c.left(client) }
}

// left records that a stream of a client has ended. If it was the last one, and the client has set values that last
// only while it lives, they are dropped after clientGrace.
func (c *clients) left(client string) {
	c.mu.Lock()
	if c.streams[client]--; c.streams[client] == 0 {
		delete(c.streams, client)
	}
	c.mu.Unlock()
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if c.store.holds(client) {
		c.watchGone(client)
	}
}

// watchGone drops the values of a client after clientGrace, unless the client has a stream open by then.
func (c *clients) watchGone(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams[client] > 0 {
		return
	}
	if t := c.timers[client]; t != nil {
		t.Stop()
	}
	c.timers[client] = time.AfterFunc(c.grace, func() { c.expired(client) })
}

// expired drops the values of a client at the end of clientGrace, unless the client has come back at the last moment.
func (c *clients) expired(client string) {
	c.mu.Lock()
	back := c.timers[client] == nil || c.streams[client] > 0
	delete(c.timers, client)
	c.mu.Unlock()
	if !back {
		c.store.Detach(client)
	}
}

// Detach drops the values that last only while a client lives: queues that it has stopped or closed work again. If the
// data plane refuses, Detach is called again after clientGrace.
func (s *Store) Detach(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.holds(client) {
		return
	}
	err := s.try(sai.TypeQueue, func() {
		for _, o := range s.sorted() {
			for id, owner := range o.clients {
				if owner == client {
					delete(o.values, id)
					delete(o.clients, id)
				}
			}
			if o.oid.Type() == sai.TypeQueue {
				s.keepQueue(o)
			}
		}
	})
	if err != nil {
		s.log.Error("the client that stopped queues is gone, and the data plane refused to open the queues again",
			zap.Error(err))
		s.clients.watchGone(client)
		return
	}
	s.log.Info("queues that a client of SAI had stopped are open again: the client is gone", zap.String("client", client))
}

// holds reports whether a client has set values that last only while it lives. The caller holds the lock.
func (s *Store) holds(client string) bool {
	for _, o := range s.objects {
		for _, owner := range o.clients {
			if owner == client {
				return true
			}
		}
	}
	return false
}

// awaitClients gives the clients of a restored store, whose streams ended with the former process, the time of grace to
// open them again.
func (s *Store) awaitClients() {
	for _, o := range s.objects {
		for _, client := range o.clients {
			s.clients.watchGone(client)
		}
	}
}
