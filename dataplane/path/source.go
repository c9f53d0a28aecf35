package path

import (
	"math/bits"

	"uelink/dataplane/frame"
	"uelink/dataplane/qos"
	"uelink/wire"
)

// source is the socket of one RX queue of a port, with the account of its chunks. A frame that must wait stays in the
// chunk of its arrival, in one queue or, if flooded, in several. The chunks planned for the fill ring never wait.
type source struct {
	port        *Port
	number      uint16         // number of the source in the domain
	device      frame.Device   // nil: closed, and waiting frames were copied to a separate area
	gathers     frame.Gatherer // the device, as a member of a gathering; nil: its frames leave by system calls of their own
	area        []byte
	shift       int // log2 of the octets of a chunk
	chunks      []chunk
	waiting     int       // number of chunks whose frames wait; of a closed source, of queue entries
	spare       int       // most chunks that may wait
	trimmedRoom int       // of spare, chunks for trimmed frames only
	purgeAt     wire.Time // of a closed source: time to drop waiting frames

	assured assured
	arrives arrival
	asked   asked

	back    [batch]frame.Desc // chunks that have waited, to be returned
	backLen int
}

// chunk is the state of one waiting chunk of a source.
type chunk struct {
	refs    uint8  // number of queues in which the frame waits
	class   uint8  // traffic class of the frame
	assured bool   // the chunk counts as one assured to the class
	credits uint16 // credits of CBFC, to be returned when the chunk no longer waits
}

// arrival is what a source notes of the received frame that is being forwarded, for its chunk if the frame must wait.
type arrival struct {
	class   uint8 // traffic class of the frame
	assured bool  // chunks are reserved for the class
	credits int   // credits of CBFC that the frame occupies; 0: none
}

// newSource returns the account of a device's chunks, with none in use, and reserves chunks for classes that must not
// lose frames. The account of a HIPPI-6400-PH link's assembly is also set as the source of the Messages that arrive on
// the link.
func newSource(p *Port, d frame.Device) *source {
	g := d.Geometry()
	s := &source{
		port: p, area: d.Area(), chunks: make([]chunk, g.Received()), spare: g.Spare,
		shift: bits.TrailingZeros(uint(g.ChunkSize)),
	}
	s.use(d)
	s.assure()
	if _, ok := d.(*assembly); ok {
		p.HIPPI.in.arrives = s
	}
	return s
}

// use makes d the device of the socket.
func (s *source) use(d frame.Device) {
	s.device = d
	s.gathers, _ = d.(frame.Gatherer)
}

// frame returns the octets of a waiting frame.
func (s *source) frame(e *entry) []byte { return s.area[e.addr : e.addr+uint32(e.length)] }

// room returns the number of further chunks of the socket in which frames may wait, without the chunks reserved
// for certain classes or for trimmed frames.
func (s *source) room() int { return max(0, s.roomTrimmed()-s.trimmedRoom) }

// roomTrimmed returns the number of further chunks of the socket in which trimmed frames may wait. If a reload has
// reduced the number of reserved chunks, the excess chunks in use count as reserved until they are free.
func (s *source) roomTrimmed() int {
	return s.spare - max(s.assured.total, s.assured.taken) - (s.waiting - s.assured.taken)
}

// hasAssured reports whether a chunk reserved for the class of the arriving frame is left for it.
func (s *source) hasAssured() bool {
	a := &s.arrives
	return a.assured && s.assured.inUse[a.class] < s.assured.chunks[a.class] && s.assured.taken < s.assured.total
}

// holds reports whether the chunk at an address is already in a queue.
func (s *source) holds(addr uint64) bool { return s.chunks[addr>>s.shift].refs > 0 }

// hold records that the arriving frame, in the chunk at an address, waits in one queue more.
func (s *source) hold(addr uint64) {
	c := &s.chunks[addr>>s.shift]
	if c.refs == 0 {
		s.waiting++
		*c = chunk{class: s.arrives.class, assured: s.hasAssured(), credits: uint16(s.arrives.credits)}
		if c.assured {
			s.assured.hold(c.class, 1)
		}
	}
	c.refs++
}

// release records that the frame in the chunk at an address waits in one queue less. When it waits in none, the
// chunk goes back to the device.
func (s *source) release(addr uint64) {
	if s.device == nil {
		s.waiting--
		return
	}
	c := &s.chunks[addr>>s.shift]
	if c.refs--; c.refs > 0 {
		return
	}
	s.waiting--
	s.settle(c)
	s.giveBack(addr)
}

// giveBack returns the chunk at an address, in which no frame waits, to the device with the next recycle.
func (s *source) giveBack(addr uint64) {
	s.back[s.backLen] = frame.Desc{Addr: addr}
	if s.backLen++; s.backLen == batch {
		s.recycle()
	}
}

// settle gives back what a chunk has occupied while a frame waited in it: its share of the reserved chunks, and
// its CBFC credits.
func (s *source) settle(c *chunk) {
	if c.assured {
		s.assured.hold(c.class, -1)
	}
	if c.credits > 0 {
		s.port.Link.cbfc.Rx.Free(c.class, int(c.credits))
	}
}

// recycle gives back to the device the chunks that giveBack has collected, in which no frame waits any more.
func (s *source) recycle() {
	if s.backLen > 0 {
		s.device.Recycle(s.back[:s.backLen])
		s.backLen = 0
	}
}

// assured counts the chunks of a source reserved for certain classes: frames covered by the partner's credits, or of a
// priority that PFC can stop. Waiting frames of other classes never use these chunks.
// Clauses: UE-LINK/overview.8.
type assured struct {
	chunks [qos.Classes]int // by class, the most chunks reserved for its frames
	inUse  [qos.Classes]int // by class, chunks in use
	total  int              // reserved for all classes together; at most the sum of chunks
	taken  int              // over all classes, chunks in use
}

// set sets how many chunks are reserved for each class, and for all classes together.
func (a *assured) set(chunks [qos.Classes]int, total int) { a.chunks, a.total = chunks, total }

// hold records n more of the reserved chunks as used by a class; n may be negative.
func (a *assured) hold(class uint8, n int) {
	a.inUse[class] += n
	a.taken += n
}

// assure reserves chunks of a socket for lossless traffic classes, by the settings of the socket's port. In an
// assembly (the memory of HIPPI-6400-PH Messages) every chunk is reserved for a class.
func (s *source) assure() {
	if a, ok := s.device.(*assembly); ok {
		a.assure(s)
		return
	}
	s.assured.set(s.port.settings.Reserved())
}
