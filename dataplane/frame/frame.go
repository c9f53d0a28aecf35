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

// Geometry is how a device's area is cut: RX chunks first, then TX chunks, all
// of ChunkSize octets (a power of two).
type Geometry struct {
	ChunkSize int
	RX        int // chunks that belong to the receiving side
	Spare     int // of these, how many may be kept for long: the others are for what comes
	TX        int // chunks that belong to the sender, numbered from 0: slots
}

// Size is the length of the area in octets.
func (g Geometry) Size() int { return g.ChunkSize * (g.RX + g.TX) }

// SlotAddr is the address of the first octet of a TX slot.
func (g Geometry) SlotAddr(slot uint32) uint64 {
	return uint64(g.RX+int(slot)) * uint64(g.ChunkSize)
}

// Slot is the TX slot that an address lies in.
func (g Geometry) Slot(addr uint64) uint32 {
	return uint32(addr/uint64(g.ChunkSize)) - uint32(g.RX)
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
	// Receive takes up to len(into) frames that have arrived, in their order.
	Receive(into []Desc) int
	// Recycle gives received frames back, in any order; Addr may point anywhere
	// into the chunk. All are taken.
	Recycle(rx []Desc)
	// TxRoom is how many frames Transmit would take now.
	TxRoom() int
	// Transmit posts frames to be sent in this order and returns how many it
	// took. Addr points into a TX slot. They leave with the next Kick. A slot may
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
// frames or descriptors.
type Stats struct {
	RxDropped       uint64 `json:"rx_dropped"`
	RxInvalidDescs  uint64 `json:"rx_invalid_descs"`
	TxInvalidDescs  uint64 `json:"tx_invalid_descs"`
	RxRingFull      uint64 `json:"rx_ring_full"`
	RxFillRingEmpty uint64 `json:"rx_fill_ring_empty_descs"`
	TxRingEmpty     uint64 `json:"tx_ring_empty_descs"`
}

// Add adds the counts of another socket.
func (s *Stats) Add(o Stats) {
	s.RxDropped += o.RxDropped
	s.RxInvalidDescs += o.RxInvalidDescs
	s.TxInvalidDescs += o.TxInvalidDescs
	s.RxRingFull += o.RxRingFull
	s.RxFillRingEmpty += o.RxFillRingEmpty
	s.TxRingEmpty += o.TxRingEmpty
}

// Sub takes the counts of an earlier moment away.
func (s *Stats) Sub(o Stats) {
	s.RxDropped -= o.RxDropped
	s.RxInvalidDescs -= o.RxInvalidDescs
	s.TxInvalidDescs -= o.TxInvalidDescs
	s.RxRingFull -= o.RxRingFull
	s.RxFillRingEmpty -= o.RxFillRingEmpty
	s.TxRingEmpty -= o.TxRingEmpty
}
