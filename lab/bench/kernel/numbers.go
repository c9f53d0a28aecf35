package kernel

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
)

// MaxNumbered is the longest frame of Number, octets.
const MaxNumbered = 14 + 32*8

const (
	// numberEvery is the time between two bursts of Number.
	numberEvery = time.Millisecond
	// numberMost is the most frames of a burst. The ring between the two ends of a veth has 256 places, and the
	// receiver's NAPI empties it after each of the kernel's batches of 64.
	numberMost = 2048
)

// Number starts a thread in which the kernel sends numbered copies of a frame in bursts, 1 ms apart and at a rate in
// frames a second, until Stop. The thread sleeps between bursts. Frames that come due while the thread has no CPU are
// sent later, up to 2048 at once; frames beyond that are never sent, and have no number. The length of the frame is
// 14 + n*8 octets, at most MaxNumbered; all octets but the header are written anew for each copy.
func (l *Load) Number(ns *netns.NS, frame []byte, rate float64) (*Source, error) {
	if n := len(frame); n > MaxNumbered || n < 14+2*8 || (n-14)%8 != 0 {
		return nil, fmt.Errorf("frames of %d octets cannot carry a number in each word: the length must be 14 + n*8, "+
			"at most %d", n, MaxNumbered)
	}
	dispatched, err := dispatch(l.objects.UelinkNumber, ns)
	if err != nil {
		return nil, err
	}
	s := &Source{ended: make(chan error, 1)}
	s.SetRate(rate)
	begun := make(chan struct{})
	go func() {
		s.ended <- ns.Do(func() error {
			s.tid = unix.Gettid()
			close(begun)
			return errors.Join(s.bursts(l, frame), dispatched.Close())
		})
	}()
	<-begun
	return s, nil
}

// SetRate changes the rate of a source that Number has started, in frames a second.
func (s *Source) SetRate(rate float64) { s.rate.Store(math.Float64bits(rate)) }

// bursts sends the frames of Number until Stop: every millisecond those that have come due by the rate, at most
// numberMost. due is their number, with the fraction of a frame that is not due yet.
func (s *Source) bursts(l *Load, frame []byte) error {
	last, due := time.Now(), 0.0
	for !s.stopping.Load() {
		now := time.Now()
		due += now.Sub(last).Seconds() * math.Float64frombits(s.rate.Load())
		last = now
		burst := min(uint64(due), numberMost)
		due -= math.Floor(due) // frames above numberMost are never sent
		for burst > 0 {
			before, err := l.Numbered()
			if err != nil {
				return err
			}
			_, failed := run(l.objects.UelinkNumber, frame, repeat{times: uint32(burst)}) // a signal may end the run
			after, err := l.Numbered()
			if err := errors.Join(failed, err); err != nil {
				return err
			}
			burst -= min(after-before, burst)
		}
		pause := unix.NsecToTimespec(int64(numberEvery))
		_ = unix.Nanosleep(&pause, nil) // a signal ends the sleep early
	}
	return nil
}

// dispatch attaches a program to the loopback interface of a namespace. A run of a program that is on no interface
// costs 10 ms, in which the kernel adds the program to its XDP dispatcher and takes it away again.
func dispatch(program *ebpf.Program, ns *netns.NS) (at link.Link, err error) {
	err = ns.Do(func() (err error) {
		at, err = link.AttachXDP(link.XDPOptions{Program: program, Interface: loopback, Flags: link.XDPGenericMode})
		if err != nil {
			err = fmt.Errorf("attach %s to the loopback interface: %w", program, err)
		}
		return err
	})
	return at, err
}

// loopback is the index of the loopback interface in each namespace.
const loopback = 1

// Numbered returns how many numbered frames Number has sent.
func (l *Load) Numbered() (frames uint64, err error) {
	err = l.objects.Numbered.Get(&frames)
	return frames, err
}

// Check attaches a program to an interface that checks the numbered frames arriving there: each number once and in
// order, and no octet changed.
func (l *Load) Check(ns *netns.NS, ifname string) error {
	return l.attach(l.objects.UelinkCheck, ns, ifname)
}

// Arrivals is the counts of numbered frames at the far end.
type Arrivals struct {
	Frames  uint64        // frames that have arrived
	Next    uint64        // number after the highest one that has arrived
	Missing uint64        // numbers below Next that had not arrived when a higher number did
	Behind  uint64        // frames that arrived after a higher number: twice, or out of order
	Damaged uint64        // frames of another length, or with an octet changed
	Gap     time.Duration // longest time between two arrivals since NewSpan
}

// Arrived returns the counts of the program that Check attached.
func (l *Load) Arrived() (a Arrivals, err error) {
	c, err := l.Counted()
	if err != nil {
		return a, err
	}
	var raw benchArrivals
	err = l.objects.Arrivals.Get(&raw)
	a = Arrivals{Frames: c.Frames, Next: raw.Next, Missing: raw.Missing, Behind: raw.Behind, Damaged: raw.Damaged}
	var now uint32
	err = errors.Join(err, l.objects.Span.Get(&now))
	if now == raw.Span { // else no frame has arrived since NewSpan
		a.Gap = time.Duration(raw.Gap)
	}
	return a, err
}

// NewSpan makes Arrived return the longest time between two arrivals from now on.
func (l *Load) NewSpan() error {
	var now uint32
	if err := l.objects.Span.Get(&now); err != nil {
		return err
	}
	return l.objects.Span.Set(now + 1)
}
