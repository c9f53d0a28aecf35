// Package frame defines what all code that moves frames shares: the descriptor of a frame, the layout of the memory
// that holds frames, the pool of free chunks, and the Device that moves frames between a port and the wire.
package frame

import "errors"

// Desc is the descriptor of a frame: its address in the device's area and its length, in octets. Desc has the
// layout of the kernel's struct xdp_desc.
type Desc struct {
	Addr    uint64
	Len     uint32
	Options uint32
}

// Geometry is the layout of a device's area: RX chunks first, then places, then TX slots. A chunk has ChunkSize
// octets, a power of two. A place and a slot are Pieces adjacent chunks, so that a frame always lies in one piece
// of memory.
type Geometry struct {
	ChunkSize int
	RX        int // chunks of the receiving side
	Spare     int // how many received frames may wait for long, besides those of Kept
	Kept      int // how many received frames LLR may keep behind a gap; the other RX chunks are for arriving frames
	TX        int // slots of the sender, numbered from 0
	Pieces    int // chunks that the longest frame takes; 0 counts as 1
	Places    int // for frames received in several chunks: see Joiner
}

// pieces returns the largest number of chunks of a frame: Pieces, or 1 if Pieces is not set.
func (g Geometry) pieces() int { return max(g.Pieces, 1) }

// SlotSize returns the size of a TX slot, and so the longest length of a frame, in octets.
func (g Geometry) SlotSize() int { return g.ChunkSize * g.pieces() }

// Received returns the number of chunks in which received frames can lie: the RX chunks, and the chunks of the
// places where a Joiner joins frames of several chunks.
func (g Geometry) Received() int { return g.RX + g.Places*g.pieces() }

// Size returns the length of the memory area with this geometry, in octets.
func (g Geometry) Size() int { return g.ChunkSize * (g.Received() + g.TX*g.pieces()) }

// SlotAddr returns the address of the first octet of a TX slot.
func (g Geometry) SlotAddr(slot uint32) uint64 {
	return uint64(g.Received()+int(slot)*g.pieces()) * uint64(g.ChunkSize)
}

// Slot returns the number of the TX slot that holds an address.
func (g Geometry) Slot(addr uint64) uint32 {
	return uint32((addr - g.SlotAddr(0)) / uint64(g.SlotSize()))
}

// ErrDown is the error of Kick while the interface is down: posted frames stay posted and leave when the interface
// is up again.
var ErrDown = errors.New("link is down")

// ErrGone is the error of Kick when the interface no longer exists: the device is useless and must be closed.
var ErrGone = errors.New("interface is gone")

// Device moves frames in batches. All methods belong to one goroutine at a time; none blocks, none allocates. Every
// frame has one owner: a received frame is the caller's until Recycle, a transmitted frame is the device's until
// Completed returns its address.
type Device interface {
	// Area returns the memory that descriptors point into.
	Area() []byte
	// Geometry returns the layout of the area.
	Geometry() Geometry
	// Receive fills into with frames that have arrived, in order, and returns their number. A frame that arrived in
	// several chunks has been joined in a place.
	Receive(into []Desc) int
	// Waiting returns how many frames, or pieces of frames, have arrived and are not received yet.
	Waiting() int
	// Recycle gives received frames back, in any order; Addr may point anywhere into the chunk or the place. All
	// frames are accepted.
	Recycle(rx []Desc)
	// TxRoom returns how many frames Transmit would accept now, however long the frames are.
	TxRoom() int
	// Transmit posts frames to be sent in this order and returns how many were accepted. Addr points to the
	// beginning of a TX slot. The frames leave with the next Kick. A slot may be posted again before its first
	// posting has completed.
	Transmit(tx []Desc) int
	// Completed fills into with addresses of completed postings, in any order, one for each posting, and returns
	// their number.
	Completed(into []uint64) int
	// Kick makes the device send the posted frames and use the refilled chunks; at most once a batch. The error is
	// nil, ErrDown, ErrGone, or an error that names the failed operation.
	Kick() error
	// FD returns the descriptor to be polled for arriving frames, or -1.
	FD() int
	// Stats reads the kernel's counters; not for every batch.
	Stats() (Stats, error)
	// Close frees everything.
	Close() error
}

// Gatherer is a Device whose frames can leave by one system call together with those of other devices.
type Gatherer interface {
	// KickTogether is like Kick, but may leave posted frames, if they are few, for the next Flush of g. left
	// reports whether frames wait for Flush.
	KickTogether(g Gathering) (left bool, err error)
}

// Gathering is the devices that have left frames for its Flush. It belongs to one goroutine at a time.
type Gathering interface {
	// Flush makes these devices send the frames.
	Flush()
}

