package xsk

import (
	"errors"
	"fmt"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
)

// Socket is an AF_XDP socket on one RX queue of an interface. As a frame.Device a Socket belongs to one goroutine
// at a time.
//
// A Socket survives a link that goes down and up again: Kick returns frame.ErrDown while frames wait to be sent.
// When the interface is deleted, Kick returns frame.ErrGone as soon as there is something to send.
type Socket struct {
	fill      fillRing
	rx        consumer[frame.Desc]
	tx        txRing
	completed consumer[uint64]

	sender   int    // descriptor of the kernel socket that sends
	receiver int    // descriptor of the kernel socket that receives
	perBatch int    // the largest number of system calls that a Kick makes
	kicks    uint64 // system calls to send or to refill made so far

	area     []byte
	geometry frame.Geometry
	pieces   *pieces       // nil: every frame is in one chunk
	places   *frame.Places // for frames that another device puts into the memory; nil: none
	info     Info
	bound    *bound
	live     *live // nil: all frames leave by the TX ring
	tagged   tagged
	left     position // at the last Leave
	gathered bool     // the pending frames leave by the Flush of a Gathering
}

var _ frame.Device = (*Socket)(nil)

// Info describes an open socket.
type Info struct {
	Interface string
	Queue     int
	Opener    attach.Opener
	ZeroCopy  bool // the NIC reads and writes the UMEM itself (XDP_OPTIONS)
	TxBudget  int  // frames that the kernel sends in one system call, in copy mode
	// Why the socket cannot send live frames although Options.Live is set; nil: it can.
	LiveFailed error
}

// BindMode returns how the socket is bound: BindZeroCopy or BindCopy.
func (i Info) BindMode() attach.Bind {
	if i.ZeroCopy {
		return attach.BindZeroCopy
	}
	return attach.BindCopy
}

// Info returns the description of the socket: interface, queue, opener, zero copy.
func (s *Socket) Info() Info { return s.info }

// Area returns the memory of the socket's chunks, the UMEM.
func (s *Socket) Area() []byte { return s.area }

// Geometry returns how the UMEM is divided into chunks.
func (s *Socket) Geometry() frame.Geometry { return s.geometry }

// FD returns the descriptor of the receiving socket, to be polled for POLLIN.
func (s *Socket) FD() int { return s.receiver }

// Receive fills into with frames that have arrived, and returns their number. A frame in one chunk starts
// XDP_PACKET_HEADROOM octets into the chunk, so it has at most the length of the chunk less 256. A longer frame
// arrives in several chunks, and is joined in a place of the UMEM, from the beginning of the place on.
func (s *Socket) Receive(into []frame.Desc) int {
	if s.pieces != nil {
		return s.receiveJoined(into)
	}
	return s.readRX(into)
}

// readRX fills into with descriptors from the RX ring, and returns their number. If the queue may be bounded, it checks
// how full the ring is, and gives the kernel the chunks that the bound allows.
func (s *Socket) readRX(into []frame.Desc) int {
	before := s.rx.countLoaded()
	n := s.rx.read(into)
	s.fill.out += n
	if b := s.fill.bound; b != nil {
		if before < len(into) { // read has loaded the kernel's index
			b.look(&s.fill, s.rx.countLoaded()+n, len(s.rx.entries))
		}
		if b.on {
			b.lend(&s.fill)
		}
	}
	return n
}

// Waiting returns how many descriptors wait in the RX ring.
func (s *Socket) Waiting() int { return s.rx.waiting() }

// Recycle gives the chunks of received frames back to the kernel, and frees the places of frames that lie in places.
func (s *Socket) Recycle(rx []frame.Desc) {
	if s.pieces != nil {
		s.recycleExcept(rx, s.pieces.joiner.Release)
		return
	}
	if s.places != nil {
		s.recycleExcept(rx, s.places.Release)
		return
	}
	s.fill.recycle(rx)
}

// Place returns the address of a free place of the memory, for a frame of one chunk that does not come from the
// kernel; Recycle frees the place. ok is false if no place is free.
func (s *Socket) Place() (addr uint64, ok bool) {
	if s.places == nil {
		return 0, false
	}
	return s.places.Take()
}

// TxRoom returns how many frames Transmit would accept.
func (s *Socket) TxRoom() int {
	room := s.tx.room(len(s.tx.entries))
	if s.pieces != nil {
		return room / s.geometry.Pieces
	}
	if s.live != nil {
		return min(s.live.room(), room-len(s.live.pending))
	}
	return room
}

// Transmit posts frames for the next Kick, and returns the number of frames posted. The kernel drops a frame that
// does not lie within its slot and counts it (TxInvalidDescs); before Linux 6.6 such a frame never completes.
func (s *Socket) Transmit(tx []frame.Desc) int {
	if s.pieces != nil {
		return s.postCut(tx)
	}
	if s.tagged.sender != nil {
		return s.postTagged(tx)
	}
	return s.post(tx)
}

// post posts frames that leave live or by the TX ring, and returns the number of frames posted.
func (s *Socket) post(tx []frame.Desc) int {
	if s.live != nil {
		return s.live.post(tx, s.TxRoom())
	}
	return s.tx.post(tx)
}

// Completed fills into with the addresses of frames that have left, as posted, and returns their number. The
// kernel sends nothing while the completion ring is full.
func (s *Socket) Completed(into []uint64) int {
	if s.pieces != nil {
		return s.completedCut(into)
	}
	n := s.tagged.completed(into)
	if s.live != nil {
		n += s.live.completed(into[n:])
	}
	return n + s.completed.read(into[n:])
}

// Kicks returns how many system calls Kick has made.
func (s *Socket) Kicks() uint64 { return s.kicks }

// Stats reads the kernel's counters. A frame that found no chunk counts in both RxDropped and RxFillRingEmpty, a
// frame longer than a chunk in RxDropped, a frame that found the RX ring full in RxRingFull.
func (s *Socket) Stats() (frame.Stats, error) {
	k, err := s.bound.stats()
	if err != nil {
		return frame.Stats{}, fmt.Errorf("%s queue %d: statistics of the AF_XDP socket: %w", s.info.Interface,
			s.info.Queue, err)
	}
	live, dropped := s.liveStats()
	return frame.Stats{
		RxQueueBounded:  s.fill.bound.times(),
		TxLive:          live,
		TxLiveDropped:   dropped,
		JoinDrops:       s.pieces.drops(),
		RxDropped:       k.Rx_dropped,
		RxInvalidDescs:  k.Rx_invalid_descs,
		TxInvalidDescs:  k.Tx_invalid_descs,
		RxRingFull:      k.Rx_ring_full,
		RxFillRingEmpty: k.Rx_fill_ring_empty_descs,
		TxRingEmpty:     k.Tx_ring_empty_descs,
	}, nil
}

// Close frees the socket, its rings and its UMEM. After Close no other method may be called.
func (s *Socket) Close() error {
	if s.bound == nil {
		return nil
	}
	b := s.bound
	*s = Socket{sender: -1, receiver: -1, info: s.info}
	if err := errors.Join(b.rings.unmap(), b.close()); err != nil {
		return fmt.Errorf("%s queue %d: close the AF_XDP socket: %w", s.info.Interface, s.info.Queue, err)
	}
	return nil
}
