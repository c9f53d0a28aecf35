package xsk

import (
	"errors"
	"fmt"

	"uelink/bpf"
	"uelink/dataplane/frame"
)

// multiBuffer is the first kernel with frames in several chunks (XDP_USE_SG): 6.6.
var multiBuffer = [2]uint32{6, 6}

// MultiBuffer returns nil if this kernel has sockets for frames in several chunks, else an error that wraps
// errors.ErrUnsupported.
func MultiBuffer() error {
	if bpf.KernelSince(multiBuffer[0], multiBuffer[1]) {
		return nil
	}
	return fmt.Errorf("frames in several chunks need Linux 6.6: %w", errors.ErrUnsupported)
}

// pieces is the state of a Socket for frames of several chunks (AF_XDP multi-buffer, Linux 6.6): a frame has a
// descriptor on a ring for each of its chunks, all but the last with XDP_PKT_CONTD. Received chunks are joined in a
// place, memory for a whole frame. Sent frames lie in adjacent chunks, and only the descriptors are cut.
type pieces struct {
	joiner *frame.Joiner
	back   [64]frame.Desc // scratch of join: chunks already joined, which go back to the fill ring
	cut    []frame.Desc   // scratch: the descriptors of a frame
	last   []uint8        // by slot: the chunk that its frame ends in, counted from 0
}

// newPieces returns the state for frames of several chunks in the UMEM area; nil if each frame has one chunk.
func newPieces(g frame.Geometry, area []byte) *pieces {
	if g.Pieces <= 1 {
		return nil
	}
	return &pieces{joiner: frame.NewJoiner(g, area), cut: make([]frame.Desc, g.Pieces), last: make([]uint8, g.TX)}
}

// drops returns how many frames of several chunks were dropped while their chunks were joined; zeros on a socket
// for frames in one chunk.
func (p *pieces) drops() frame.JoinDrops {
	if p == nil {
		return frame.JoinDrops{}
	}
	return p.joiner.Drops()
}

// receiveJoined does the work of Receive on a socket whose frames may arrive in several chunks. The beginning of a
// frame whose rest has not arrived stays with the joiner.
func (s *Socket) receiveJoined(into []frame.Desc) (n int) {
	for n < len(into) {
		came := into[n : n+s.readRX(into[n:])]
		if len(came) == 0 {
			break
		}
		n += s.join(came)
	}
	return n
}

// join joins the chunks of frames in came, moves the whole frames to the beginning of came, and returns their number.
// The joiner copies each chunk of a longer frame to a place; the chunks go back to the fill ring at once.
func (s *Socket) join(came []frame.Desc) (n int) {
	p, back := s.pieces, 0
	for _, d := range came {
		if p.joiner.Whole(d) {
			came[n] = d
			n++
			continue
		}
		if back == len(p.back) {
			s.fill.recycle(p.back[:back])
			back = 0
		}
		p.back[back] = d
		back++
		if whole, ok := p.joiner.Add(d); ok {
			came[n] = whole
			n++
		}
	}
	s.fill.recycle(p.back[:back])
	return n
}

// recycleExcept does the work of Recycle where some of the frames are in places: release frees the place at an address,
// and reports whether there is a place at that address.
func (s *Socket) recycleExcept(rx []frame.Desc, release func(addr uint64) bool) {
	from := 0
	for i := range rx {
		if release(rx[i].Addr) {
			s.fill.recycle(rx[from:i])
			from = i + 1
		}
	}
	s.fill.recycle(rx[from:])
}

// postCut does the work of Transmit on a socket whose frames may lie in several chunks: it posts a descriptor for each
// chunk of a frame, until a frame finds no room in the TX ring, and returns the number n of frames posted.
func (s *Socket) postCut(tx []frame.Desc) (n int) {
	p := s.pieces
	room := s.tx.room(len(tx) * len(p.cut))
	for _, d := range tx {
		count := frame.Cut(d, s.geometry.ChunkSize, p.cut)
		if count > room {
			break
		}
		p.last[s.geometry.Slot(d.Addr)] = uint8(count - 1)
		s.tx.write(p.cut[:count])
		room -= count
		n++
	}
	return n
}

// completedCut does the work of Completed on a socket whose frames may lie in several chunks: it fills into with the
// addresses of the slots whose frames are complete, and returns their number n. A frame is complete when its last chunk
// is: until then the NIC may read the other chunks.
func (s *Socket) completedCut(into []uint64) (n int) {
	for n < len(into) {
		came := into[n : n+s.completed.read(into[n:])]
		if len(came) == 0 {
			break
		}
		n += s.ended(came)
	}
	return n
}

// ended replaces the chunk addresses in came by the slot addresses of those frames whose last chunk is among them,
// and returns their number.
func (s *Socket) ended(came []uint64) (n int) {
	g := s.geometry
	for _, addr := range came {
		slot := g.Slot(addr)
		first := g.SlotAddr(slot)
		if addr-first >= uint64(s.pieces.last[slot])*uint64(g.ChunkSize) {
			came[n] = first
			n++
		}
	}
	return n
}
