package dataplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/path"
	"uelink/dataplane/place"
	"uelink/dataplane/xsk"
	"uelink/hippi"
	"uelink/llr"
	"uelink/wire"
)

// Dataplane owns every port, domain and worker of the daemon. Its methods may be called from any goroutine.
type Dataplane struct {
	log *zap.Logger
	hub *model.Hub

	mu        sync.Mutex
	settings  Settings
	home      Home
	vethOwner netif.Owner        // of the veths that the data plane makes
	fresh     map[string]bool    // veths that this data plane has made, by the process's end
	addresses *netif.AddressBook // of the veths
	supers    superRoom
	withdraw  bool // Close removes the fresh veths
	records   *netif.Records
	shelf     place.Shelf                // nil: no bookmarks of links are kept
	agreed    map[string]path.Negotiated // by link port
	dcb       map[string]model.DCB       // by port; a port without an entry has the zero value
	made      map[string]newCapture      // by port: during a reload, new captures of ports that go on
	awaited   map[string]bool            // absent interfaces that the data plane waits for
	workers   []*path.Worker
	groups    []*group
	trimmed   model.TrimCounters // of closed groups
	left      bool               // Leave was called already
	closed    bool

	origin    int64                   // of the workers' clock, on CLOCK_MONOTONIC in nanoseconds
	inherited map[string]*inheritance // by port: interfaces that another process hands over
	stopped   bool                    // by Stop, or not begun since Restore
}

// newDataplane returns a data plane without workers and ports.
func newDataplane(home Home, shelf place.Shelf, log *zap.Logger) *Dataplane {
	return &Dataplane{
		log: log, hub: &model.Hub{}, records: netif.OpenRecords(home.records(), log), shelf: shelf,
		home: home, vethOwner: home.owner(), fresh: map[string]bool{},
		addresses: netif.OpenAddressBook(home.State, log),
		agreed:    map[string]path.Negotiated{}, dcb: map[string]model.DCB{}, awaited: map[string]bool{},
		origin: monotonic(),
	}
}

// Open attaches every interface of the settings and starts the workers. Changes on interfaces are recorded in the
// state folder of home; changes recorded by a killed process are put back first, also on interfaces outside the
// settings. The receivers' bookmarks of the links are kept on the shelf for the next process, or not at all
// for nil. The data plane waits for absent interfaces. An error is one line with the next step; an *Error carries the
// exit code 2 or 3.
func Open(s Settings, home Home, shelf place.Shelf, log *zap.Logger) (*Dataplane, error) {
	if err := s.checkClass(os.Getpid()); err != nil {
		return nil, err
	}
	d := newDataplane(home, shelf, log)
	d.await(s)
	d.records.PutBack()
	if err := d.startWorkers(s, false); err != nil {
		return nil, err
	}
	if err := d.apply(s); err != nil {
		d.Withdraw()
		d.Close()
		return nil, err
	}
	return d, nil
}

// startWorkers creates and starts the worker threads that the settings demand. If paused is true, they move no frames
// until Resume.
func (d *Dataplane) startWorkers(s Settings, paused bool) error {
	start := time.Now().Add(-time.Duration(monotonic() - d.origin))
	var workers []*path.Worker
	var err error
	for id := range max(s.Workers, 1) {
		var w *path.Worker
		if w, err = path.NewWorker(id, s.Spin, d.hub); err != nil {
			break
		}
		w.Paused, w.Gathering = paused, new(xsk.Gathering)
		w.AllowRealTime(s.RealTime)
		w.OnlyWorkers = func() bool { return path.OnlyWorkers(workers) }
		w.Clock = func() wire.Time { return wire.Time(time.Since(start)) } // one clock for all: ports move between workers
		workers = append(workers, w)
	}
	for _, w := range workers { // all of them are known when the first runs
		go w.Run()
	}
	d.workers = workers
	if err != nil {
		d.stopWorkers()
	}
	if errors.Is(err, path.ErrOldKernel) {
		return privilegeError("%w", err)
	}
	return err
}

// Run makes the ports follow the changes of their interfaces (up and down, changed, deleted and created again)
// until ctx ends.
func (d *Dataplane) Run(ctx context.Context) error {
	return d.watch(ctx)
}

// Close puts every interface back as found, and ends the workers. The veths made for hosts stay for the next data
// plane, unless Withdraw was called.
func (d *Dataplane) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	closeGroups(d.groups)
	d.groups = nil
	d.leavePairs()
	d.stopWorkers()
	return nil
}

func (d *Dataplane) stopWorkers() {
	for _, w := range d.workers {
		w.Stop()
	}
	d.workers = nil
}

// Workers returns the CPU time of every worker, by number.
func (d *Dataplane) Workers() []model.WorkerState {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]model.WorkerState, 0, len(d.workers))
	for _, w := range d.workers {
		list = append(list, model.WorkerState{Worker: w.ID, CPU: w.CPU()})
	}
	return list
}

