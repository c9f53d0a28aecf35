// Package frame holds the words that every mover of frames shares: the
// descriptor of a frame, the layout of the memory that frames live in, the pool
// of free chunks, and the Device that moves frames between a port and the world.
package frame

import "errors"

// Desc is a frame: where it lies in its device's area, in octets, and its
// length in octets. It has the layout of the kernel's struct xdp_desc.
type Desc struct {
	Addr    uint64
	Len     uint32
	Options uint32
}

// Geometry is how a device's area is cut: RX chunks first, then places, then TX slots.
// A chunk has ChunkSize octets, a power of two. A place and a slot are Pieces chunks side by side,
// so that a frame always lies in one piece of memory.
type Geometry struct {
	ChunkSize int
	RX        int // chunks that belong to the receiving side
	Spare     int // how many received frames may be kept for long: the other chunks are for what comes
	TX        int // slots: they belong to the sender, and are numbered from 0
	Pieces    int // chunks of the longest frame; 0 is 1
	Places    int // for received frames that came in several chunks: see Joiner
}

// pieces is Pieces, and 1 where it is not set.
func (g Geometry) pieces() int { return max(g.Pieces, 1) }

// SlotSize is how long a frame may be, in octets.
func (g Geometry) SlotSize() int { return g.ChunkSize * g.pieces() }

// Received is how many chunks received frames can lie in: RX chunks and those of the places.
func (g Geometry) Received() int { return g.RX + g.Places*g.pieces() }

// Size is the length of the area in octets.
func (g Geometry) Size() int { return g.ChunkSize * (g.Received() + g.TX*g.pieces()) }

// SlotAddr is the address of the first octet of a TX slot.
func (g Geometry) SlotAddr(slot uint32) uint64 {
	return uint64(g.Received()+int(slot)*g.pieces()) * uint64(g.ChunkSize)
}

// Slot is the TX slot that an address lies in.
func (g Geometry) Slot(addr uint64) uint32 {
	return uint32((addr - g.SlotAddr(0)) / uint64(g.SlotSize()))
}

// ErrDown is what Kick returns while the interface is down: frames posted stay
// posted and leave when it is up again.
var ErrDown = errors.New("link is down")

// ErrGone is what Kick returns when the interface no longer exists: the device
// is of no more use and is to be closed.
var ErrGone = errors.New("interface is gone")

// Device moves frames in batches. All its methods belong to one goroutine at a
// time; none blocks, none allocates. Every frame has one owner: a received
// frame is the caller's until Recycle, a transmitted one is the device's until
// Completed names its address.
type Device interface {
	// Area is the memory that descriptors point into.
	Area() []byte
	// Geometry is how the area is cut.
	Geometry() Geometry
	// Receive takes up to len(into) frames that have arrived, in their order. One that came in
	// several chunks has been joined: it lies in a place.
	Receive(into []Desc) int
	// Recycle gives received frames back, in any order; Addr may point anywhere
	// into the chunk, or the place. All are taken.
	Recycle(rx []Desc)
	// TxRoom is how many frames Transmit would take now, however long they are.
	TxRoom() int
	// Transmit posts frames to be sent in this order and returns how many it
	// took. Addr points to the beginning of a TX slot. They leave with the next Kick. A slot may
	// be posted again before its first posting has completed.
	Transmit(tx []Desc) int
	// Completed takes up to len(into) addresses whose posting is over, in any
	// order, one for each posting.
	Completed(into []uint64) int
	// Kick has the posted frames sent and the refilled chunks noticed; at most
	// once a batch. nil, ErrDown, ErrGone, or an error that names what was tried.
	Kick() error
	// FD is what is waited at for frames to arrive, or -1.
	FD() int
	// Stats reads what the kernel counted; not for every batch.
	Stats() (Stats, error)
	// Close frees everything.
	Close() error
}

// Stats is what the kernel (struct xdp_statistics) counted on one socket, in
// frames or descriptors, and what became of frames that came in several chunks.
type Stats struct {
	// frames that the kernel dropped before the socket, for other reasons than a full RX ring
	RxDropped       uint64 `json:"rx_dropped"`
	RxInvalidDescs  uint64 `json:"rx_invalid_descs"`         // descriptors of the fill ring that the kernel refused
	TxInvalidDescs  uint64 `json:"tx_invalid_descs"`         // descriptors of the TX ring that the kernel refused
	RxRingFull      uint64 `json:"rx_ring_full"`             // frames that the kernel dropped because the RX ring was full
	RxFillRingEmpty uint64 `json:"rx_fill_ring_empty_descs"` // times the kernel found no free chunk in the fill ring
	TxRingEmpty     uint64 `json:"tx_ring_empty_descs"`      // times the kernel found no frame in the TX ring
	JoinDrops
}

// Add adds the counts of another socket.
func (s *Stats) Add(o Stats) {
	s.RxDropped += o.RxDropped
	s.RxInvalidDescs += o.RxInvalidDescs
	s.TxInvalidDescs += o.TxInvalidDescs
	s.RxRingFull += o.RxRingFull
	s.RxFillRingEmpty += o.RxFillRingEmpty
	s.TxRingEmpty += o.TxRingEmpty
	s.RxPiecesTooLong += o.RxPiecesTooLong
	s.RxPiecesNoPlace += o.RxPiecesNoPlace
}

// Sub takes the counts of an earlier moment away.
func (s *Stats) Sub(o Stats) {
	s.RxDropped -= o.RxDropped
	s.RxInvalidDescs -= o.RxInvalidDescs
	s.TxInvalidDescs -= o.TxInvalidDescs
	s.RxRingFull -= o.RxRingFull
	s.RxFillRingEmpty -= o.RxFillRingEmpty
	s.TxRingEmpty -= o.TxRingEmpty
	s.RxPiecesTooLong -= o.RxPiecesTooLong
	s.RxPiecesNoPlace -= o.RxPiecesNoPlace
}
