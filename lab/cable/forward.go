package cable

import (
	"context"
	"errors"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/wire"
)

// The way of a frame through a cable in user space:
//
//  1. lane.carry receives frames from the fault decorator, which loses, damages, duplicates or delays them. It
//     receives no more than the other side has room for.
//  2. Each frame is copied into a free TX slot of the other side. Its RX chunk is recycled.
//  3. The slots are posted, and one kick for the batch sends them.
//  4. outlet.reclaim frees completed slots.

const (
	batch = 32                    // most frames that are carried together
	spin  = 50 * time.Microsecond // how long to poll after the last work before sleeping
	retry = time.Millisecond      // sleep when an interface has had no room for a batch
)

// outlet is the sending side of a socket.
type outlet struct {
	dev  frame.Device
	area []byte        // UMEM of dev
	free *frame.Pool   // TX slots without a frame
	down bool          // the interface is down: frames for it are lost
	done [batch]uint64 // scratch for reclaim
}

func newOutlet(dev frame.Device) *outlet {
	return &outlet{dev: dev, area: dev.Area(), free: frame.NewPool(dev.Geometry().TX)}
}

// reclaim makes the TX chunks of completed frames free again.
func (o *outlet) reclaim() {
	for {
		n := o.dev.Completed(o.done[:])
		for _, addr := range o.done[:n] {
			o.free.Give(o.dev.Geometry().Slot(addr))
		}
		if n < len(o.done) {
			return
		}
	}
}

// kick makes the kernel send the posted frames. It returns errors of the interface; if the interface is down, it
// returns nil and sets down, so that further frames are dropped.
func (o *outlet) kick() error {
	err := o.dev.Kick()
	o.down = errors.Is(err, frame.ErrDown)
	if o.down {
		return nil
	}
	return err
}

// lane carries frames from a socket to a socket of the other interface.
type lane struct {
	way  int // number of the end from which the frames come, 0 or 1
	in   *fault.Device
	out  *outlet
	lost uint64 // frames that had crossed the wire while the other interface was down
	rx   [batch]frame.Desc
	tx   [batch]frame.Desc

	octets uint64 // octets of frames handed to the other interface
}

// carry forwards one batch of frames from the socket of an RX queue to the other interface, and returns how many
// frames there were. Frames without room at the other interface wait; while that interface is down, they are dropped.
func (l *lane) carry() int {
	l.out.reclaim()
	if l.out.down {
		return l.discard()
	}
	room := min(batch, l.out.dev.TxRoom(), l.out.free.Len())
	n := l.in.Receive(l.rx[:room])
	if n == 0 {
		return 0
	}
	area, g := l.in.Area(), l.out.dev.Geometry()
	for i, d := range l.rx[:n] {
		slot, _ := l.out.free.Take() // a slot is free, because carry took no more frames than room allowed
		addr := g.SlotAddr(slot)
		copy(l.out.area[addr:], area[d.Addr:d.Addr+uint64(d.Len)])
		l.octets += uint64(d.Len)
		l.tx[i] = frame.Desc{Addr: addr, Len: d.Len}
	}
	l.in.Recycle(l.rx[:n])
	l.out.dev.Transmit(l.tx[:n])
	return n
}

// discard receives a batch, drops it, because the other interface is down, and counts the frames as lost. It returns
// their number.
func (l *lane) discard() int {
	n := l.in.Receive(l.rx[:])
	l.in.Recycle(l.rx[:n])
	l.lost += uint64(n)
	return n
}

// counters returns the counts of the frames from one RX queue to the other interface. Frames that the kernel could
// not deliver to the socket count as overruns, as do frames for an interface that is down.
func (l *lane) counters() fault.Counters {
	c := l.in.Counters()
	c.Forwarded -= l.lost
	c.Overrun += l.lost
	if s, err := l.in.Stats(); err == nil {
		c.Overrun += s.RxDropped + s.RxRingFull + s.JoinDrops.All()
	}
	return c
}

// forward carries frames both ways until ctx ends: it polls for the time spin after the last frame, then sleeps
// until frames arrive or are due. It publishes the counters every few milliseconds.
func (w *userWire) forward(ctx context.Context, s *sleeper) error {
	busy, published := w.clock(), w.clock()
	if w.tap != nil {
		w.tap.looked = busy
	}
	for ctx.Err() == nil {
		worked, err := w.carryAll()
		if err != nil {
			return err
		}
		now, due := w.clock(), w.next()
		if worked > 0 {
			busy = now
		}
		// Poll for the time spin after the last frame, and also if a delayed frame is due within that time.
		awake := now.Sub(busy) < spin || due > now && due < now.Add(spin)
		if now.Sub(published) > publishEvery || !awake && published < busy {
			w.publish()
			published = now
		}
		if awake {
			continue
		}
		if due <= now { // the other interface has had no room for a while
			due = now.Add(retry)
		}
		if err := s.sleep(due.Sub(now)); err != nil {
			return err
		}
		if w.tap != nil {
			w.tap.slept(now.Add(min(due.Sub(now), longest)), w.clock())
		}
	}
	return nil
}

// carryAll carries a batch of frames from every RX queue of both interfaces, and makes the kernel send them.
// worked is how many frames were carried.
func (w *userWire) carryAll() (worked int, err error) {
	if w.shared() { // others change rules and read the analysis between two rounds
		w.ruling.Lock()
		defer w.ruling.Unlock()
	}
	if w.tap != nil {
		w.tap.look(w.clock())
	}
	for _, l := range w.lanes {
		worked += l.carry()
	}
	if w.tap != nil && w.tap.record != nil {
		w.tap.record.flush()
	}
	for _, o := range w.outlets {
		if err := o.kick(); err != nil {
			return worked, err
		}
	}
	return worked, nil
}

// shared reports whether other goroutines than the one that moves frames use the rules or the tap.
func (w *userWire) shared() bool { return w.rules != nil || w.tap != nil }

// next returns when the next delayed frame leaves the wire; wire.Never if no frame is on it.
func (w *userWire) next() wire.Time {
	if w.shared() {
		w.ruling.Lock()
		defer w.ruling.Unlock()
	}
	due := wire.Never
	for _, l := range w.lanes {
		due = min(due, l.in.Next())
	}
	return due
}
