package cable

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/checksum"
	"uelink/dataplane/fault"
	"uelink/dataplane/fault/analyzer"
	"uelink/dataplane/fault/rule"
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
	"uelink/wire"
)

// Sizes of a socket of a cable in user space, and the time between two copies of its counters.
const (
	chunkSize  = netif.LargeChunk // octets
	ringSize   = 1024             // entries of each ring
	txChunks   = ringSize
	rxChunks   = 2 * ringSize
	ruleChunks = 512           // TX chunks for frames that rules hold or make
	longLine   = 16 * ringSize // RX chunks with delay, jitter or rate, where frames stay longer on the wire

	publishEvery = 5 * time.Millisecond // time between two copies of the counters, see publish
)

// userWire is a wire through AF_XDP sockets.
type userWire struct {
	plugs   [2]*plug
	lanes   []*lane    // one for each RX queue of both ends
	outlets [2]*outlet // of interfaces A and B
	began   time.Time  // when clock was 0
	clock   func() wire.Time

	ruling sync.Mutex // protects rules and tap; the loop holds it for each round
	rules  *rule.Wire // nil: none
	tap    *tap       // nil: none

	mu       sync.Mutex
	snapshot [2]Counts      // counters as publish has copied them last
	sent     [2]sentCounter // element i counts frames that have arrived at end i and leave by the other end
}

// plug is one interface: its XDP program, and the fault decorator of each RX queue's socket.
type plug struct {
	objects struct {
		Program *ebpf.Program `ebpf:"uelink_to_user"`
		Sockets *ebpf.Map     `ebpf:"sockets"`
	}
	devices []*fault.Device
	way     int // number of this end, 0 or 1
}

// openUser opens a wire in user space between the ends.
func openUser(ends []*end, config Config, _ *sight) (medium, error) {
	c, began := config.Fault, time.Now()
	w := &userWire{began: began, clock: func() wire.Time { return wire.Time(time.Since(began)) }}
	if config.tapped() {
		w.tap = &tap{}
	}
	if config.Analyze {
		w.tap.analyzer = analyzer.New(analyzer.Settings{Data: config.DataType, Control: config.ControlType})
	}
	if err := w.openRules(config); err != nil {
		return nil, err
	}
	for i, e := range ends {
		w.plugs[i] = &plug{way: i}
		if err := w.plugs[i].open(e, c, fault.Stream(c.Seed, i), w); err != nil {
			return nil, errors.Join(err, w.close())
		}
		if err := w.sent[1-i].open(e); err != nil {
			return nil, errors.Join(err, w.close())
		}
		w.outlets[i] = newOutlet(w.plugs[i].devices[0])
	}
	for i, p := range w.plugs {
		for _, dev := range p.devices {
			w.lanes = append(w.lanes, &lane{way: i, in: dev, out: w.outlets[1-i]})
		}
	}
	w.publish()
	return w, nil
}

// open attaches the XDP program to an interface and opens its sockets, one for each RX queue, and puts the faults
// c in front of each, with random numbers of its own derived from seed.
func (p *plug) open(e *end, c fault.Config, seed uint64, w *userWire) error {
	if most := netif.FitsPieces(chunkSize, xsk.MostPieces); e.mtu > most {
		return fmt.Errorf("interface %s has an MTU of %d, and a cable in user space carries %d at most: lower the MTU",
			e.name, e.mtu, most)
	}
	g := frame.Geometry{ChunkSize: chunkSize, RX: rxChunks, TX: txChunks}
	if c.Stays() || c.Netem != nil {
		g.RX = longLine
	}
	if w.rules != nil {
		g.TX += ruleChunks
	}
	g = g.InPieces(netif.PiecesFor(e.mtu, chunkSize))
	attach := func() (netif.Program, error) {
		if err := p.load(e.queues); err != nil {
			return nil, fmt.Errorf("%s: load the XDP program: %w", e.name, err)
		}
		return bpf.AttachProgram(e.index, p.objects.Program, p.objects.Sockets, attach.ModeAuto)
	}
	sockets := &netif.Sockets{Options: xsk.Options{RingSize: ringSize, Geometry: g}}
	if err := e.attach(attach, sockets, true); err != nil {
		return err
	}
	for queue, socket := range e.owned.Sockets() {
		c.Seed = fault.Stream(seed, queue)
		dev := fault.New(socket, c, w.clock)
		if w.rules != nil {
			dev.SetRules(w.rules, p.way, ruleChunks)
		}
		if w.tap != nil {
			dev.SetObserver(w.tap, p.way)
		}
		dev.OnArrival(func(octets []byte) { checksum.Finish(octets) }) // a host behind a veth leaves checksums unfinished
		if queue > 0 {
			dev.ShareRate(p.devices[0])
		}
		p.devices = append(p.devices, dev)
	}
	if c.Netem != nil && len(p.devices) > 1 {
		return fmt.Errorf("interface %s has %d RX queues, and netem needs a single queue (ethtool -L %s combined 1)",
			e.name, len(p.devices), e.ifname)
	}
	return nil
}

// load loads the XDP program of the interface, with room for a socket for each of its RX queues.
func (p *plug) load(queues int) error {
	spec, err := loadWire()
	if err != nil {
		return err
	}
	spec.Maps[wireMapSockets].MaxEntries = uint32(queues)
	return spec.LoadAndAssign(&p.objects, nil)
}

// close closes the program and its map of sockets. The end, which has attached them, detaches them. p may be nil.
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

// adapt does nothing: sockets take all frames.
func (w *userWire) adapt([]*netlink.LinkAttrs) error { return nil }

// publish copies the counters of both directions to w.snapshot, from which the method counters reads them on other
// goroutines.
func (w *userWire) publish() {
	now := [2]Counts{{Path: pathSockets}, {Path: pathSockets}}
	for _, l := range w.lanes {
		now[l.way].Add(l.counters())
		now[l.way].Octets += l.octets
	}
	w.mu.Lock()
	w.snapshot = now
	w.mu.Unlock()
}

// counters returns the counts of both directions. Frames that the other end of a veth has not taken are overruns.
func (w *userWire) counters() ([]Counts, error) {
	w.mu.Lock()
	now := w.snapshot
	w.mu.Unlock()
	for i := range now {
		lost := min(now[i].Forwarded, w.sent[i].overruns(0))
		now[i].Forwarded -= lost
		now[i].Overrun += lost
	}
	return now[:], nil
}

func (w *userWire) close() error {
	return errors.Join(w.plugs[0].close(), w.plugs[1].close(), w.sent[0].close(), w.sent[1].close())
}
