// Package mem is a wire in memory: two frame.Devices joined back to back, for
// tests and simulation. It moves frames as AF_XDP in copy mode on a veth pair
// does, on nothing but calls: a frame crosses when its sender kicks. What
// AF_XDP would let pass and answer with a damaged frame much later, it answers
// at once with a panic that names the rule that was broken.
package mem

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"uelink/dataplane/frame"
)

// Headroom is what XDP leaves free in an RX chunk before the frame, in octets.
const Headroom = 256

// Device is one end of a wire. Each end may be used by a goroutine of its own.
//
// A frame's way from one end to the other:
//
//  1. Transmit puts a descriptor of a TX slot into the TX ring.
//  2. Kick takes it out, takes an RX chunk out of the other end's fill ring and
//     copies the slot, as it is at that moment, behind the chunk's headroom.
//  3. The chunk goes into the other end's RX ring, the slot into the own
//     completion ring.
//  4. Completed gives the slot's address back, Receive hands the chunk out.
//  5. Recycle puts the chunk back into the fill ring.
type Device struct {
	wire *sync.Mutex // both ends' state
	peer *Device

	geometry frame.Geometry
	area     []byte
	ring     int // entries of each ring
	chunks   chunks
	fill     fifo[uint32]     // free RX chunks
	rx       fifo[frame.Desc] // arrived
	tx       fifo[posting]    // posted
	done     fifo[posting]    // sent or lost, not yet named by Completed

	stats  frame.Stats
	state  state
	watch  bool
	random *rand.Rand // order of completions; nil: as posted
}

type state uint8

const (
	up state = iota
	down
	gone
	closed
)

// NewPair returns the two ends of a wire, both up, all RX chunks in the fill
// rings. ring is the number of entries of each TX, RX and completion ring, a
// power of two; a fill ring holds all RX chunks of its end. It panics if a
// geometry or ring is not possible.
func NewPair(a, b frame.Geometry, ring int) (*Device, *Device) {
	if ring <= 0 || ring&(ring-1) != 0 {
		panic(fmt.Sprintf("mem: a ring of %d entries is not a power of two", ring))
	}
	wire := new(sync.Mutex)
	x, y := newDevice(wire, a, ring), newDevice(wire, b, ring)
	x.peer, y.peer = y, x
	return x, y
}

func newDevice(wire *sync.Mutex, g frame.Geometry, ring int) *Device {
	if g.ChunkSize <= Headroom || g.ChunkSize&(g.ChunkSize-1) != 0 || g.RX < 0 || g.TX < 0 {
		panic(fmt.Sprintf("mem: impossible geometry %+v", g))
	}
	d := &Device{
		wire: wire, geometry: g, area: make([]byte, g.Size()), ring: ring,
		chunks: make(chunks, g.RX),
		fill:   newFIFO[uint32](g.RX),
		rx:     newFIFO[frame.Desc](ring),
		tx:     newFIFO[posting](ring),
		done:   newFIFO[posting](ring),
	}
	for i := range g.RX {
		d.fill.push(uint32(i))
	}
	return d
}

// Area is the memory of this end.
func (d *Device) Area() []byte { return d.area }

// Geometry is how the area is cut.
func (d *Device) Geometry() frame.Geometry { return d.geometry }

// FD is -1: nothing can be waited on.
func (d *Device) FD() int { return -1 }

// Receive takes up to len(into) frames that have arrived, in their order.
func (d *Device) Receive(into []frame.Desc) int {
	d.lock()
	defer d.wire.Unlock()
	n := min(len(into), d.rx.len())
	for i := range n {
		into[i] = d.rx.pop()
		d.chunks.handOut(d.chunkOf(into[i].Addr))
	}
	return n
}

// Pending is how many frames have arrived and wait for Receive.
func (d *Device) Pending() int {
	d.lock()
	defer d.wire.Unlock()
	return d.rx.len()
}

// Recycle puts the chunks of received frames back into the fill ring. It panics
// for a chunk that Receive has not handed out.
func (d *Device) Recycle(rx []frame.Desc) {
	d.lock()
	defer d.wire.Unlock()
	for i := range rx {
		chunk := d.chunkOf(rx[i].Addr)
		d.chunks.takeBack(chunk)
		if d.watch {
			d.spoil(chunk)
		}
		d.fill.push(chunk)
	}
}

// TxRoom is how many frames Transmit would take: entries of a ring less the
// postings that Completed has not named yet.
func (d *Device) TxRoom() int {
	d.lock()
	defer d.wire.Unlock()
	return d.txRoom()
}

func (d *Device) txRoom() int { return d.ring - d.tx.len() - d.done.len() }

// Transmit posts up to TxRoom frames and returns how many it took. It panics
// for a frame that does not lie within one TX slot.
func (d *Device) Transmit(tx []frame.Desc) int {
	d.lock()
	defer d.wire.Unlock()
	n := min(len(tx), d.txRoom())
	for i := range n {
		d.tx.push(d.post(tx[i]))
	}
	return n
}

// Completed takes up to len(into) addresses of postings that a Kick has dealt
// with: all of them in the order of posting, or with ShuffleCompletions at
// least one, in any order.
func (d *Device) Completed(into []uint64) int {
	d.lock()
	defer d.wire.Unlock()
	n := min(len(into), d.done.len())
	if d.random != nil && n > 0 {
		n = 1 + d.random.IntN(n)
	}
	for i := range n {
		if d.random != nil {
			d.done.bringForward(d.random.IntN(d.done.len()))
		}
		p := d.done.pop()
		d.checkUnchanged(p)
		into[i] = p.desc.Addr
	}
	return n
}

// Kick carries every posted frame to the other end. A frame that finds no free
// chunk or no room in the RX ring there, or nobody, is lost and counted there.
// While this end is down nothing moves and Kick returns frame.ErrDown; once it
// is gone, frame.ErrGone.
func (d *Device) Kick() error {
	d.lock()
	defer d.wire.Unlock()
	switch d.state {
	case down:
		return frame.ErrDown
	case gone:
		return frame.ErrGone
	}
	for d.tx.len() > 0 {
		p := d.tx.pop()
		d.checkUnchanged(p)
		d.peer.arrive(d.octets(p.desc))
		d.done.push(p)
	}
	return nil
}

// arrive is the receiving half of Kick: what XDP and xsk_rcv do with a frame.
func (d *Device) arrive(octets []byte) bool {
	switch {
	case d.state != up, len(octets) > d.geometry.ChunkSize-Headroom:
		d.stats.RxDropped++
	case d.fill.len() == 0:
		d.stats.RxDropped++ // the kernel counts an empty fill ring in both
		d.stats.RxFillRingEmpty++
	case d.rx.len() == d.ring:
		d.stats.RxRingFull++
	default:
		addr := uint64(d.fill.pop())*uint64(d.geometry.ChunkSize) + Headroom
		copy(d.area[addr:], octets)
		d.rx.push(frame.Desc{Addr: addr, Len: uint32(len(octets))})
		return true
	}
	return false
}

// Stats is what the kernel would have counted on this end's socket.
func (d *Device) Stats() (frame.Stats, error) {
	d.wire.Lock()
	defer d.wire.Unlock()
	return d.stats, nil
}

// Close takes this end off the wire: what is sent to it from now on is lost,
// and any use of it but Close and Stats panics.
func (d *Device) Close() error {
	d.wire.Lock()
	defer d.wire.Unlock()
	d.state = closed
	return nil
}

func (d *Device) lock() {
	d.wire.Lock()
	if d.state == closed {
		d.wire.Unlock()
		panic("mem: a closed device was used")
	}
}
