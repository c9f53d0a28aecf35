package bpf

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// postingRing is struct ring of transmit.c.
type postingRing struct {
	head     uint64
	_        [7]uint64
	tail     uint64
	refused  uint64
	_        [6]uint64
	postings [MostPosted]posting
}

// posting names a frame to be sent.
type posting struct {
	slot, port uint16
	length     uint32
}

// mapRing maps the ring of postings, from which the XDP program reads which frames to send, into this process.
func (t *Transmitter) mapRing() (err error) {
	t.memory, err = unix.Mmap(t.objects.Ring.FD(), 0, int(unsafe.Sizeof(postingRing{})),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map the ring of frames to send into memory: %w", err)
	}
	t.ring = (*postingRing)(unsafe.Pointer(unsafe.SliceData(t.memory)))
	return nil
}

func (t *Transmitter) unmapRing() error {
	if t.memory == nil {
		return nil
	}
	err := unix.Munmap(t.memory)
	t.memory, t.ring = nil, nil
	return err
}

// Overlay maps the Transmitter's slots (buffers of frames) over memory of the caller, which begins at a page and
// ends at a page: from then on the memory is the slots. The contents are lost. Unmapping the memory ends the
// overlay.
func (t *Transmitter) Overlay(memory []byte) error {
	page := unix.Getpagesize()
	size := (t.slots*t.slotSize + page - 1) &^ (page - 1)
	at := unsafe.Pointer(unsafe.SliceData(memory))
	if uintptr(at)&uintptr(page-1) != 0 || (len(memory)+page-1)&^(page-1) != size {
		return fmt.Errorf("the memory for live frames (%[3]d octets) does not hold exactly %[1]d buffers of %[2]d "+
			"octets, or does not begin at a page", t.slots, t.slotSize, len(memory))
	}
	_, err := unix.MmapPtr(t.objects.Slots.FD(), 0, at, uintptr(size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_FIXED|unix.MAP_POPULATE)
	if err != nil {
		return fmt.Errorf("map %d buffers for live frames of %d octets into memory: %w", t.slots, t.slotSize, err)
	}
	return nil
}

// run is the attributes of a call of BPF_PROG_RUN, and the contents of its blank frame: the kernel makes each frame as
// a copy of the blank frame, and the XDP program writes a posted frame over the copy.
type run struct {
	attr  runAttributes
	blank [4096]byte
}

// runAttributes is union bpf_attr for BPF_PROG_RUN.
type runAttributes struct {
	program, retval             uint32
	dataSizeIn, dataSizeOut     uint32
	dataIn, dataOut             uint64
	repeat, duration            uint32
	contextSizeIn, contextSzOut uint32
	contextIn, contextOut       uint64
	flags, cpu, batchSize, _    uint32
}

// call runs the program. The raw call spares the Go scheduler. A signal ends a call early.
func (a *runAttributes) call() unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_BPF, unix.BPF_PROG_TEST_RUN, uintptr(unsafe.Pointer(a)), unsafe.Sizeof(*a))
	if errno == enotsupp {
		return unix.EOPNOTSUPP
	}
	return errno
}

// shortestBlank is the length of the shortest blank frame, octets. The program drops a blank frame of 14 octets.
const shortestBlank = 60

// emptyFrame is the length of a blank frame that the program drops: an Ethernet header, the least for the kernel.
const emptyFrame = 14

// liveFrames is BPF_F_TEST_XDP_LIVE_FRAMES.
const liveFrames = 2

// leastBatch and mostBatch are the limits of kernelBatch. Batches of 16 to 64 frames cost the same CPU time, larger and
// smaller batches more.
const (
	leastBatch = 4
	mostBatch  = 16
)

// kernelBatch returns the number of frames that the kernel hands to the driver at once in a call for n frames: an
// eighth of n, within the limits. The other end of a veth works on the first batch while the call sends the rest: where
// few frames go round between two ends, with small batches neither end waits long for the other.
func kernelBatch(n int) int { return min(n, max(n/8, leastBatch), mostBatch) }

// duplicate returns another descriptor of the open file of fd, closed on exec.
func duplicate(fd int) (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0) }

func (r *run) prepare() {
	r.attr.dataIn, r.attr.flags = uint64(uintptr(unsafe.Pointer(&r.blank))), liveFrames
}

// enotsupp is the kernel's ENOTSUPP: the program cannot be run. It has no name in user space.
const enotsupp = unix.Errno(524)

// call runs the program of a descriptor with n blank frames of the given length, and returns the error of the system
// call.
func (r *run) call(program int, length uint32, n int) unix.Errno {
	a := &r.attr
	a.program, a.retval, a.dataSizeIn, a.dataSizeOut = uint32(program), 0, length, 0
	a.repeat, a.duration, a.batchSize = uint32(n), 0, uint32(kernelBatch(n))
	return a.call()
}

// Post appends a frame, given by its slot and its length in octets, to the frames that the next Send sends: at
// most MostPosted.
func (t *Transmitter) Post(slot, length uint32) { t.PostFor(t, slot, length) }

// PostFor appends a frame in a slot of another Transmitter, for which SendsFor is true. Else it is like Post.
func (t *Transmitter) PostFor(other *Transmitter, slot, length uint32) {
	t.ring.postings[t.ring.head%MostPosted] = posting{uint16(slot), other.number, length}
	atomic.StoreUint64(&t.ring.head, t.ring.head+1)
}

// ErrNotTaken is returned by Send when the system calls succeed, but the program sends no posted frame: the attached
// program does not know the Transmitter.
var ErrNotTaken = errors.New("the XDP program runs, and sends none of the frames handed to it")

// ErrRefused is returned by Send when the program could not copy posted frames, because the kernel leaves less room in
// a blank frame than Longest promises. The frames are lost.
var ErrRefused = errors.New("the XDP program cannot copy a frame")

// mostCalls is the number of calls in a row, interrupted by signals before the program takes a frame, after which Send
// gives up.
const mostCalls = 64

// Send sends the posted frames in order, by one system call unless a signal interrupts the call. longest is the length
// of the longest posted frame, at most Longest. After Send no slot is read any more. After an error of the kernel, or
// ErrNotTaken, unsent is how many frames, the last of the posted ones, were not sent; the Transmitter forgets these
// frames. ErrRefused: some of the frames could not be copied, and are lost.
func (t *Transmitter) Send(longest uint32) (unsent int, err error) {
	r := t.ring
	left, refused := t.unsent(), r.refused
	blank := min(max(longest, shortestBlank), t.longest)
	for calls := 0; left > 0; calls++ {
		errno := t.run.call(t.entry, blank, left)
		before := left
		if left = t.unsent(); left < before {
			calls = 0
		}
		switch {
		case errno != 0 && errno != unix.EINTR && errno != unix.EAGAIN:
			err = fmt.Errorf("run the XDP program that sends live frames: %w", errno)
		case left == before && (errno == 0 || calls >= mostCalls):
			err = ErrNotTaken
		default:
			continue
		}
		r.head -= uint64(left)
		return left, err
	}
	if atomic.LoadUint64(&r.refused) != refused {
		return 0, ErrRefused
	}
	return 0, nil
}

// Posted returns the number of frames posted for sending since the Transmitter was made, by this process and by an
// earlier one that handed it over.
func (t *Transmitter) Posted() uint64 { return atomic.LoadUint64(&t.ring.head) }

// unsent returns the number of posted frames that the XDP program has not sent.
func (t *Transmitter) unsent() int { return int(t.ring.head - atomic.LoadUint64(&t.ring.tail)) }
