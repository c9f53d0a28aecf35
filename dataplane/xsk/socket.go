package xsk

import (
	"errors"
	"fmt"

	"uelink/dataplane/frame"
)

// Socket is an AF_XDP socket on one RX queue of an interface. As a frame.Device
// it belongs to one goroutine at a time.
//
// A link that goes down and up again leaves the socket as it was: Kick says
// frame.ErrDown while frames wait to be sent. When the interface is deleted, Kick
// says frame.ErrGone as soon as there is something to send.
type Socket struct {
	fill      fillRing
	rx        consumer[frame.Desc]
	tx        txRing
	completed consumer[uint64]

	sender   int
	receiver int
	perBatch int // most system calls of one Kick
	kicks    uint64

	area     []byte
	geometry frame.Geometry
	pieces   *pieces // nil: every frame is in one chunk
	info     Info
	bound    *bound
}

var _ frame.Device = (*Socket)(nil)

// Info is what a socket turned out to be.
type Info struct {
	Interface string
	Queue     int
	Opener    Opener
	ZeroCopy  bool // the NIC reads and writes the UMEM itself (XDP_OPTIONS)
	TxBudget  int  // frames that the kernel sends in one system call, in copy mode
}

// BindMode is BindZeroCopy or BindCopy.
func (i Info) BindMode() Bind {
	if i.ZeroCopy {
		return BindZeroCopy
	}
	return BindCopy
}

// Info is what the socket turned out to be.
func (s *Socket) Info() Info { return s.info }

// Area is the UMEM.
func (s *Socket) Area() []byte { return s.area }

// Geometry is how the UMEM is cut.
func (s *Socket) Geometry() frame.Geometry { return s.geometry }

// FD is the descriptor of the socket that receives, to be polled for POLLIN.
func (s *Socket) FD() int { return s.receiver }

// Receive takes frames that have arrived. They start XDP_PACKET_HEADROOM octets
// into their chunk, so none in one chunk is longer than the chunk less 256. A longer one
// comes in several, and lies in a place, from its beginning on.
func (s *Socket) Receive(into []frame.Desc) int {
	if s.pieces != nil {
		return s.receiveJoined(into)
	}
	return s.takeRX(into)
}

// takeRX takes descriptors off the RX ring.
func (s *Socket) takeRX(into []frame.Desc) int {
	n := s.rx.take(into)
	s.fill.out += n
	return n
}

// Recycle gives the chunks of received frames back to the kernel.
func (s *Socket) Recycle(rx []frame.Desc) {
	if s.pieces != nil {
		s.recycleJoined(rx)
		return
	}
	s.fill.recycle(rx)
}

// TxRoom is how many frames Transmit would take.
func (s *Socket) TxRoom() int {
	room := s.tx.room(len(s.tx.entries))
	if s.pieces != nil {
		return room / s.geometry.Pieces
	}
	return room
}

// Transmit posts frames. The kernel throws away one that does not lie within its
// slot and counts it (TxInvalidDescs); before Linux 6.6 it never completes.
func (s *Socket) Transmit(tx []frame.Desc) int {
	if s.pieces != nil {
		return s.postCut(tx)
	}
	return s.tx.post(tx)
}

// Completed takes the addresses of frames that have left, as they were posted.
// The kernel sends nothing while as many completions wait here as the ring holds.
func (s *Socket) Completed(into []uint64) int {
	if s.pieces != nil {
		return s.completedCut(into)
	}
	return s.completed.take(into)
}

// Kicks is how many system calls Kick has made.
func (s *Socket) Kicks() uint64 { return s.kicks }

// Stats reads what the kernel counted. A frame that found no chunk is in both
// RxDropped and RxFillRingEmpty, one longer than a chunk in RxDropped, one that
// found the RX ring full in RxRingFull.
func (s *Socket) Stats() (frame.Stats, error) {
	k, err := s.bound.stats()
	if err != nil {
		return frame.Stats{}, fmt.Errorf("%s queue %d: statistics of the AF_XDP socket: %w", s.info.Interface,
			s.info.Queue, err)
	}
	return frame.Stats{
		JoinDrops:       s.pieces.drops(),
		RxDropped:       k.Rx_dropped,
		RxInvalidDescs:  k.Rx_invalid_descs,
		TxInvalidDescs:  k.Tx_invalid_descs,
		RxRingFull:      k.Rx_ring_full,
		RxFillRingEmpty: k.Rx_fill_ring_empty_descs,
		TxRingEmpty:     k.Tx_ring_empty_descs,
	}, nil
}

// Close frees the socket, its rings and its UMEM. Nothing but Close may be
// called after it.
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
