package cable

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
)

const (
	chunkSize = netif.LargeChunk
	ringSize  = 1024
	txChunks  = ringSize
	rxChunks  = 2 * ringSize
	longLine  = 16 * ringSize // RX chunks when frames are to wait for their time

	publishEvery = 5 * time.Millisecond
)

// userWire is a wire through AF_XDP sockets.
type userWire struct {
	plugs   [2]*plug
	lanes   []*lane
	outlets []*outlet // of both sides
	clock   func() int64

	mu       sync.Mutex
	snapshot [2]fault.Counters
}

// plug is one interface: its program, and a socket for each RX queue.
type plug struct {
	end
	objects struct {
		Program *ebpf.Program `ebpf:"uelink_to_user"`
		Sockets *ebpf.Map     `ebpf:"sockets"`
	}
	link    link.Link
	devices []*fault.Device
}

func openUser(ends [2]end, c fault.Config) (_ wire, err error) {
	began := time.Now()
	w := &userWire{clock: func() int64 { return int64(time.Since(began)) }}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	for i, e := range ends {
		w.plugs[i] = &plug{end: e}
		if err := w.plugs[i].open(c, fault.Stream(c.Seed, i), w.clock); err != nil {
			return nil, err
		}
	}
	var outlets [2][]*outlet
	for i, p := range w.plugs {
		for _, dev := range p.devices {
			outlets[i] = append(outlets[i], newOutlet(dev))
		}
		w.outlets = append(w.outlets, outlets[i]...)
	}
	for i, p := range w.plugs {
		for queue, dev := range p.devices {
			to := outlets[1-i]
			w.lanes = append(w.lanes, &lane{way: i, in: dev, out: to[queue%len(to)]})
		}
	}
	return w, nil
}

// open takes over the interface: program first, so that an occupied interface
// is told before anything else, then the sockets.
func (p *plug) open(c fault.Config, seed uint64, clock func() int64) error {
	if most := netif.Fits(chunkSize); p.mtu > most {
		return fmt.Errorf("interface %s: its MTU is %d, and a cable in user space carries %d at most: lower the MTU", p.name, p.mtu, most)
	}
	queues, err := netif.RXQueues(p.name)
	if err != nil {
		return err
	}
	if err := p.load(); err != nil {
		return explain(p.name+": load the XDP program", err)
	}
	if p.link, err = p.attach(p.objects.Program); err != nil {
		return err
	}
	for queue := range queues {
		c.Seed = fault.Stream(seed, queue)
		if err := p.openQueue(queue, c, clock); err != nil {
			return err
		}
	}
	return nil
}

func (p *plug) load() error {
	spec, err := loadWire()
	if err != nil {
		return err
	}
	spec.Maps[wireMapSockets].MaxEntries = uint32(p.queues)
	return spec.LoadAndAssign(&p.objects, nil)
}

// openQueue makes the socket of one RX queue and has frames steered to it.
func (p *plug) openQueue(queue int, c fault.Config, clock func() int64) error {
	g := frame.Geometry{ChunkSize: chunkSize, RX: rxChunks, TX: txChunks}
	if c.Delay > 0 || c.Jitter > 0 || c.RateBPS > 0 {
		g.RX = longLine
	}
	socket, err := xsk.Open(p.index, queue, xsk.Options{RingSize: ringSize, Geometry: g})
	if err != nil {
		return err
	}
	p.devices = append(p.devices, fault.New(socket, c, clock))
	if err := p.objects.Sockets.Put(uint32(queue), uint32(socket.FD())); err != nil {
		return explain(fmt.Sprintf("%s: hand RX queue %d to its AF_XDP socket", p.name, queue), err)
	}
	return nil
}

func (p *plug) unplug() error {
	if p == nil || p.link == nil {
		return nil
	}
	l := p.link
	p.link = nil
	return l.Close()
}

func (p *plug) close() error {
	if p == nil {
		return nil
	}
	problems := []error{p.unplug()}
	for _, dev := range p.devices {
		problems = append(problems, dev.Close())
	}
	return errors.Join(append(problems, p.objects.Program.Close(), p.objects.Sockets.Close())...)
}

// run carries frames on the calling goroutine, locked to its thread.
func (w *userWire) run(ctx context.Context) error {
	runtime.LockOSThread() // system calls that do not tell the scheduler
	defer runtime.UnlockOSThread()
	sleeper, err := newSleeper(ctx, w.lanes)
	if err != nil {
		return err
	}
	defer sleeper.close()
	defer w.publish()
	return w.forward(ctx, sleeper)
}

// publish lets counters see what has been counted so far.
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

func (w *userWire) unplug() error {
	return errors.Join(w.plugs[0].unplug(), w.plugs[1].unplug())
}

func (w *userWire) close() error {
	return errors.Join(w.plugs[0].close(), w.plugs[1].close())
}
