package dataplane

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane/netif"
	"uelink/dataplane/place"
	"uelink/llr"
	"uelink/wire"
)

// Dataplane is every port, domain and worker of the daemon. Its methods may be
// called from any goroutine.
type Dataplane struct {
	log *zap.Logger
	hub *hub

	mu       sync.Mutex
	settings Settings
	records  *netif.Records
	shelf    place.Shelf           // nil: no bookmarks of links are kept
	agreed   map[string]Negotiated // by link port
	dcb      map[string]DCB        // by port; none is the zero value
	made     map[string]newCapture // by port: during a reload, those that begin on ports that go on
	awaited  map[string]bool       // interfaces that are waited for while they are not there
	workers  []*worker
	groups   []*group
	trimmed  TrimCounters // of groups that were closed
	left     bool         // Leave was called
	closed   bool
}

// Open takes every interface of the settings into possession and starts the
// workers. What is changed on interfaces is written down in the directory records, or
// nowhere for ""; what a killed process has written down there is put back first, on
// interfaces that are not in the settings too. How far the links have come is kept on the shelf for the next process,
// or not at all for nil. An interface that is not there is waited for. An error is one line
// that says what to do; an *Error carries the exit code 2 or 3.
func Open(s Settings, records string, shelf place.Shelf, log *zap.Logger) (*Dataplane, error) {
	d := &Dataplane{
		log: log, hub: &hub{}, records: netif.OpenRecords(records, log), shelf: shelf,
		agreed: map[string]Negotiated{}, dcb: map[string]DCB{}, awaited: map[string]bool{},
	}
	d.await(s)
	d.records.PutBack()
	start := time.Now()
	for id := range max(s.Workers, 1) {
		w, err := newWorker(id, s.Spin, d.hub)
		if err != nil {
			d.stopWorkers()
			return nil, err
		}
		w.clock = func() int64 { return int64(time.Since(start)) } // ports are taken from one worker to another
		d.workers = append(d.workers, w)
		go w.run()
	}
	if err := d.apply(s); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Run has the ports follow their interfaces, which go up and down, change, go and come back, until ctx ends.
func (d *Dataplane) Run(ctx context.Context) error {
	return d.watch(ctx)
}

// Close puts every interface back and ends the workers.
func (d *Dataplane) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	closeGroups(d.groups)
	d.groups = nil
	d.removePairs()
	d.stopWorkers()
	return nil
}

func (d *Dataplane) stopWorkers() {
	for _, w := range d.workers {
		w.stop()
	}
	d.workers = nil
}

// Leave announces to the partners of the links that this end leaves: they hold back what is for it. And it closes the
// doors of the edges: frames that a host sends from now on go to the kernel, frames in the RX rings are still taken.
func (d *Dataplane) Leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left {
		return
	}
	d.left = true
	for _, g := range d.groups {
		g.worker.do(g.domain.leave)
	}
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.settings.Role == RoleEdge && a.host != nil {
				g.closeDoor(a)
			}
		}
	}
}

// Drain is Leave, and waits until LLR holds nothing any more, at either end, for at most DrainTimeout. It tells
// whether all was delivered. It ends when the data plane is closed.
func (d *Dataplane) Drain() bool {
	d.Leave()
	d.mu.Lock()
	timeout := d.settings.DrainTimeout
	d.mu.Unlock()
	taken := uint64(math.MaxUint64)
	for end := time.Now().Add(timeout); ; time.Sleep(drainPoll) {
		held, now := d.held()
		if held == 0 && now == taken { // a round went by, and the RX rings had nothing
			return true
		}
		if taken = now; time.Now().After(end) {
			return false
		}
	}
}

// drainPoll is how often Drain looks whether all has been delivered.
const drainPoll = 2 * time.Millisecond

// held counts the frames that wait or are unacknowledged, and the partners that are waited for; taken is how many
// frames the edges have received in all.
func (d *Dataplane) held() (n int, taken uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.groups {
		g.worker.do(func(now int64) {
			n += g.domain.held() + g.domain.awaited(now)
			for _, p := range g.domain.edges {
				taken += p.counters.RxFrames
			}
		})
	}
	return n, taken
}

// Ports is a snapshot of every port, by name.
func (d *Dataplane) Ports() []PortState {
	d.mu.Lock()
	defer d.mu.Unlock()
	states := []PortState{}
	for _, g := range d.groups {
		states = append(states, g.states()...)
	}
	slices.SortFunc(states, func(a, b PortState) int { return strings.Compare(a.Name, b.Name) })
	return states
}

// Profiles is the LLR profiles by name.
func (d *Dataplane) Profiles() map[string]llr.Profile {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.settings.Profiles
}

// Subscribe returns what happens from now on, and how to end that. Who lags more
// than 256 events behind misses some.
func (d *Dataplane) Subscribe() (<-chan Event, func()) { return d.hub.Subscribe() }

// Recent are the latest events, the oldest first.
func (d *Dataplane) Recent() []Event { return d.hub.Recent() }

// SetLLRLocal sets LLR_MODE_LOCAL of a link port until the next reload: in mode
// dynamic, whether this end is willing to have it on.
func (d *Dataplane) SetLLRLocal(port string, on bool) error {
	return d.onLink(port, func(l *link, now int64) { l.allowLocal(on, now) })
}

// SetLLRRemote sets LLR_MODE_REMOTE of a link port until the next reload: in mode
// dynamic, whether this end is willing to have it on.
func (d *Dataplane) SetLLRRemote(port string, on bool) error {
	return d.onLink(port, func(l *link, now int64) { l.allowRemote(on, now) })
}

// SetNegotiated takes what LLDP has agreed with the partner of a link port. In mode
// dynamic LLR goes on and off by it, in the others it is without effect. It holds
// until the next call.
func (d *Dataplane) SetNegotiated(port string, n Negotiated) error {
	return d.onLink(port, func(l *link, now int64) {
		d.agreed[port] = n
		l.agree(n, now)
	})
}

// ReinitLLR has a link port drop its replay buffer and run the initialisation
// again: the way out of FLUSH.
func (d *Dataplane) ReinitLLR(port string) error {
	return d.onLink(port, func(l *link, now int64) {
		l.llr.Tx.Reinit(now)
		l.free()
	})
}

// ClearCounters sets the counters of a port, or of all for "", to zero.
func (d *Dataplane) ClearCounters(port string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := port == ""
	if found {
		d.clearTrimming()
	}
	for _, g := range d.groups {
		for _, a := range g.members {
			if port == "" || port == a.settings.Name {
				g.clear(a)
				found = true
			}
		}
	}
	if !found {
		return fmt.Errorf("%s: %w", port, ErrNoPort)
	}
	return nil
}

// onLink has the worker of a link port do something with it.
func (d *Dataplane) onLink(port string, f func(l *link, now int64)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, a := d.find(port)
	switch {
	case a == nil:
		return fmt.Errorf("%s: %w", port, ErrNoPort)
	case a.settings.Role != RoleLink:
		return fmt.Errorf("%s: %w", port, ErrNotLink)
	}
	g.worker.do(func(now int64) { f(a.port.link, now) })
	return nil
}

// newIdentity is random. So frames of an earlier process, still on the wire, do not match
// the first sequence number; and a partner sees by the others that it speaks with another
// one, which has forgotten the numbers of the last. Each start of a link has its own, also
// one that a reload opens anew.
func newIdentity() (id identity) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program rather
	_, _ = rand.Read(id.nonce[:])
	id.seq = binary.LittleEndian.Uint32(b[:]) & wire.SeqMask
	id.start = binary.LittleEndian.Uint32(b[4:]) & wire.StartMask
	return id
}
