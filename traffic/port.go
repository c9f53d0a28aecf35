package traffic

import (
	"errors"
	"fmt"

	"uelink/dataplane/frame"
)

// batch is the most frames that are moved at once.
const batch = 64

// port is one end: the devices of an interface, one for each of its RX queues.
// Frames are sent by the first.
type port struct {
	name    string
	devices []frame.Device

	area  []byte // of the first device
	slots *frame.Pool
	unit  frame.Geometry

	rx   [batch]frame.Desc
	tx   [batch]frame.Desc
	done [batch]uint64

	foreign uint64 // frames that were not ours
	dropped uint64 // by the sockets, before the run began
}

func newPort(name string, devices []frame.Device) (*port, error) {
	first := devices[0]
	p := &port{
		name: name, devices: devices,
		area: first.Area(), unit: first.Geometry(), slots: frame.NewPool(first.Geometry().TX),
	}
	dropped, err := p.socketDrops()
	p.dropped = dropped
	return p, err
}

// receive hands what has arrived to the flow that ends here.
func (p *port) receive(f *flow, now int64) (worked bool) {
	for _, d := range p.devices {
		n := d.Receive(p.rx[:])
		if n == 0 {
			continue
		}
		area := d.Area()
		for i := range n {
			r := p.rx[i]
			if f.take(area[r.Addr:r.Addr+uint64(r.Len)], now) == foreign {
				p.foreign++
			}
		}
		d.Recycle(p.rx[:n])
		worked = true
	}
	return worked
}

// complete takes back the slots whose frames have left.
func (p *port) complete() {
	n := p.devices[0].Completed(p.done[:])
	for _, addr := range p.done[:n] {
		p.slots.Give(p.unit.Slot(addr))
	}
}

// send has the flow that begins here write what it may send.
func (p *port) send(f *flow, now int64) (worked bool) {
	n := min(f.room(now), batch, p.slots.Len(), p.devices[0].TxRoom())
	for i := range n {
		slot, _ := p.slots.Take()
		addr := p.unit.SlotAddr(slot)
		length := f.put(p.area[addr:], now)
		p.tx[i] = frame.Desc{Addr: addr, Len: uint32(length)}
	}
	if n > 0 && p.devices[0].Transmit(p.tx[:n]) != n {
		panic("traffic: a device took fewer frames than it had room for")
	}
	return n > 0
}

// kick has the kernel notice what was posted, also what an earlier kick left.
// What is posted while the link is down waits until it is up.
func (p *port) kick() error {
	for _, d := range p.devices {
		if err := d.Kick(); err != nil && !errors.Is(err, frame.ErrDown) {
			return fmt.Errorf("%s: send: %w", p.name, err)
		}
	}
	return nil
}

// sending says whether posted frames have not left yet.
func (p *port) sending() bool { return p.slots.Len() < p.unit.TX }

// overrun is how many frames this end's sockets have dropped in this run.
func (p *port) overrun() (uint64, error) {
	dropped, err := p.socketDrops()
	if err != nil {
		return 0, err
	}
	return dropped - p.dropped, nil
}

// socketDrops is the sum over the sockets. An empty fill ring is counted under
// RxDropped by the kernel too, and so not added.
func (p *port) socketDrops() (sum uint64, err error) {
	for _, d := range p.devices {
		stats, err := d.Stats()
		if err != nil {
			return 0, fmt.Errorf("%s: statistics: %w", p.name, err)
		}
		sum += stats.RxDropped + stats.RxRingFull
	}
	return sum, nil
}
