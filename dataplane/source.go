package dataplane

import (
	"math/bits"

	"uelink/dataplane/frame"
)

// source is the socket of one RX queue of a port, with the account of its chunks. A frame
// that has to wait does so in the chunk that it came in, in one queue or, where it is
// flooded, in several. As many chunks as the fill ring is meant to hold never wait.
type source struct {
	port    *port
	number  uint16       // in the domain
	device  frame.Device // nil: it has gone, and what waits was moved to an area of its own
	area    []byte
	shift   int // log2 of the octets of a chunk
	chunks  []chunk
	waiting int   // chunks that wait; of a source that has gone, entries of queues
	spare   int   // most chunks that may wait
	kept    int   // of these, for trimmed frames only
	purgeAt int64 // when what waits is dropped, of a source that has gone, ns

	assured assured
	arrives arrival

	back    [batch]frame.Desc // chunks that have waited, on their way back
	backLen int
}

// chunk is what a source knows of one of its chunks while it waits.
type chunk struct {
	refs    uint8  // how many queues it waits in
	class   uint8  // traffic class of the frame
	assured bool   // it takes one that was assured to the class
	credits uint16 // of CBFC, that come back when it waits no longer
}

// arrival is what is known of the frame that is being forwarded.
type arrival struct {
	class   uint8
	assured bool // its class has chunks that nobody else takes
	credits int  // of CBFC
}

func newSource(p *port, d frame.Device) *source {
	g := d.Geometry()
	s := &source{
		port: p, device: d, area: d.Area(), chunks: make([]chunk, g.Received()), spare: g.Spare,
		shift: bits.TrailingZeros(uint(g.ChunkSize)),
	}
	s.assured.set(p.settings.assures())
	return s
}

// frame is the octets of an entry.
func (s *source) frame(e *entry) []byte { return s.area[e.addr : e.addr+uint32(e.length)] }

// room is how many more chunks may wait of frames to which none is assured.
func (s *source) room() int { return max(0, s.roomTrimmed()-s.kept) }

// roomTrimmed is how many more chunks may wait of trimmed frames. Where fewer are assured than before a reload, those
// that are taken beyond that count until they are free.
func (s *source) roomTrimmed() int {
	return s.spare - max(s.assured.total, s.assured.taken) - (s.waiting - s.assured.taken)
}

// has tells whether there is a chunk left of those that are assured to the frame that arrives.
func (s *source) has() bool {
	a := &s.arrives
	return a.assured && s.assured.held[a.class] < s.assured.chunks[a.class] && s.assured.taken < s.assured.total
}

// holds tells whether the chunk of an address waits already.
func (s *source) holds(addr uint64) bool { return s.chunks[addr>>s.shift].refs > 0 }

// hold notes that the chunk of an address, in which the frame lies that arrives, waits in one queue more.
func (s *source) hold(addr uint64) {
	c := &s.chunks[addr>>s.shift]
	if c.refs == 0 {
		s.waiting++
		*c = chunk{class: s.arrives.class, assured: s.has(), credits: uint16(s.arrives.credits)}
		if c.assured {
			s.assured.hold(c.class, 1)
		}
	}
	c.refs++
}

// release notes that the chunk of an address waits in one queue less. When it waits in none it is given back.
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
	s.back[s.backLen] = frame.Desc{Addr: addr}
	if s.backLen++; s.backLen == batch {
		s.recycle()
	}
}

// settle ends the account of a chunk that waits no longer.
func (s *source) settle(c *chunk) {
	if c.assured {
		s.assured.hold(c.class, -1)
	}
	if c.credits > 0 {
		s.port.link.cbfc.Rx.Free(c.class, int(c.credits))
	}
}

// recycle gives back the chunks that have waited.
func (s *source) recycle() {
	if s.backLen > 0 {
		s.device.Recycle(s.back[:s.backLen])
		s.backLen = 0
	}
}
