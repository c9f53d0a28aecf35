package mem

import "math/rand/v2"

// SetUp switches this end's interface up or down. While the interface is down, its posted frames stay posted, and
// frames sent to it are lost.
func (d *Device) SetUp(isUp bool) {
	d.lock()
	defer d.wire.Unlock()
	switch {
	case d.state == removed:
	case isUp:
		d.state = up
	default:
		d.state = down
	}
}

// Up reports whether this end's interface is up.
func (d *Device) Up() bool {
	d.wire.Lock()
	defer d.wire.Unlock()
	return d.state == up
}

// SetGone deletes this end's interface for good: the device must be closed.
func (d *Device) SetGone() {
	d.lock()
	defer d.wire.Unlock()
	d.state = removed
}

// ShuffleCompletions makes completions arrive in an order, and at times, decided by the seed, just as the kernel
// completes a frame whenever its skb happens to be freed.
func (d *Device) ShuffleCompletions(seed uint64) {
	d.lock()
	defer d.wire.Unlock()
	d.random = rand.New(rand.NewPCG(seed, 0))
}

// WatchSlots checks the ownership of the octets, too: a change of a TX slot between posting and completion panics,
// and a recycled RX chunk is overwritten. WatchSlots costs a checksum per frame and step. Call it before the first
// Transmit.
func (d *Device) WatchSlots() {
	d.lock()
	defer d.wire.Unlock()
	d.watch = true
}

// Successor returns a new device in this end's place, as after the restart of a killed process: the frames in the
// rings are lost. This end is closed.
func (d *Device) Successor() *Device {
	d.lock()
	defer d.wire.Unlock()
	s := newDevice(d.wire, d.geometry, d.ring)
	s.peer, d.peer.peer, s.state, d.state = d.peer, s, d.state, closed
	return s
}
