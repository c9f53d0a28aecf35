package xsk

import (
	"errors"
	"fmt"
	"math"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

// opening is held while a socket is made: asavie/xdp reads the flags of bind from a global variable, and the
// mappings that it leaves are recognized by the time at which they appear.
var opening sync.Mutex

// request is an order to an opener: queue, options and ring sizes.
type request struct {
	ifindex, queue int
	options        Options
	sizes          ringSizes
}

// bound is a sender socket that an opener has bound, and the receiver socket beside it.
type bound struct {
	sender   int          // has the UMEM and all rings but the RX ring
	receiver int          // has the RX ring
	area     []byte       // the UMEM
	memory   int          // native opener: the memfd of the UMEM
	options  Options      // by which the sockets were opened
	rings    rings        // mapped by us; unmapped before close
	close    func() error // sockets and UMEM
	live     *live        // nil: all frames leave by the TX ring
	noLive   error        // why live is nil although Options.Live is set
}

// Open binds an AF_XDP socket to an RX queue of an interface of the calling thread's network namespace. For a busy
// queue Open waits up to 3 seconds: the kernel frees the socket of a crashed process only after a while. If
// RLIMIT_MEMLOCK is too low for the UMEM, Open raises the limit as far as it may, and tries again. Errors: *BusyError;
// os.ErrPermission; errors.ErrUnsupported.
func Open(ifindex, queue int, o Options) (*Socket, error) {
	name := fmt.Sprintf("interface index %d", ifindex)
	if dev, err := net.InterfaceByIndex(ifindex); err == nil {
		name = dev.Name
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("%s queue %d: AF_XDP socket: %w", name, queue, err)
	}
	r := request{ifindex: ifindex, queue: queue, options: o, sizes: o.sizes()}
	if err := checkRoom(o.Geometry.Size()); err != nil {
		return nil, r.explain(name, err)
	}
	b, err := r.open()
	if errors.Is(err, unix.ENOBUFS) && raiseMemlock() == nil {
		b, err = r.open()
	}
	if err != nil {
		return nil, r.explain(name, err)
	}
	s := b.socket(r)
	s.info.Interface = name
	if err := s.Kick(); err != nil && err != frame.ErrDown {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open opens the socket by the chosen opener and adds the socket that receives. After an error nothing stays open or
// mapped.
func (r request) open() (b *bound, err error) {
	if r.options.Opener == attach.OpenerNative {
		b, err = openNative(r)
	} else {
		b, err = openAsavie(r)
	}
	if err != nil {
		return nil, err
	}
	if err := b.addReceiver(r); err != nil {
		return nil, errors.Join(err, b.rings.unmap(), b.close())
	}
	return b, nil
}

// socket returns a Socket that uses the bound kernel sockets and their mapped rings.
func (b *bound) socket(r request) *Socket {
	info := Info{Queue: r.queue, Opener: r.options.Opener, LiveFailed: b.noLive}
	options, err := unix.GetsockoptInt(b.sender, unix.SOL_XDP, unix.XDP_OPTIONS)
	info.ZeroCopy = err == nil && options&unix.XDP_OPTIONS_ZEROCOPY != 0
	info.TxBudget = txBudget(b.sender, r.sizes.tx)
	b.options = r.options
	return b.socketAs(r, info)
}

// socketAs returns a Socket over the bound kernel sockets and their mapped rings, described by info. A Kick in copy
// mode may make as many system calls as a full TX ring needs (perBatch).
func (b *bound) socketAs(r request, info Info) *Socket {
	s := &Socket{
		fill:      newFillRing(b.rings.fill, r.options),
		rx:        newConsumer(b.rings.rx),
		tx:        txRing{newProducer(b.rings.tx)},
		completed: newConsumer(b.rings.completion),
		sender:    b.sender,
		receiver:  b.receiver,
		area:      b.area,
		geometry:  r.options.Geometry,
		pieces:    newPieces(r.options.Geometry, b.area),
		info:      info,
		bound:     b,
		live:      b.live,
	}
	if s.pieces == nil && s.geometry.Places > 0 {
		s.places = frame.NewPlaces(s.geometry)
	}
	s.perBatch = r.sizes.tx/s.info.TxBudget + 1
	if s.info.ZeroCopy {
		s.perBatch = 1 // the kick wakes the NIC, which reads frames in its own time
	}
	return s
}

// mapRings maps the rings of the sending socket and puts every RX chunk on the fill ring. It takes the lock
// opening.
func (b *bound) mapRings(r request) error {
	opening.Lock()
	defer opening.Unlock()
	return b.mapHeld(r)
}

// mapHeld maps the rings of the sending socket and puts every RX chunk on the fill ring. The caller holds the lock
// opening.
func (b *bound) mapHeld(r request) (err error) {
	if b.rings, err = mapRings(b.sender, r.sizes); err == nil {
		fillAll(b.rings.fill, r.options.Geometry)
	}
	return err
}

// txBudget sets the budget of one system call to a whole TX ring, and returns the budget in force, in frames.
func txBudget(fd, ring int) int {
	const builtIn = 32
	if ring > builtIn && unix.SetsockoptInt(fd, unix.SOL_XDP, unix.XDP_MAX_TX_SKB_BUDGET, ring) == nil {
		return ring
	}
	return builtIn
}

// untilFree calls bind until the queue is no longer busy, for 3 seconds at most, and returns the last error of
// bind.
func untilFree(bind func() error) error {
	const patience = 3 * time.Second
	wait := 10 * time.Millisecond
	for deadline := time.Now().Add(patience); ; {
		err := bind()
		if !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(wait)
		wait = min(2*wait, 200*time.Millisecond)
	}
}

// raiseMemlock raises RLIMIT_MEMLOCK, which limits a UMEM where CAP_IPC_LOCK is missing: to infinity, or as far as
// an unprivileged process may.
func raiseMemlock() error {
	const resource = unix.RLIMIT_MEMLOCK
	if unix.Setrlimit(resource, &unix.Rlimit{Cur: math.MaxUint64, Max: math.MaxUint64}) == nil {
		return nil
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(resource, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	return unix.Setrlimit(resource, &limit)
}
