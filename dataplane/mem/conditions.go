package mem

import "math/rand/v2"

// SetUp switches this end's interface up or down. While it is down its posted
// frames stay posted, and frames sent to it are lost.
func (d *Device) SetUp(isUp bool) {
	d.lock()
	defer d.wire.Unlock()
	switch {
	case d.state == gone:
	case isUp:
		d.state = up
	default:
		d.state = down
	}
}

// Up tells whether this end's interface is up and there.
func (d *Device) Up() bool {
	d.wire.Lock()
	defer d.wire.Unlock()
	return d.state == up
}

// SetGone deletes this end's interface, for good: it is to be closed.
func (d *Device) SetGone() {
	d.lock()
	defer d.wire.Unlock()
	d.state = gone
}

// ShuffleCompletions has completions come in an order, and at times, that the
// seed decides, as the kernel's come when an skb happens to be freed.
func (d *Device) ShuffleCompletions(seed uint64) {
	d.lock()
	defer d.wire.Unlock()
	d.random = rand.New(rand.NewPCG(seed, 0))
}

// WatchSlots proves ownership of the octets too: a TX slot that is changed
// between its posting and its completion panics, and a recycled RX chunk is
// overwritten. It costs a checksum per frame and step, and is to be called
// before the first Transmit.
func (d *Device) WatchSlots() {
	d.lock()
	defer d.wire.Unlock()
	d.watch = true
}

// Successor takes this end's place, as a process that opens the interface anew after
// the one before was killed: what lay in the rings is gone. This end is closed.
func (d *Device) Successor() *Device {
	d.lock()
	defer d.wire.Unlock()
	s := newDevice(d.wire, d.geometry, d.ring)
	s.peer, d.peer.peer, s.state, d.state = d.peer, s, d.state, closed
	return s
}
