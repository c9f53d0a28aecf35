package kernel

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
)

// Source is a thread inside the kernel that runs a program over and over.
type Source struct {
	tid      int
	stopping atomic.Bool
	rate     atomic.Uint64 // rate of Number in frames a second, as the bits of a float64
	ended    chan error
}

// Source starts a thread on a CPU in which the kernel sends a frame again and again by Config's interface, as fast
// as possible, until Stop.
func (l *Load) Source(ns *netns.NS, cpu int, frame []byte) (*Source, error) {
	return start(l.objects.UelinkSource, ns, cpu, frame, repeat{times: math.MaxUint32})
}

// Sequence starts an LLR transmitter: a thread on a CPU in which the kernel sends frames with sequence numbers
// from 0 on, within its window, until Stop. frame is the data frame with number 0, from DataImage.
func (l *Load) Sequence(ns *netns.NS, cpu int, frame []byte) (*Source, error) {
	return start(l.objects.UelinkSequence, ns, cpu, frame, repeat{times: math.MaxUint32})
}

// MaxCirculating is the most frames that the kernel sends in one batch.
const MaxCirculating = 256

// Feed sends the given number of numbered copies of a frame into a circuit of two hosts (see Reflect) and returns
// when all have been sent. The kernel sends them in one batch, so no frame returns before the last has left.
func (l *Load) Feed(ns *netns.NS, cpu int, frame []byte, frames int) error {
	s, err := start(l.objects.UelinkFeed, ns, cpu, frame, repeat{uint32(frames), uint32(frames)})
	if err != nil {
		return err
	}
	return <-s.ended
}

// repeat is how many times a program runs in all, and how many runs make a batch; batch 0 means 64 runs.
type repeat struct{ times, batch uint32 }

// start runs a program with a frame again and again, on a new thread bound to a CPU. It returns once the thread runs
// there, or could not be bound; Stop returns the error.
func start(program *ebpf.Program, ns *netns.NS, cpu int, frame []byte, often repeat) (*Source, error) {
	s := &Source{ended: make(chan error, 1)}
	begun := make(chan struct{})
	go func() {
		s.ended <- ns.Do(func() error {
			s.tid = unix.Gettid()
			back, err := onCPU(cpu)
			close(begun)
			if err != nil {
				return err
			}
			return errors.Join(s.run(program, frame, often), back())
		})
	}()
	<-begun
	return s, nil
}

// run makes the kernel run the program on frames, again and again, until Stop or the end of the repetitions.
// Signals of Go's scheduler interrupt the program, too; after them, run starts the program again.
func (s *Source) run(program *ebpf.Program, frame []byte, often repeat) error {
	for {
		interrupted, err := run(program, frame, often)
		if !interrupted || s.stopping.Load() {
			return err
		}
	}
}

// Thread returns the id of the thread in which the kernel runs the program.
func (s *Source) Thread() int { return s.tid }

// Stop ends the source, waits for its end and returns its error. A signal interrupts the system call of the
// thread. Stop repeats the signal, because the thread may not have entered the system call yet.
func (s *Source) Stop() error {
	s.stopping.Store(true)
	for {
		if err := unix.Tgkill(unix.Getpid(), s.tid, unix.SIGURG); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
		select {
		case err := <-s.ended:
			return err
		default:
			runtime.Gosched()
		}
	}
}

// onCPU binds the calling thread to a CPU. back restores the CPUs that the thread was allowed before.
func onCPU(cpu int) (back func() error, err error) {
	var old, set unix.CPUSet
	set.Set(cpu)
	if err := errors.Join(unix.SchedGetaffinity(0, &old), unix.SchedSetaffinity(0, &set)); err != nil {
		return nil, fmt.Errorf("run on CPU %d: %w", cpu, err)
	}
	return func() error { return unix.SchedSetaffinity(0, &old) }, nil
}

// testRun is the attributes of BPF_PROG_TEST_RUN.
type testRun struct {
	program, result   uint32
	sizeIn, sizeOut   uint32
	in, out           uint64
	repeat, duration  uint32
	ctxIn, ctxOut     uint32
	context, contextO uint64
	flags, cpu, batch uint32
	_                 uint32
}

// context is the initial struct xdp_md of the program.
type context struct{ data, dataEnd, dataMeta, ifindex, queue, egress uint32 }

// run makes the kernel run an XDP program on live frames, copies of frame, as many times as often says; it blocks
// meanwhile. interrupted is true if a signal ended the run early. It makes the system call directly, because a
// library would repeat the call after a signal.
func run(program *ebpf.Program, frame []byte, often repeat) (interrupted bool, err error) {
	ctx := context{dataEnd: uint32(len(frame))}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&frame[0])
	pin.Pin(&ctx)
	attr := testRun{
		program: uint32(program.FD()),
		sizeIn:  uint32(len(frame)), in: uint64(uintptr(unsafe.Pointer(&frame[0]))),
		repeat: often.times,
		ctxIn:  uint32(unsafe.Sizeof(ctx)), context: uint64(uintptr(unsafe.Pointer(&ctx))),
		flags: unix.BPF_F_TEST_XDP_LIVE_FRAMES, batch: often.batch,
	}
	_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_TEST_RUN, uintptr(unsafe.Pointer(&attr)),
		unsafe.Sizeof(attr))
	runtime.KeepAlive(program)
	if errno != 0 && errno != unix.EINTR {
		return false, fmt.Errorf("BPF_PROG_TEST_RUN on live frames: %w", errno)
	}
	return errno == unix.EINTR, nil
}