// Ports returns a snapshot of every port, sorted by name.
func (d *Dataplane) Ports() []model.PortState {
	d.mu.Lock()
	defer d.mu.Unlock()
	states := []model.PortState{}
	for _, g := range d.groups {
		states = append(states, g.states()...)
	}
	slices.SortFunc(states, func(a, b model.PortState) int { return strings.Compare(a.Name, b.Name) })
	return states
}

// Profiles returns the LLR profiles of the settings, by name.
func (d *Dataplane) Profiles() map[string]llr.Profile {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.settings.Profiles
}

// Subscribe returns a channel with the events from now on, and a function that ends the subscription. A subscriber more
// than 256 events behind misses events.
func (d *Dataplane) Subscribe() (<-chan model.Event, func()) { return d.hub.Subscribe() }

// Missed returns the number of events that the subscriber with channel c (from Subscribe) has missed because it read
// too slowly.
func (d *Dataplane) Missed(c <-chan model.Event) uint64 { return d.hub.Missed(c) }

// Recent returns the latest events of the ports that are kept in memory, the oldest first.
func (d *Dataplane) Recent() []model.Event { return d.hub.Recent() }

// SetLLRLocal sets LLR_MODE_LOCAL of a link port until the next reload. In mode dynamic it sets whether this end is
// willing to receive with LLR.
func (d *Dataplane) SetLLRLocal(port string, on bool) error {
	return d.onLink(port, func(l *path.Link, now wire.Time) { l.AllowLocal(on, now) })
}

// SetLLRRemote sets LLR_MODE_REMOTE of a link port until the next reload. In mode dynamic it sets whether this end is
// willing to send with LLR.
func (d *Dataplane) SetLLRRemote(port string, on bool) error {
	return d.onLink(port, func(l *path.Link, now wire.Time) { l.AllowRemote(on, now) })
}

// SetNegotiated applies the result of LLDP with the partner of a link port until the next call. In mode dynamic LLR
// goes on and off by the result; other modes ignore it. The result in force changes nothing.
func (d *Dataplane) SetNegotiated(port string, n path.Negotiated) error {
	return d.onLink(port, func(l *path.Link, now wire.Time) {
		if d.agreed[port] == n {
			return
		}
		d.agreed[port] = n
		l.Agree(n, now)
	})
}

// ReinitLLR drops the replay buffer of a link port and runs the initialisation again: the way out of FLUSH.
func (d *Dataplane) ReinitLLR(port string) error {
	return d.onLink(port, func(l *path.Link, now wire.Time) {
		l.LLR.Tx.Reinit(now)
		l.Free()
	})
}

// ClearCounters sets the counters of a port, or of all ports for "", to zero.
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

// HIPPICommand runs a HIPPI-6400-PH command (reset, initialize or clear events) on the link port of that name.
// Errors: ErrNoPort, ErrNotLink, ErrNotHIPPI, and those of hippi.Link.ControlRequest.
func (d *Dataplane) HIPPICommand(port string, c hippi.Command) error {
	return d.onHIPPI(port, func(h *path.HIPPI, now wire.Time) error { return h.Command(c, now) })
}

// HIPPIAdmin sends an Admin micropacket on a link that speaks HIPPI-6400-PH: a command on VC1, or a response on VC2.
// Errors: ErrNoPort, ErrNotLink, ErrNotHIPPI, and those of path.HIPPI.SendAdmin.
func (d *Dataplane) HIPPIAdmin(port string, vc uint8, data model.AdminData) error {
	return d.onHIPPI(port, func(h *path.HIPPI, now wire.Time) error { return h.SendAdmin(vc, data, now) })
}

// onHIPPI runs do on the worker of a link port that speaks HIPPI-6400-PH, and returns its error. Other errors:
// ErrNoPort, ErrNotLink, ErrNotHIPPI.
func (d *Dataplane) onHIPPI(port string, do func(h *path.HIPPI, now wire.Time) error) (err error) {
	if failed := d.onPort(port, func(p *path.Port, now wire.Time) {
		if err = ErrNotHIPPI; p.HIPPI != nil {
			err = do(p.HIPPI, now)
		}
	}); failed != nil {
		return failed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", port, err)
	}
	return nil
}

// onLink runs f on the worker of a link port that speaks LLR, and waits until f has returned. f gets the link and the
// present time. Errors: ErrNoPort, ErrNotLink, ErrNotLLR.
func (d *Dataplane) onLink(port string, f func(l *path.Link, now wire.Time)) (err error) {
	if failed := d.onPort(port, func(p *path.Port, now wire.Time) {
		if p.Link == nil {
			err = fmt.Errorf("%s: %w", port, ErrNotLLR)
			return
		}
		f(p.Link, now)
	}); failed != nil {
		return failed
	}
	return err
}

// onPort runs f with a link port on the worker of the port, and waits for its end. Errors: ErrNoPort, ErrNotLink.
func (d *Dataplane) onPort(port string, f func(p *path.Port, now wire.Time)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, a := d.find(port)
	switch {
	case a == nil:
		return fmt.Errorf("%s: %w", port, ErrNoPort)
	case a.settings.Role != model.RoleLink:
		return fmt.Errorf("%s: %w", port, ErrNotLink)
	}
	g.worker.Do(func(now wire.Time) { f(a.port, now) })
	return nil
}
