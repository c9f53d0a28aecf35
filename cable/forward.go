package cable

import (
	"context"
	"errors"
	"math"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
)

// The way of a frame through a cable in user space:
//
//  1. lane.carry: as many frames as the other side has room for come from the
//     fault decorator, which has lost, damaged, doubled or delayed them.
//  2. Each is copied into a free TX slot of the other side, and its RX chunk
//     goes back.
//  3. The slots are posted, and one kick a batch has them sent.
//  4. outlet.reclaim: completed slots are free again.

const (
	batch = 32
	spin  = 50 * time.Microsecond // how long to poll after the last work before sleeping
	retry = time.Millisecond      // how long to wait for an interface that takes nothing
)

// outlet is the sending side of a socket.
type outlet struct {
	dev  frame.Device
	area []byte
	free *frame.Pool
	down bool // the interface is down: what is sent is lost
	done [batch]uint64
}

func newOutlet(dev frame.Device) *outlet {
	return &outlet{dev: dev, area: dev.Area(), free: frame.NewPool(dev.Geometry().TX)}
}

// reclaim takes back the slots that have been sent.
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

// kick has frames sent; a lack of anything but the interface itself passes.
func (o *outlet) kick() error {
	err := o.dev.Kick()
	o.down = errors.Is(err, frame.ErrDown)
	if o.down {
		return nil
	}
	return err
}

// lane is the way from one socket to one on the other side.
type lane struct {
	way  int // from end 0 or 1
	in   *fault.Device
	out  *outlet
	lost uint64 // frames that came to the end of the wire while the other interface was down
	rx   [batch]frame.Desc
	tx   [batch]frame.Desc
}

// carry forwards one batch and returns how many frames came.
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
		slot, _ := l.out.free.Take() // there are as many as there is room
		addr := g.SlotAddr(slot)
		copy(l.out.area[addr:], area[d.Addr:d.Addr+uint64(d.Len)])
		l.tx[i] = frame.Desc{Addr: addr, Len: d.Len}
	}
	l.in.Recycle(l.rx[:n])
	l.out.dev.Transmit(l.tx[:n])
	return n
}

// discard loses what arrives.
func (l *lane) discard() int {
	n := l.in.Receive(l.rx[:])
	l.in.Recycle(l.rx[:n])
	l.lost += uint64(n)
	return n
}

// counters is what happened on this lane; frames that the kernel could not hand
// to the socket are overruns too.
func (l *lane) counters() fault.Counters {
	c := l.in.Counters()
	c.Forwarded -= l.lost
	c.Overrun += l.lost
	if s, err := l.in.Stats(); err == nil {
		c.Overrun += s.RxDropped + s.RxRingFull + s.JoinDrops.All()
	}
	return c
}

// forward is the loop: work while there is any, poll a little longer, sleep.
func (w *userWire) forward(ctx context.Context, s *sleeper) error {
	busy, published := w.clock(), w.clock()
	for ctx.Err() == nil {
		worked, err := w.carryAll()
		if err != nil {
			return err
		}
		now, due := w.clock(), w.next()
		if worked > 0 {
			busy = now
		}
		awake := now-busy < int64(spin) || due > now && due < now+int64(spin)
		if now-published > int64(publishEvery) || !awake && published < busy {
			w.publish()
			published = now
		}
		if awake {
			continue
		}
		if due <= now { // but the other interface has had no room for long
			due = now + int64(retry)
		}
		if err := s.sleep(due - now); err != nil {
			return err
		}
	}
	return nil
}

// carryAll has every lane carry a batch, and every socket kicked once.
func (w *userWire) carryAll() (worked int, err error) {
	for _, l := range w.lanes {
		worked += l.carry()
	}
	for _, o := range w.outlets {
		if err := o.kick(); err != nil {
			return worked, err
		}
	}
	return worked, nil
}

// next is when a frame on the wire is due, or MaxInt64.
func (w *userWire) next() int64 {
	due := int64(math.MaxInt64)
	for _, l := range w.lanes {
		due = min(due, l.in.Next())
	}
	return due
}
