package frame

import "sync/atomic"

// Continued is the bit of Desc.Options that marks a descriptor whose frame goes on in the next descriptor
// (XDP_PKT_CONTD).
const Continued = 1

// JoinDrops counts frames in several chunks that were dropped as a whole.
type JoinDrops struct {
	// frames in several chunks dropped because they are longer than a slot
	RxPiecesTooLong uint64 `json:"rx_pieces_too_long"`
	// frames in several chunks dropped because every place to join them was in use
	RxPiecesNoPlace uint64 `json:"rx_pieces_no_place"`
}

// All returns the number of frames that the Joiner dropped, for whatever reason.
func (d JoinDrops) All() uint64 { return d.RxPiecesTooLong + d.RxPiecesNoPlace }

// Joiner joins a frame that the kernel has received in several chunks: the chunks are copied one behind the other
// into a place in the same area. The chunks are free at once. A frame is handed out whole or not at all. Frames of
// one chunk bypass the Joiner. All methods but Drops are for one goroutine.
type Joiner struct {
	area     []byte
	geometry Geometry
	first    uint64 // address of the first place
	end      uint64 // address behind the last place
	free     *Pool

	state  joining
	place  uint32 // where the frame is copied to
	length int    // octets copied so far

	tooLong atomic.Uint64
	noPlace atomic.Uint64
}

// joining is the use of the next chunk.
type joining uint8

// The uses.
const (
	joinNone    joining = iota // the next chunk begins a frame
	joinCopy                   // the next chunk belongs to the frame being copied
	joinDiscard                // the next chunk belongs to a dropped frame
)

// NewJoiner returns a Joiner, which copies frames received in several chunks into the places of an area.
func NewJoiner(g Geometry, area []byte) *Joiner {
	return &Joiner{
		area: area, geometry: g, free: NewPool(g.Places),
		first: uint64(g.RX) * uint64(g.ChunkSize), end: g.SlotAddr(0),
	}
}

// Whole reports whether the chunk d, the next received, holds a whole frame. Such a chunk must not be given to
// Add.
func (j *Joiner) Whole(d Desc) bool { return j.state == joinNone && d.Options&Continued == 0 }

// Add copies the next chunk of a frame. The chunk is free afterwards. ok is true for the last chunk of a frame that
// was not dropped; whole is the joined frame.
func (j *Joiner) Add(d Desc) (whole Desc, ok bool) {
	if j.state == joinNone {
		j.begin()
	}
	if j.state == joinCopy {
		j.copy(d)
	}
	if d.Options&Continued != 0 {
		return Desc{}, false
	}
	ok = j.state == joinCopy
	j.state = joinNone
	return Desc{Addr: j.addr(), Len: uint32(j.length)}, ok
}

// begin allocates a place in the area for the frame that is joined next; without a free place the frame is
// discarded.
func (j *Joiner) begin() {
	place, ok := j.free.Take()
	if !ok {
		j.noPlace.Add(1)
		j.state = joinDiscard
		return
	}
	j.state, j.place, j.length = joinCopy, place, 0
}

// copy appends the octets of a chunk to the frame being joined, or drops the frame if it gets longer than a slot.
func (j *Joiner) copy(d Desc) {
	if j.length+int(d.Len) > j.geometry.SlotSize() {
		j.tooLong.Add(1)
		j.free.Give(j.place)
		j.state = joinDiscard
		return
	}
	copy(j.area[j.addr()+uint64(j.length):], j.area[d.Addr:d.Addr+uint64(d.Len)])
	j.length += int(d.Len)
}

func (j *Joiner) addr() uint64 { return j.first + uint64(j.place)*uint64(j.geometry.SlotSize()) }

// Release frees the joined frame at an address. It returns false if the address is not that of a joined frame.
func (j *Joiner) Release(addr uint64) bool {
	if addr < j.first || addr >= j.end {
		return false
	}
	j.free.Give(uint32((addr - j.first) / uint64(j.geometry.SlotSize())))
	return true
}

// Drops returns the counts of frames that the Joiner dropped. Any goroutine may call Drops.
func (j *Joiner) Drops() JoinDrops {
	return JoinDrops{RxPiecesTooLong: j.tooLong.Load(), RxPiecesNoPlace: j.noPlace.Load()}
}