// Stats is the kernel's counters of one socket (struct xdp_statistics), in frames or descriptors, and the counts of
// frames in several chunks that were dropped.
type Stats struct {
	// frames that the kernel dropped before the socket, for other reasons than a full RX ring
	RxDropped       uint64 `json:"rx_dropped"`
	RxInvalidDescs  uint64 `json:"rx_invalid_descs"`         // descriptors of the fill ring that the kernel refused
	TxInvalidDescs  uint64 `json:"tx_invalid_descs"`         // descriptors of the TX ring that the kernel refused
	RxRingFull      uint64 `json:"rx_ring_full"`             // frames that the kernel dropped because the RX ring was full
	RxFillRingEmpty uint64 `json:"rx_fill_ring_empty_descs"` // times the kernel found no free chunk in the fill ring
	// times the queue of received frames was bounded to 512, because more arrived than were forwarded
	RxQueueBounded uint64 `json:"rx_queue_bounded"`
	TxRingEmpty    uint64 `json:"tx_ring_empty_descs"` // times the kernel found no frame in the TX ring
	TxLive         uint64 `json:"tx_live"`             // frames sent live, without an skb; the others by AF_XDP
	// frames dropped by the kernel (tx_dropped) while frames were sent live
	TxLiveDropped uint64 `json:"tx_live_dropped"`
	JoinDrops
	SuperCounts
}

// SuperCounts is the counts of super-frames at an edge: frames of up to 64 kB that its host's kernel gives and takes.
type SuperCounts struct {
	RxSuper uint64 `json:"rx_super_frames"` // super-frames received from the host, and cut into frames
	TxSuper uint64 `json:"tx_super_frames"` // super-frames sent to the host, joined from frames
	// super-frames and frames dropped because their header contradicts their octets, or the frames cut from them are too
	// long
	RxSuperMalformed uint64 `json:"rx_super_malformed"`
	RxSuperNoRoom    uint64 `json:"rx_super_no_room"` // super-frames dropped by the kernel because no room was left for them
	TxSuperRefused   uint64 `json:"tx_super_refused"` // super-frames and frames that the kernel refused to take
}

// Add adds the counts of another socket to c.
func (c *SuperCounts) Add(o SuperCounts) {
	c.RxSuper += o.RxSuper
	c.TxSuper += o.TxSuper
	c.RxSuperMalformed += o.RxSuperMalformed
	c.RxSuperNoRoom += o.RxSuperNoRoom
	c.TxSuperRefused += o.TxSuperRefused
}

// sub subtracts each count of an earlier SuperCounts from that of c.
func (c *SuperCounts) sub(o SuperCounts) {
	c.RxSuper -= o.RxSuper
	c.TxSuper -= o.TxSuper
	c.RxSuperMalformed -= o.RxSuperMalformed
	c.RxSuperNoRoom -= o.RxSuperNoRoom
	c.TxSuperRefused -= o.TxSuperRefused
}

// Add adds the counts of another socket to s.
func (s *Stats) Add(o Stats) {
	s.RxDropped += o.RxDropped
	s.RxInvalidDescs += o.RxInvalidDescs
	s.TxInvalidDescs += o.TxInvalidDescs
	s.RxRingFull += o.RxRingFull
	s.RxFillRingEmpty += o.RxFillRingEmpty
	s.RxQueueBounded += o.RxQueueBounded
	s.TxRingEmpty += o.TxRingEmpty
	s.TxLive += o.TxLive
	s.TxLiveDropped += o.TxLiveDropped
	s.RxPiecesTooLong += o.RxPiecesTooLong
	s.RxPiecesNoPlace += o.RxPiecesNoPlace
	s.SuperCounts.Add(o.SuperCounts)
}

// Sub subtracts each count of an earlier Stats from that of s, in place.
func (s *Stats) Sub(o Stats) {
	s.RxDropped -= o.RxDropped
	s.RxInvalidDescs -= o.RxInvalidDescs
	s.TxInvalidDescs -= o.TxInvalidDescs
	s.RxRingFull -= o.RxRingFull
	s.RxFillRingEmpty -= o.RxFillRingEmpty
	s.RxQueueBounded -= o.RxQueueBounded
	s.TxRingEmpty -= o.TxRingEmpty
	s.TxLive -= o.TxLive
	s.TxLiveDropped -= o.TxLiveDropped
	s.RxPiecesTooLong -= o.RxPiecesTooLong
	s.RxPiecesNoPlace -= o.RxPiecesNoPlace
	s.SuperCounts.sub(o.SuperCounts)
}
