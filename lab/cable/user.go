package cable

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/cilium/ebpf"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

const (
	chunkSize = netif.LargeChunk
	ringSize  = 1024
	txChunks  = ringSize
	rxChunks  = 2 * ringSize
	longLine  = 16 * ringSize // RX chunks with delay, jitter or rate, where frames stay longer on the wire

	publishEvery = 5 * time.Millisecond
)

// userWire is a wire through AF_XDP sockets.
type userWire struct {
	plugs   [2]*plug
	lanes   []*lane
	outlets [2]*outlet // of interfaces A and B
	clock   func() wire.Time

	mu       sync.Mutex
	snapshot [2]fault.Counters
}

// plug is one interface: its XDP program, and the fault decorator of each RX queue's socket.
type plug struct {
	objects struct {
		Program *ebpf.Program `ebpf:"uelink_to_user"`
		Sockets *ebpf.Map     `ebpf:"sockets"`
	}
	devices []*fault.Device
}

func openUser(ends *[2]end, c fault.Config) (medium, error) {
	began := time.Now()
	w := &userWire{clock: func() wire.Time { return wire.Time(time.Since(began)) }}
	for i := range ends {
		w.plugs[i] = &plug{}
		if err := w.plugs[i].open(&ends[i], c, fault.Stream(c.Seed, i), w.clock); err != nil {
			return nil, errors.Join(err, w.close())
		}
		w.outlets[i] = newOutlet(w.plugs[i].devices[0])
	}
	for i, p := range w.plugs {
		for _, dev := range p.devices {
			w.lanes = append(w.lanes, &lane{way: i, in: dev, out: w.outlets[1-i]})
		}
	}
	return w, nil
}

// open attaches the XDP program to an interface and opens its sockets, one for each RX queue, and puts the faults
// c in front of each, with random numbers of its own derived from seed.
func (p *plug) open(e *end, c fault.Config, seed uint64, clock func() wire.Time) error {
	if most := netif.FitsPieces(chunkSize, xsk.MostPieces); e.mtu > most {
		return fmt.Errorf("interface %s: its MTU is %d, and a cable in user space carries %d at most: lower the MTU",
			e.name, e.mtu, most)
	}
	g := frame.Geometry{ChunkSize: chunkSize, RX: rxChunks, TX: txChunks}
	if c.Delay > 0 || c.Jitter > 0 || c.RateBPS > 0 {
		g.RX = longLine
	}
	g = netif.InPieces(g, netif.PiecesFor(e.mtu, chunkSize))
	load := func() (*ebpf.Program, *ebpf.Map, error) {
		err := p.load(e.queues)
		return p.objects.Program, p.objects.Sockets, err
	}
	if err := e.attach(load, &netif.Sockets{Options: xsk.Options{RingSize: ringSize, Geometry: g}}); err != nil {
		return err
	}
	for queue, socket := range e.owned.Sockets() {
		c.Seed = fault.Stream(seed, queue)
		p.devices = append(p.devices, fault.New(socket, c, clock))
	}
	return nil
}

func (p *plug) load(queues int) error {
	spec, err := loadWire()
	if err != nil {
		return err
	}
	spec.Maps[wireMapSockets].MaxEntries = uint32(queues)
	return spec.LoadAndAssign(&p.objects, nil)
}

func (p *plug) close() error {
	if p == nil {
		return nil
	}
	return errors.Join(p.objects.Program.Close(), p.objects.Sockets.Close())
}

// run carries frames both ways until ctx ends, on the calling goroutine, locked to its thread.
func (w *userWire) run(ctx context.Context) error {
	runtime.LockOSThread() // polling makes system calls past Go's scheduler
	defer runtime.UnlockOSThread()
	sleeper, err := newSleeper(ctx, w.lanes)
	if err != nil {
		return err
	}
	defer sleeper.close()
	defer w.publish()
	return w.forward(ctx, sleeper)
}

// publish copies the counters of both directions to where counters, on other goroutines, reads them.
func (w *userWire) publish() {
	var now [2]fault.Counters
	for _, l := range w.lanes {
		now[l.way].Add(l.counters())
	}
	w.mu.Lock()
	w.snapshot = now
	w.mu.Unlock()
}

func (w *userWire) counters() ([2]fault.Counters, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.snapshot, nil
}

func (w *userWire) close() error {
	return errors.Join(w.plugs[0].close(), w.plugs[1].close())
}
