package traffic

import (
	"errors"
	"fmt"

	"uelink/dataplane/frame"
	"uelink/dataplane/pfc"
	"uelink/wire"
)

// batch is the most frames received or sent in one call.
const batch = 64

// port is one end of the traffic: the sockets of an interface, one for each RX queue. Frames are sent by the first
// socket.
type port struct {
	name    string
	devices []frame.Device

	address wire.MAC
	begins  []*flow     // flows that this end sends
	ends    []*flow     // flows that this end receives
	paused  *pfc.Paused // obeys pauses from the other end
	pauser  *pfc.Pauser // sends pauses to the other end, for a slow sink; nil: no slow sink
	stopped uint8       // priorities paused at the last send
	stuck   uint8       // priorities that were paused for pfc.StuckAfter at least once

	area  []byte         // UMEM of the first device, which sends
	slots *frame.Pool    // free TX slots of area
	unit  frame.Geometry // layout of area

	rx   [batch]frame.Desc
	tx   [batch]frame.Desc
	done [batch]uint64
	back [1]frame.Desc

	foreign uint64 // frames of other senders
	dropped uint64 // frames dropped by the sockets before the run began
}

// newPort returns a port on the sockets of an interface (devices), the first of which sends. name and address are those
// of the end; pfcRate is the rate at which the port counts the quanta of received pauses, 0 for the default.
func newPort(name string, address wire.MAC, pfcRate int64, devices []frame.Device) (*port, error) {
	first := devices[0]
	p := &port{
		name: name, address: address, devices: devices,
		area: first.Area(), unit: first.Geometry(), slots: frame.NewPool(first.Geometry().TX),
	}
	var err error
	if p.paused, err = newPaused(pfcRate); err != nil {
		return nil, err
	}
	p.dropped, err = p.socketDrops()
	return p, err
}

// receive takes a batch of received frames from each socket, hands them to the flows that end here, and recycles
// their chunks. worked reports whether there were any.
func (p *port) receive(now wire.Time) (worked bool) {
	for i, d := range p.devices {
		n := d.Receive(p.rx[:])
		if n == 0 {
			continue
		}
		area, back := d.Area(), p.rx[:0]
		for _, r := range p.rx[:n] {
			if !p.arrived(area[r.Addr:r.Addr+uint64(r.Len)], waiting{i, r}, now) {
				back = append(back, r)
			}
		}
		d.Recycle(back)
		worked = true
	}
	return worked
}

// arrived handles one received frame: PAUSE and PFC go to the pause machine, other frames to their flow. It
// reports whether the frame waits in the queue of a slow sink, so that its chunk must not be recycled yet.
func (p *port) arrived(octets []byte, w waiting, now wire.Time) (waits bool) {
	if len(octets) >= wire.HeaderLen && wire.MACControl(octets) {
		p.macControl(octets, now)
		return false
	}
	f, claimed := p.flowOf(octets)
	if claimed && f.queue != nil {
		waits = f.queue.put(w)
		p.pauser.SetLevel(int(f.priority), f.queue.len())
		return waits
	}
	if f.receive(octets, now) == foreign {
		p.foreign++
	}
	return false
}

// flowOf returns the flow that a received frame belongs to by its stream number. If there is none, it returns the
// first flow that ends here, and claimed is false.
func (p *port) flowOf(octets []byte) (f *flow, claimed bool) {
	for _, f := range p.ends {
		if f.format.claims(octets) {
			return f, true
		}
	}
	return p.ends[0], false
}

// complete makes the TX chunks of frames that have been sent free again.
func (p *port) complete() {
	n := p.devices[0].Completed(p.done[:])
	for _, addr := range p.done[:n] {
		p.slots.Give(p.unit.Slot(addr))
	}
}

// send posts a due PFC frame of a slow sink, then the frames that the flows beginning here may send. worked
// reports whether any frame was posted.
func (p *port) send(now wire.Time) (worked bool) {
	worked = p.sendPauses(now)
	return p.sendFlows(now) || worked
}

// sendFlow posts as many frames of a flow as the flow may send and the socket has room for, at most a batch. worked
// reports whether there were any.
func (p *port) sendFlow(f *flow, now wire.Time) (worked bool) {
	n := min(f.room(now), batch, p.room())
	for i := range n {
		slot, _ := p.slots.Take()
		addr := p.unit.SlotAddr(slot)
		length := f.put(p.area[addr:], now)
		p.tx[i] = frame.Desc{Addr: addr, Len: uint32(length)}
	}
	p.transmit(n)
	return n > 0
}

// room returns how many frames can be posted now: free TX chunks, and room in the TX ring.
func (p *port) room() int { return min(p.slots.Len(), p.devices[0].TxRoom()) }

// transmit posts the first n frames of p.tx to the TX ring. The caller has checked that there is room.
func (p *port) transmit(n int) {
	if n > 0 && p.devices[0].Transmit(p.tx[:n]) != n {
		panic("traffic: a device took fewer frames than it had room for")
	}
}

// deadline returns the time at which this end has to work even if no frame arrives: a pause ends or is to be
// renewed, a slow sink drains, or a frame of a fixed rate comes due.
func (p *port) deadline() wire.Time {
	at := p.paused.Deadline()
	if p.pauser != nil {
		at = min(at, p.pauser.Deadline())
	}
	for _, f := range p.ends {
		if f.queue.len() > 0 {
			at = min(at, f.queue.pace.due(f.queue.popped))
		}
	}
	for _, f := range p.begins {
		if f.open != nil && !f.finished() && p.stopped>>f.priority&1 == 0 {
			at = min(at, f.open.due(f.next))
		}
	}
	return at
}

// kick makes the kernel send posted frames, also those left by an earlier kick. While the link is down, posted
// frames wait.
func (p *port) kick() error {
	for _, d := range p.devices {
		if err := d.Kick(); err != nil && !errors.Is(err, frame.ErrDown) {
			return fmt.Errorf("%s: send: %w", p.name, err)
		}
	}
	return nil
}

// sending reports whether posted frames have not been sent yet.
func (p *port) sending() bool { return p.slots.Len() < p.unit.TX }

// overrun returns how many frames the sockets of this end, and the queues of a slow sink, have dropped in this run
// for lack of room.
func (p *port) overrun() (uint64, error) {
	dropped, err := p.socketDrops()
	if err != nil {
		return 0, err
	}
	dropped -= p.dropped
	for _, f := range p.ends {
		if f.queue != nil {
			dropped += f.queue.overrun
		}
	}
	return dropped, nil
}

// socketDrops returns how many frames all sockets of this end have dropped since they were opened. RxFillRingEmpty is
// not added: the kernel counts those frames in RxDropped, too.
func (p *port) socketDrops() (sum uint64, err error) {
	for _, d := range p.devices {
		stats, err := d.Stats()
		if err != nil {
			return 0, fmt.Errorf("%s: statistics: %w", p.name, err)
		}
		sum += stats.RxDropped + stats.RxRingFull + stats.JoinDrops.All()
	}
	return sum, nil
}
