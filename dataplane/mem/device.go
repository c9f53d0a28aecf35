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
//
// A frame that one chunk does not hold takes several, each behind its headroom, if the other end's
// geometry has Pieces. Receive joins them.
type Device struct {
	wire *sync.Mutex // both ends' state
	peer *Device

	geometry frame.Geometry
	slots    uint64 // where the TX slots begin, as geometry has it
	slotSize uint64 // octets, as geometry has it
	area     []byte
	ring     int // entries of each ring
	chunks   chunks
	joiner   *frame.Joiner    // nil: every frame is in one chunk
	fill     fifo[uint32]     // free RX chunks
	rx       fifo[frame.Desc] // arrived
	more     int              // of these, those that are not the end of a frame
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
		slots: g.SlotAddr(0), slotSize: uint64(g.SlotSize()),
		chunks: make(chunks, g.RX),
		fill:   newFIFO[uint32](g.RX),
		rx:     newFIFO[frame.Desc](ring),
		tx:     newFIFO[posting](ring),
		done:   newFIFO[posting](ring),
	}
	if g.Pieces > 1 {
		d.joiner = frame.NewJoiner(g, d.area)
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
	n := 0
	for n < len(into) && d.rx.len() > 0 {
		desc := d.rx.pop()
		d.more -= int(desc.Options)
		if whole, ok := d.join(desc); ok {
			into[n] = whole
			n++
		}
	}
	return n
}

// join hands out a chunk that holds a whole frame, or the frame that it is the end of.
func (d *Device) join(desc frame.Desc) (whole frame.Desc, ok bool) {
	chunk := d.chunkOf(desc.Addr)
	if d.joiner == nil || d.joiner.Whole(desc) {
		d.chunks.handOut(chunk)
		return desc, true
	}
	whole, ok = d.joiner.Add(desc)
	d.refill(chunk)
	return whole, ok
}

// refill puts a chunk into the fill ring.
func (d *Device) refill(chunk uint32) {
	if d.watch {
		d.spoil(chunk)
	}
	d.fill.push(chunk)
}

// Pending is how many frames have arrived and wait for Receive.
func (d *Device) Pending() int {
	d.lock()
	defer d.wire.Unlock()
	return d.rx.len() - d.more
}

// Recycle puts the chunks of received frames back into the fill ring. It panics
// for a chunk that Receive has not handed out.
func (d *Device) Recycle(rx []frame.Desc) {
	d.lock()
	defer d.wire.Unlock()
	for i := range rx {
		if d.joiner != nil && d.joiner.TakeBack(rx[i].Addr) {
			continue
		}
		chunk := d.chunkOf(rx[i].Addr)
		d.chunks.takeBack(chunk)
		d.refill(chunk)
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
	room := d.geometry.ChunkSize - Headroom
	pieces := (len(octets) + room - 1) / room
	switch {
	case d.state != up, pieces > 1 && d.joiner == nil:
		d.stats.RxDropped++
	case d.fill.len() < pieces:
		d.stats.RxDropped++ // the kernel counts an empty fill ring in both
		d.stats.RxFillRingEmpty++
	case d.rx.len()+pieces > d.ring:
		d.stats.RxRingFull++
	default:
		for ; len(octets) > room; octets = octets[room:] {
			d.put(octets[:room], frame.Continued)
		}
		d.put(octets, 0)
		return true
	}
	return false
}

// put has a chunk arrive.
func (d *Device) put(octets []byte, options uint32) {
	addr := uint64(d.fill.pop())*uint64(d.geometry.ChunkSize) + Headroom
	copy(d.area[addr:], octets)
	d.rx.push(frame.Desc{Addr: addr, Len: uint32(len(octets)), Options: options})
	d.more += int(options)
}

// Stats is what the kernel would have counted on this end's socket.
func (d *Device) Stats() (frame.Stats, error) {
	d.wire.Lock()
	defer d.wire.Unlock()
	s := d.stats
	if d.joiner != nil {
		s.JoinDrops = d.joiner.Drops()
	}
	return s, nil
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
