package dataplane

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/path"
	"uelink/dataplane/place"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// Dataplane owns every port, domain and worker of the daemon. Its methods may be called from any goroutine.
type Dataplane struct {
	log *zap.Logger
	hub *model.Hub

	mu       sync.Mutex
	settings Settings
	home     Home
	veths    *veths
	supers   superRoom
	records  *netif.Records
	shelf    place.Shelf                // nil: no bookmarks of links are kept
	agreed   map[string]path.Negotiated // by link port
	dcb      map[string]model.DCB       // by port; a port without an entry has the zero value
	captures newCaptures                // files of the captures that begin by the present reload
	awaited  map[string]bool            // absent interfaces that the data plane waits for
	workers  []*path.Worker
	groups   []*group
	trimmed  model.TrimCounters // sum of the trimming counters of closed groups
	left     bool               // Leave was called already
	closed   bool

	origin    int64        // of the workers' clock, on CLOCK_MONOTONIC in nanoseconds
	inherited inheritances // by port: interfaces that another process hands over
	stopped   bool         // the workers move no frames: since Stop or Restore, until Resume
}

// newDataplane returns a data plane without workers and ports.
func newDataplane(home Home, shelf place.Shelf, log *zap.Logger) *Dataplane {
	return &Dataplane{
		log: log, hub: &model.Hub{}, records: netif.OpenRecords(home.records(), log), shelf: shelf,
		home: home, veths: newVeths(home, log),
		agreed: map[string]path.Negotiated{}, dcb: map[string]model.DCB{}, awaited: map[string]bool{},
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
// until Resume. After an error no worker runs.
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
	for _, w := range workers { // only now: OnlyWorkers reads the complete list
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
	d.veths.leave(d.settings.Ports, d.log)
	d.stopWorkers()
	return nil
}

// stopWorkers ends the threads of all workers.
func (d *Dataplane) stopWorkers() {
	for _, w := range d.workers {
		w.Stop()
	}
	d.workers = nil
}

// Subscribe returns a channel with the events from now on, and a function that ends the subscription. A subscriber more
// than 256 events behind misses events.
func (d *Dataplane) Subscribe() (<-chan model.Event, func()) { return d.hub.Subscribe() }

// Missed returns the number of events that the subscriber with channel c (from Subscribe) has missed because it read
// too slowly.
func (d *Dataplane) Missed(c <-chan model.Event) uint64 { return d.hub.Missed(c) }

// Recent returns the latest events of the ports that are kept in memory, the oldest first.
func (d *Dataplane) Recent() []model.Event { return d.hub.Recent() }

// Withdraw makes Close remove the veths that this data plane has made: nothing of it stays. A veth that it has taken
// over stays.
func (d *Dataplane) Withdraw() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.veths.withdraw = true
}
