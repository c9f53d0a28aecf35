package control

import (
	"context"
	"sync"

	"uelink/control/api"
)

// feed delivers the same events to any number of watchers. The events are kept once, in a ring, and each watcher has a
// place in it. The feed is subscribed to its sources only while there is a watcher.
type feed struct {
	sources []source
	size    int // events that a watcher may lag behind

	mu  sync.Mutex
	now *broadcast // nil: no watcher
}

// source subscribes to events. run puts them into the broadcast until ctx ends or no more events come; then it
// unsubscribes.
type source func(ctx context.Context, b *broadcast) (run func())

// from returns a source for a feed. The source subscribes at once, and returns the function that then puts each event
// received, converted by convert, into the broadcast. That function ends with ctx, or ends the broadcast when the
// subscription ends; then it unsubscribes.
func from[E any](subscribe func() (<-chan E, func()), convert func(E) api.Event) source {
	return func(ctx context.Context, b *broadcast) func() {
		events, unsubscribe := subscribe()
		return func() {
			defer unsubscribe()
			for {
				select {
				case <-ctx.Done():
					return
				case e, open := <-events:
					if !open {
						b.end()
						return
					}
					b.put(convert(e))
				}
			}
		}
	}
}

// join subscribes a watcher to every event from now on, until leave is called. It returns the broadcast and the
// number of the first event for this watcher.
func (f *feed) join() (b *broadcast, place uint64, leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil || f.now.over() {
		f.now = f.start() // events since start are for this watcher, too
	} else {
		place = f.now.tail()
	}
	b = f.now
	b.watchers++
	return b, place, func() { f.leave(b) }
}

// start begins to subscribe to the sources, and returns the broadcast of their events. The caller holds the lock.
func (f *feed) start() *broadcast {
	b := &broadcast{ring: make([][]byte, f.size), more: make(chan struct{}), sent: repeats{}}
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	for _, s := range f.sources {
		b.running.Go(s(ctx, b))
	}
	return b
}

// leave removes a watcher of a broadcast. After the last watcher it ends the subscription and waits for its
// goroutine.
func (f *feed) leave(b *broadcast) {
	f.mu.Lock()
	b.watchers--
	last := b.watchers == 0
	if last && f.now == b {
		f.now = nil
	}
	f.mu.Unlock()
	if last {
		b.cancel()
		b.running.Wait()
	}
}

// broadcast keeps the latest events as lines of a watch, made once for all watchers. Events are numbered from 0, and
// the number of an event is its place.
type broadcast struct {
	watchers int // guarded by the feed's mu
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu    sync.Mutex
	ring  [][]byte
	next  uint64
	more  chan struct{} // closed when there is an event more, or the end
	ended bool          // a source has ended: no more events come
	sent  repeats
}

// put adds an event to the ring and never waits for a watcher: a watcher that is a whole ring behind loses the
// oldest event. An event that repeats the last one of its port is left out.
func (b *broadcast) put(e api.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sent.repeated(e) {
		return
	}
	line := eventLine(e)
	b.ring[b.next%uint64(len(b.ring))] = line
	b.next++
	b.wake()
}

func (b *broadcast) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.wake()
}

// wake wakes the watchers that wait for an event; mu is held.
func (b *broadcast) wake() {
	close(b.more)
	b.more = make(chan struct{})
}

func (b *broadcast) over() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ended
}

// tail returns the number of the next event.
func (b *broadcast) tail() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}

// standing is the state of the event that a watcher reads next.
type standing uint8

// The states of the event that a watcher reads next.
const (
	ready  standing = iota // the event can be read
	early                  // the event has not come yet
	late                   // the event was overwritten: the watcher was too slow
	finish                 // no more events will come
)

// at returns the line of the event with the number place, and whether it is there (ready), overwritten (late), not
// there yet (early) or will not come (finish). For early, more is closed when the event has come or will not come.
func (b *broadcast) at(place uint64) (line []byte, state standing, more <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch behind := b.next - place; {
	case behind > uint64(len(b.ring)):
		return nil, late, nil
	case behind > 0:
		return b.ring[place%uint64(len(b.ring))], ready, nil
	case b.ended:
		return nil, finish, nil
	}
	return nil, early, b.more
}

// repeats keeps the last event of each port that was sent to the watchers, so that it is not sent twice in a row.
type repeats map[string]api.Event

// repeated reports whether an event repeats the last event of its port, and remembers the event as the last. An event
// with a neighbour never counts as a repetition.
func (r repeats) repeated(e api.Event) bool {
	last, ok := r[e.Port]
	r[e.Port] = e
	return ok && last.Kind == e.Kind && last.Text == e.Text && last.Destination == e.Destination &&
		last.Neighbor == nil && e.Neighbor == nil
}
