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
	shift   int     // log2 of the octets of a chunk
	refs    []uint8 // by chunk: how many queues it waits in
	waiting int     // chunks that wait; of a source that has gone, entries of queues
	spare   int     // most chunks that may wait
	purgeAt int64   // when what waits is dropped, of a source that has gone, ns

	back    [batch]frame.Desc // chunks that have waited, on their way back
	backLen int
}

func newSource(p *port, d frame.Device) *source {
	g := d.Geometry()
	return &source{
		port: p, device: d, area: d.Area(), refs: make([]uint8, g.RX), spare: g.Spare,
		shift: bits.TrailingZeros(uint(g.ChunkSize)),
	}
}

// frame is the octets of an entry.
func (s *source) frame(e *entry) []byte { return s.area[e.addr : e.addr+uint32(e.length)] }

// room is how many more chunks may wait.
func (s *source) room() int { return s.spare - s.waiting }

// holds tells whether the chunk of an address waits already.
func (s *source) holds(addr uint64) bool { return s.refs[addr>>s.shift] > 0 }

// hold notes that a chunk waits in one queue more.
func (s *source) hold(addr uint64) {
	chunk := addr >> s.shift
	if s.refs[chunk] == 0 {
		s.waiting++
	}
	s.refs[chunk]++
}

// release notes that it does in one less; the last one gives the chunk back.
func (s *source) release(addr uint64) {
	if s.device == nil {
		s.waiting--
		return
	}
	chunk := addr >> s.shift
	if s.refs[chunk]--; s.refs[chunk] > 0 {
		return
	}
	s.waiting--
	s.back[s.backLen] = frame.Desc{Addr: addr}
	if s.backLen++; s.backLen == batch {
		s.recycle()
	}
}

// recycle gives back the chunks that have waited.
func (s *source) recycle() {
	if s.backLen > 0 {
		s.device.Recycle(s.back[:s.backLen])
		s.backLen = 0
	}
}
