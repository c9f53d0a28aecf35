package xsk

import (
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/internal/snapshot"
)

// A socket can be handed over to another process: its descriptors, the memfd of its UMEM and, for live frames, the maps
// and the program that send. The kernel keeps the rings, and a process that has mapped them goes on at their indices.
// Rings can be mapped after bind from Linux 6.4 on.

// mapsLater is the first kernel on which rings can be mapped after bind: 6.4.
var mapsLater = [2]uint32{6, 4}

// HandsOver reports whether this kernel allows to hand open AF_XDP sockets over to another process.
func HandsOver() bool { return bpf.KernelSince(mapsLater[0], mapsLater[1]) }

// CanHandOver returns nil if the socket can be handed over to another process, else an error with the reason.
func (s *Socket) CanHandOver() error {
	switch {
	case !HandsOver():
		return fmt.Errorf("handing over a socket needs Linux 6.4: %w", errors.ErrUnsupported)
	case s.info.Opener != attach.OpenerNative:
		return fmt.Errorf("another process cannot map the memory of a socket of opener: %v: set opener: %v", s.info.Opener,
			attach.OpenerNative)
	}
	return nil
}

// Handed describes a socket for the process that adopts it.
type Handed struct {
	Queue    int
	Options  Options
	ZeroCopy bool
	TxBudget int
	Live     bool   // descriptors of a Transmitter follow those of the socket
	Blank    uint32 // octets, from bpf.Transmitter.LongestBlank
	Shares   bool   // the Transmitter is in a bpf.Sharing, whose descriptors follow, too
	Number   uint16 // in the Sharing
}

// socketFDs is the number of descriptors of a socket without live frames: sender, receiver, memory.
const socketFDs = 3

// HandOver returns a description of the open socket for another process, and the file descriptors that the other
// process needs. This process still owns and closes them, and goes on to use the socket until Leave.
func (s *Socket) HandOver() (h Handed, fds []int) {
	h = Handed{
		Queue: s.info.Queue, Options: s.bound.options, ZeroCopy: s.info.ZeroCopy, TxBudget: s.info.TxBudget,
		Live: s.live != nil,
	}
	fds = []int{s.sender, s.receiver, s.bound.memory}
	if s.live != nil {
		h.Blank = s.live.tx.LongestBlank()
		h.Number, h.Shares = s.live.tx.Number()
		fds = append(fds, s.live.tx.Descriptors()...)
	}
	return h, fds
}

// Leave gives the kernel the chunks that were kept back from it, and records the present positions in the socket's
// rings, from which the other process goes on. Before the call, Kick must have sent all posted frames, and Completed
// must have returned all live frames.
func (s *Socket) Leave() {
	if s.fill.bound != nil {
		s.fill.bound.release(&s.fill)
	}
	s.left = s.position()
}

// position holds the indices of the rings that user space moves, not the kernel.
type position struct {
	fill, rx, tx, completed uint32
	live                    uint64 // frames sent live so far
}

// position returns the present positions in the socket's rings and the count of frames sent live. All processes that
// share the rings see the same positions.
func (s *Socket) position() position {
	p := position{
		fill: atomic.LoadUint32(s.fill.producer.producer), rx: atomic.LoadUint32(s.rx.consumer),
		tx: atomic.LoadUint32(s.tx.producer.producer), completed: atomic.LoadUint32(s.completed.consumer),
	}
	if s.live != nil {
		p.live = s.live.tx.Posted()
	}
	return p
}

// Untouched reports whether no process has moved a frame through the socket since Leave. If it returns false,
// another process has used the socket, and this process must not use it any more.
func (s *Socket) Untouched() bool { return s.position() == s.left }

// FDs returns how many file descriptors belong to the handed-over socket.
func (h *Handed) FDs() int {
	switch {
	case h.Live && h.Shares:
		return socketFDs + bpf.SharingFDs
	case h.Live:
		return socketFDs + bpf.TransmitterFDs
	}
	return socketFDs
}

// check returns an error if the description of a handed-over socket is impossible: a wrong number of file
// descriptors, or options that no socket can have.
func (h *Handed) check(fds []int) error {
	if len(fds) != h.FDs() {
		return fmt.Errorf("%d descriptors, %d are wanted", len(fds), h.FDs())
	}
	return h.Options.check()
}

