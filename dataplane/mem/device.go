// Package mem is a wire in memory: two devices (frame.Device) joined back to back, for tests and simulation. Frames
// move as by AF_XDP in copy mode on a veth pair, but by plain calls: a frame crosses when its sender kicks. Where
// AF_XDP would accept a wrong call and deliver a damaged frame much later, mem panics at once and names the broken
// rule.
package mem

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"uelink/dataplane/frame"
)

// Headroom is the number of octets that XDP leaves free in an RX chunk before the frame.
const Headroom = 256

// Device is one end of a wire. Each end may be used by a goroutine of its own.
//
// The path of a frame from a device to its peer:
//
//  1. Transmit puts a descriptor of a TX slot into the TX ring.
//  2. Kick takes the descriptor out, takes an RX chunk out of the peer's fill ring and
//     copies the slot, as of that moment, behind the chunk's headroom.
//  3. The chunk goes into the peer's RX ring, the slot into the own
//     completion ring.
//  4. Completed returns the slot's address, Receive hands the chunk out.
//  5. Recycle puts the chunk back into the fill ring.
//
// A frame longer than one chunk takes several chunks, each with headroom, if the peer's geometry has Pieces.
// Receive joins the chunks.
type Device struct {
	wire *sync.Mutex // both ends' state
	peer *Device

	geometry frame.Geometry
	slots    uint64 // address of the first TX slot, as geometry has it
	slotSize uint64 // octets, as geometry has it
	area     []byte
	ring     int // entries of each ring
	chunks   chunks
	joiner   *frame.Joiner    // nil: every frame is in one chunk
	fill     fifo[uint32]     // free RX chunks
	rx       fifo[frame.Desc] // arrived
	more     int              // number of chunks in the RX ring with Continued set
	tx       fifo[posting]    // posted
	done     fifo[posting]    // sent or lost, not yet returned by Completed

	stats  frame.Stats
	state  state
	watch  bool
	random *rand.Rand // order of completions; nil: as posted
}

// state is the state of a device and its interface.
type state uint8

// The states.
const (
	up state = iota
	down
	removed // the interface was deleted (SetGone)
	closed  // the device was closed
)

// NewPair returns the two ends of a wire, both up, all RX chunks in the fill rings. ring is the number of entries
// of each TX, RX and completion ring, a power of two; a fill ring holds all RX chunks of its end. An impossible
// geometry or ring size panics.
func NewPair(a, b frame.Geometry, ring int) (*Device, *Device) {
	if ring <= 0 || ring&(ring-1) != 0 {
		panic(fmt.Sprintf("mem: a ring of %d entries is not a power of two", ring))
	}
	wire := new(sync.Mutex)
	x, y := newDevice(wire, a, ring), newDevice(wire, b, ring)
	x.peer, y.peer = y, x
	return x, y
}

// newDevice returns one end of a wire with all its RX chunks in the fill ring. Impossible geometry panics.
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

// Area returns the memory of this end's device, which holds its frames.
func (d *Device) Area() []byte { return d.area }

// Geometry returns the layout of the area.
func (d *Device) Geometry() frame.Geometry { return d.geometry }

// FD returns -1: a device in memory has no file descriptor to poll.
func (d *Device) FD() int { return -1 }

// Waiting returns how many descriptors wait in the RX ring.
func (d *Device) Waiting() int {
	d.lock()
	defer d.wire.Unlock()
	return d.rx.len()
}

// Receive fills into with frames that have arrived, in order, and returns their number.
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

// join returns the frame that a received chunk completes: a frame in one chunk, or a frame joined from several. ok
// is false for a chunk that more chunks of the frame follow.
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

// refill puts an RX chunk back into the fill ring.
func (d *Device) refill(chunk uint32) {
	if d.watch {
		d.spoil(chunk)
	}
	d.fill.push(chunk)
}

// Pending returns how many frames have arrived that Receive has not returned yet.
func (d *Device) Pending() int {
	d.lock()
	defer d.wire.Unlock()
	return d.rx.len() - d.more
}

// Recycle puts the chunks of received frames back into the fill ring. A chunk that Receive has not handed out
// panics.
func (d *Device) Recycle(rx []frame.Desc) {
	d.lock()
	defer d.wire.Unlock()
	for i := range rx {
		if d.joiner != nil && d.joiner.Release(rx[i].Addr) {
			continue
		}
		chunk := d.chunkOf(rx[i].Addr)
		d.chunks.takeBack(chunk)
		d.refill(chunk)
	}
}

// TxRoom returns how many frames Transmit would accept: entries of a ring less the postings that Completed has not
// returned yet.
func (d *Device) TxRoom() int {
	d.lock()
	defer d.wire.Unlock()
	return d.txRoom()
}

func (d *Device) txRoom() int { return d.ring - d.tx.len() - d.done.len() }

// Transmit posts up to TxRoom frames and returns their number. A frame outside a TX slot panics.
func (d *Device) Transmit(tx []frame.Desc) int {
	d.lock()
	defer d.wire.Unlock()
	n := min(len(tx), d.txRoom())
	for i := range n {
		d.tx.push(d.post(tx[i]))
	}
	return n
}

// Completed fills into with the slot addresses of posted frames that a Kick has sent or lost, and returns their
// number: all in the order of posting, or with ShuffleCompletions at least one, in any order.
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

// Kick carries every posted frame to the peer. A frame is lost, and counted at the peer, if the peer is not up, or has
// no free chunk or no room in the RX ring. While the device is down nothing moves and Kick returns frame.ErrDown;
// once the device is gone, frame.ErrGone.
func (d *Device) Kick() error {
	d.lock()
	defer d.wire.Unlock()
	switch d.state {
	case down:
		return frame.ErrDown
	case removed:
		return frame.ErrGone
	case up, closed:
	}
	for d.tx.len() > 0 {
		p := d.tx.pop()
		d.checkUnchanged(p)
		d.peer.arrive(d.octets(p.desc))
		d.done.push(p)
	}
	return nil
}

// arrive puts a frame from the peer into chunks and the RX ring, or counts the drop, modelled on XDP and xsk_rcv.
// It reports whether the frame was received.
func (d *Device) arrive(octets []byte) bool {
	room := d.geometry.ChunkSize - Headroom
	pieces := (len(octets) + room - 1) / room
	switch {
	case d.state != up, pieces > 1 && d.joiner == nil:
		d.stats.RxDropped++
	case d.fill.len() < pieces:
		d.stats.RxDropped++ // the kernel counts an empty fill ring in both counters
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

// put writes octets into a free RX chunk and puts the chunk's descriptor on the RX ring.
func (d *Device) put(octets []byte, options uint32) {
	addr := uint64(d.fill.pop())*uint64(d.geometry.ChunkSize) + Headroom
	copy(d.area[addr:], octets)
	d.rx.push(frame.Desc{Addr: addr, Len: uint32(len(octets)), Options: options})
	d.more += int(options)
}

// Stats returns the counters that the kernel would have for this end's socket.
func (d *Device) Stats() (frame.Stats, error) {
	d.wire.Lock()
	defer d.wire.Unlock()
	s := d.stats
	if d.joiner != nil {
		s.JoinDrops = d.joiner.Drops()
	}
	return s, nil
}

// Close takes the device off the wire: later frames of the peer are lost, and any call but Close and Stats panics.
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
