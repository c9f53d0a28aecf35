package xsk

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/frame"
)

// The least batch that leaves live, and the signs that the kernel is slow to send live frames.
const (
	// liveLeast is the least number of frames that leave live by one call. A call costs about 11 µs, and each frame in it
	// a seventh of its cost by AF_XDP: from 14 frames of 64 octets on, and 16 of 1500, live frames are cheaper.
	liveLeast = 16
	// slowCall is the duration from which on a call counts as slow, because something is wrong or the CPU is busy: 256
	// frames take 50 to 90 µs. A program that has found no room in the kernel's XDP dispatcher costs over 10 ms.
	slowCall = 5 * time.Millisecond
	// slowSleeps is how often a call sleeps if the program has no room in the dispatcher: the kernel waits for all CPUs
	// when it adds the program, and again when it removes the program. A call that loses the CPU does not sleep, and a
	// call that waits for a lock of the kernel sleeps once.
	slowSleeps = 2
)

// live is the second way of a Socket to send: frames leave live, by a bpf.Transmitter. The memory of the slots serves
// both ways. The goroutine of the Socket owns all fields but those that are atomic.
//
// Posted frames are pending until a Kick. The Kick sends a small batch by AF_XDP and a large batch live: a lone frame
// costs no more than without live frames.
//
//  1. Transmit appends to pending.
//  2. Kick sends all that is pending, in order: by AF_XDP if the kernel still has earlier frames in the TX ring.
//     KickTogether may leave a small batch to a Gathering.
//  3. A live frame has been copied at the end of the call: its slot is in done, for Completed.
type live struct {
	tx      *bpf.Transmitter
	pending []frame.Desc // posted, and not sent yet
	done    []uint64     // slot addresses of frames that have left live, for Completed
	read    int          // number of slots in field done that method Completed has returned
	slow    bool         // the latest call took slowCall or longer
	turn    bool         // with alternating: the latest frames left live
	start   time.Time    // when the socket was opened: origin of the times that run measures

	longest atomic.Uint32 // octets of the longest frame that leaves live; 0: all frames leave by AF_XDP
	frames  atomic.Uint64 // frames that left live
	dropped atomic.Uint64 // frames dropped by the kernel, as DroppedLive was told
	stopped atomic.Pointer[LiveStop]

	usage unix.Rusage // scratch of sleeps: usage of the thread
}

// LiveStop is the reason why a Socket has ceased to send live frames.
type LiveStop struct {
	Err    error         // error of the kernel; nil: a call took too long
	Took   time.Duration // duration of the second slow call in a row
	Sleeps int64         // how often the thread slept in that call
}

// newLive returns the state for sending live XDP frames, by a Transmitter whose slots are the TX slots of the UMEM
// area. The UMEM must not be registered yet.
func newLive(r request, area []byte) (*live, error) {
	g := r.options.Geometry
	tx, err := bpf.NewTransmitter(r.ifindex, g.TX, g.ChunkSize)
	if err != nil {
		return nil, err
	}
	if err := tx.Overlay(area[g.SlotAddr(0):]); err != nil {
		_ = tx.Close()
		return nil, err
	}
	return liveOf(tx, r.sizes.tx), nil
}

// liveOf returns the state for sending live XDP frames by a Transmitter, the socket's second way to send beside its
// TX ring of the given number of entries.
func liveOf(tx *bpf.Transmitter, entries int) *live {
	return &live{tx: tx, pending: make([]frame.Desc, 0, entries), done: make([]uint64, 0, entries), start: time.Now()}
}

// room returns how many more frames Transmit can accept: those not sent yet and those not read by Completed take
// room.
func (l *live) room() int { return cap(l.pending) - len(l.pending) - len(l.done) }

// post appends up to room of the frames tx to those that the next Kick sends, and returns how many it has appended.
func (l *live) post(tx []frame.Desc, room int) int {
	n := min(len(tx), room)
	l.pending = append(l.pending, tx[:n]...)
	return n
}

// completed fills into with the slot addresses of frames that were sent live, and returns their number.
func (l *live) completed(into []uint64) int {
	n := copy(into, l.done[l.read:])
	if l.read += n; l.read == len(l.done) {
		l.done, l.read = l.done[:0], 0
	}
	return n
}

// kickPending sends the frames posted since the last Kick: large batches as live XDP frames, the rest by AF_XDP. While
// the kernel has frames of the TX ring to send, all frames go there, so that the order stays.
func (s *Socket) kickPending() error {
	l := s.live
	sent := 0
	for sent < len(l.pending) && s.tx.unread() == 0 && l.goesLive(len(l.pending)-sent) {
		n := l.send(l.pending[sent:min(sent+bpf.MostPosted, len(l.pending))], s.geometry)
		if sent += n; n == 0 {
			break
		}
	}
	s.tx.post(l.pending[sent:]) // TxRoom has left room for all
	l.pending = l.pending[:0]
	return s.sendPosted()
}

// alternating is set by the linker, in a daemon built for tests: batches of any size leave in turn live and by AF_XDP.
var alternating string

// goesLive reports whether the next n frames leave live: if they are many, or with alternating every second time.
func (l *live) goesLive(n int) bool {
	if alternating == "" {
		return n >= liveLeast
	}
	l.turn = !l.turn
	return l.turn
}

// send sends a batch of posted frames as live XDP frames, and returns how many were sent: none if the batch has a
// frame that is too long.
func (l *live) send(batch []frame.Desc, g frame.Geometry) int {
	longest := uint32(0)
	for i := range batch {
		longest = max(longest, batch[i].Len)
	}
	if longest > l.longest.Load() {
		return 0
	}
	first, size := g.SlotAddr(0), uint64(g.ChunkSize)
	for i := range batch {
		l.tx.Post(uint32((batch[i].Addr-first)/size), batch[i].Len)
	}
	n := len(batch) - l.run(longest)
	for i := range batch[:n] {
		l.done = append(l.done, batch[i].Addr)
	}
	l.frames.Add(uint64(n))
	return n
}

// run makes the kernel send the frames posted to the Transmitter, judges the call, and returns how many frames were not
// sent. longest is the length of the longest frame.
func (l *live) run(longest uint32) (unsent int) {
	before, slept := int64(0), int64(0)
	if l.slow {
		before = l.sleeps()
	}
	began := time.Since(l.start)
	unsent, err := l.tx.Send(longest)
	took := time.Since(l.start) - began
	if l.slow && took >= slowCall {
		slept = l.sleeps() - before
	}
	l.judge(took, slept, err)
	return unsent
}

// sleeps returns how often the thread has slept in the kernel. It costs a system call of a microsecond.
func (l *live) sleeps() int64 {
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &l.usage) // cannot fail: the address is good
	return l.usage.Nvcsw
}

// judge stops live XDP frames after an error of the kernel, or after two slow calls in a row if the second call has
// slept slowSleeps times. A call that has only lost the CPU stops nothing. took is the time of the call; slept is how
// often the call has slept, counted after a slow call only.
func (l *live) judge(took time.Duration, slept int64, err error) {
	slowBefore := l.slow
	l.slow = took >= slowCall
	if err != nil || slowBefore && l.slow && slept >= slowSleeps {
		l.slow = false
		l.longest.Store(0)
		l.stopped.Store(&LiveStop{Err: err, Took: took, Sleeps: slept})
	}
}
