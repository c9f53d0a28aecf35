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
	begins  []*flow
	ends    []*flow
	paused  *pfc.Paused // pauses from the other end
	pauser  *pfc.Pauser // pauses to the other end, for a slow sink; nil: no slow sink
	stopped uint8       // priorities paused at the last send
	stuck   uint8       // priorities that were paused for pfc.StuckAfter at least once

	area  []byte // of the first device
	slots *frame.Pool
	unit  frame.Geometry

	rx   [batch]frame.Desc
	tx   [batch]frame.Desc
	done [batch]uint64
	back [1]frame.Desc

	foreign uint64 // frames of other senders
	dropped uint64 // by the sockets, before the run began
}

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

// receive delivers the received frames to the flows that end here.
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

// arrived handles a received frame, and reports whether the frame waits for a slow sink.
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

// flowOf returns the flow whose stream the frame names. If there is none, it returns the first flow that ends here,
// and claimed is false.
func (p *port) flowOf(octets []byte) (f *flow, claimed bool) {
	for _, f := range p.ends {
		if f.format.claims(octets) {
			return f, true
		}
	}
	return p.ends[0], false
}

// complete frees the slots whose frames have left.
func (p *port) complete() {
	n := p.devices[0].Completed(p.done[:])
	for _, addr := range p.done[:n] {
		p.slots.Give(p.unit.Slot(addr))
	}
}

// send posts PFC for a slow sink, then the data of the flows that begin here.
func (p *port) send(now wire.Time) (worked bool) {
	worked = p.sendPauses(now)
	return p.sendFlows(now) || worked
}

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

// room returns how many frames can be posted now.
func (p *port) room() int { return min(p.slots.Len(), p.devices[0].TxRoom()) }

// transmit posts the first n frames of tx. The caller has checked room.
func (p *port) transmit(n int) {
	if n > 0 && p.devices[0].Transmit(p.tx[:n]) != n {
		panic("traffic: a device took fewer frames than it had room for")
	}
}

// deadline returns when the port has work without an arrival.
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

// kick starts the transmission of posted frames, also of those left by an earlier kick. While the link is down,
// posted frames wait.
func (p *port) kick() error {
	for _, d := range p.devices {
		if err := d.Kick(); err != nil && !errors.Is(err, frame.ErrDown) {
			return fmt.Errorf("%s: send: %w", p.name, err)
		}
	}
	return nil
}

// sending reports whether posted frames have not left yet.
func (p *port) sending() bool { return p.slots.Len() < p.unit.TX }

// overrun returns how many frames the sockets of this end, and the queues of a slow sink, have dropped in this run.
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

// socketDrops returns the drops of all sockets. The kernel counts an empty fill ring under RxDropped, too, so that
// counter is not added.
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