// Adopt returns a Socket that another process has handed over, by its description h and file descriptors fds, which are
// closed with the Socket. The other process may use its socket until Leave. Then PassState restores the state of the
// new Socket. After the first call of another method of the new Socket the other process must not use its socket any
// more. After an error the descriptors stay open.
func Adopt(ifname string, ifindex int, h Handed, fds []int) (s *Socket, err error) {
	if err := h.check(fds); err != nil {
		return nil, fmt.Errorf("%s queue %d: adopt the AF_XDP socket: %w", ifname, h.Queue, err)
	}
	r := request{ifindex: ifindex, queue: h.Queue, options: h.Options, sizes: h.Options.sizes()}
	b := &bound{sender: fds[0], receiver: fds[1], memory: fds[2], options: h.Options}
	if err := b.adopt(r, h, fds[socketFDs:]); err != nil {
		return nil, fmt.Errorf("%s queue %d: adopt the AF_XDP socket: %w", ifname, h.Queue, errors.Join(err, b.unmapAll()))
	}
	b.close = b.closeNative
	s = b.socketAs(r, Info{Interface: ifname, Queue: h.Queue, Opener: h.Options.Opener, ZeroCopy: h.ZeroCopy,
		TxBudget: h.TxBudget})
	return s, nil
}

// adopt maps the memory and the rings of a socket that another process hands over; live has the file descriptors of
// its Transmitter, if it sends live XDP frames.
func (b *bound) adopt(r request, h Handed, live []int) (err error) {
	g := r.options.Geometry
	b.area, err = mapFrames(b.memory, g.Size(), 0)
	if err != nil {
		return fmt.Errorf("map the UMEM of %d octets: %w", g.Size(), err)
	}
	if h.Live {
		tx, err := bpf.AdoptTransmitter(g.TX, g.ChunkSize, h.Number, live)
		if err != nil {
			return err
		}
		if err := tx.Overlay(b.area[g.SlotAddr(0):]); err != nil {
			return err
		}
		b.live = liveOf(tx, r.sizes.tx)
	}
	if b.rings, err = mapRings(b.sender, r.sizes); err != nil {
		return err
	}
	b.rings.rx, err = mapRX(b.receiver, r.sizes.rx)
	return err
}

// unmapAll unmaps the memory and the rings that adopt has mapped.
func (b *bound) unmapAll() error {
	err := b.rings.unmap()
	if b.area != nil {
		err = errors.Join(err, unix.Munmap(b.area))
	}
	return err
}

// PassState saves to a snapshot, or restores, the part of the socket's state that its rings do not show: which chunks
// the caller has, and the counters. A restored socket goes on at the present positions in its rings.
func (s *Socket) PassState(to *snapshot.State) {
	if to.Restoring() {
		s.goOn()
	}
	snapshot.Number(to, "out", &s.fill.out)
	snapshot.Number(to, "kicks", &s.kicks)
	to.Check(s.fill.out >= 0 && s.fill.out <= s.geometry.RX, "%d of %d RX chunks are outside the rings",
		s.fill.out, s.geometry.RX)
	if s.live != nil {
		frames, dropped := s.live.frames.Load(), s.live.dropped.Load()
		snapshot.Number(to, "live", &frames)
		snapshot.Number(to, "live_dropped", &dropped)
		s.live.frames.Store(frames)
		s.live.dropped.Store(dropped)
	}
	if b := s.fill.bound; b != nil {
		began := b.began.Load()
		snapshot.Number(to, "queue_bounded", &began)
		b.began.Store(began)
	}
	if s.pieces != nil {
		to.Group("joiner", s.pieces.joiner.PassState)
		snapshot.Numbers(to, "last", s.pieces.last)
	}
	if s.places != nil {
		to.Group("places", s.places.PassState)
	}
}

// goOn makes the socket go on at the present positions in its rings, to which another process has moved them since
// Adopt.
func (s *Socket) goOn() {
	s.fill.producer = newProducer(s.fill.ring)
	s.rx = newConsumer(s.rx.ring)
	s.tx.producer = newProducer(s.tx.ring)
	s.completed = newConsumer(s.completed.ring)
}
