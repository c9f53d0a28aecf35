package bpf

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// MostPosted is the most frames that a Transmitter sends in one call.
const MostPosted = 256

// mostSlots is the most slots that a posting can name.
const mostSlots = 1 << 16

// longestBlank lists the lengths of blank frames that a Transmitter tries, in octets. The kernel puts a frame into one
// page, together with headroom and the structures of an skb, whose sizes depend on the kernel.
var longestBlank = [...]uint32{3408, 3072, 2048, 1536}

// spareHeadroom is the number of octets of the headroom that a frame may take: of XDP_PACKET_HEADROOM, 256 octets, less
// struct xdp_frame.
const spareHeadroom = 208

// Transmitter sends frames without an skb: by one system call the kernel hands a batch of XDP frames to the driver
// (BPF_PROG_RUN with BPF_F_TEST_XDP_LIVE_FRAMES, from Linux 5.18 on). The frames lie in slots of a BPF array, which
// Overlay maps to the caller's memory. Program.Transmit must have accepted a Transmitter before Send. Post and Send
// belong to one goroutine at a time.
//
// The kernel reports nothing about single frames: a frame is lost without an error if the interface is down, if the
// frame is longer than the MTU, or if the receiver has no room.
type Transmitter struct {
	objects  transmitObjects
	ring     *postingRing
	memory   []byte // the mapping of the ring
	ifindex  int
	slotSize int
	slots    int
	longest  uint32 // octets of the longest blank frame
	entry    int    // descriptor of the attached program; Program owns it
	run      run
	timing   run // a second run: that of Time, which another goroutine may call

	number  uint16   // number of this port, by which the XDP programs find its slots and its interface
	sharing *Sharing // nil: the Transmitter sends its own frames alone
	shares  *sharers // the Transmitters of sharing with slots of this size
}

// LiveFrames returns nil if this kernel can send live XDP frames (frames made by running an XDP program), else an
// error that wraps errors.ErrUnsupported.
func LiveFrames() error {
	if KernelSince(frags[0], frags[1]) {
		return nil
	}
	return fmt.Errorf("live XDP frames need Linux 5.18: %w", errors.ErrUnsupported)
}

// NewTransmitter returns a Transmitter of frames that leave by an interface, with the given number of slots of
// slotSize octets each. Errors: *PrivilegeError, and errors.ErrUnsupported where the kernel lacks live frames.
func NewTransmitter(ifindex, slots, slotSize int) (*Transmitter, error) {
	if err := LiveFrames(); err != nil {
		return nil, err
	}
	if slots > mostSlots {
		return nil, fmt.Errorf("%d buffers for frames: live frames can be sent from at most %d buffers: %w", slots, mostSlots,
			errors.ErrUnsupported)
	}
	t := &Transmitter{ifindex: ifindex, slots: slots, slotSize: slotSize}
	if err := t.load(); err != nil {
		return nil, errors.Join(explain("load the XDP program that sends live frames", err), t.Close())
	}
	t.run.prepare()
	t.timing.prepare()
	return t, nil
}

// load creates the maps, loads the XDP program that sends by the Transmitter's interface, and maps the ring of frames
// to send. After an error the caller closes what was made.
func (t *Transmitter) load() error {
	spec, err := transmitSpec(t.slots, t.slotSize, 0, 1)
	if err != nil {
		return err
	}
	if err = spec.LoadAndAssign(&t.objects, nil); err != nil {
		return err
	}
	if err = t.objects.Devices.Put(uint32(0), uint32(t.ifindex)); err != nil {
		return err
	}
	return t.mapRing()
}

// transmitSpec returns the XDP program that sends and its maps, not yet loaded: for slots of slotSize octets each,
// and for the port with the given number of at most mostPorts.
func transmitSpec(slots, slotSize, number, mostPorts int) (*ebpf.CollectionSpec, error) {
	spec, err := loadTransmit()
	if err != nil {
		return nil, err
	}
	m, v := spec.Maps, spec.Variables
	m[transmitMapSlots].ValueSize, m[transmitMapSlots].MaxEntries = uint32(slotSize), uint32(slots)
	m[transmitMapPorts].InnerMap = m[transmitMapSlots].Copy()
	m[transmitMapPorts].MaxEntries, m[transmitMapDevices].MaxEntries = uint32(mostPorts), uint32(mostPorts)
	return spec, errors.Join(v[transmitVarSlotSize].Set(uint32(slotSize)),
		v[transmitVarOwnPort].Set(uint32(number)))
}

// Longest returns the length of the longest frame that can be posted, in octets; 0 before Program.Transmit.
func (t *Transmitter) Longest() uint32 {
	if t.longest == 0 {
		return 0
	}
	return min(t.longest+spareHeadroom, uint32(t.slotSize))
}

// LongestBlank returns the length of the longest blank frame that the kernel lets runs of the program send, in octets;
// 0 before Program.Transmit.
func (t *Transmitter) LongestBlank() uint32 { return t.longest }

// Refused returns how many posted frames the program has dropped because it could not copy them.
func (t *Transmitter) Refused() uint64 { return t.ring.refused }

// probe finds the length of the longest blank frame that the kernel lets runs of the program have, by runs without a
// posted frame: nothing is sent. entry is the descriptor of the program to run, also for later calls of Send. The error
// is that of the shortest length tried.
func (t *Transmitter) probe(entry int) error {
	t.entry = entry
	var err error
	for _, length := range longestBlank {
		length = min(length, uint32(t.slotSize))
		switch errno := t.run.call(entry, length, 1); errno {
		case 0, unix.EINTR, unix.EAGAIN:
			t.longest = length
			return nil
		default:
			err = errno
		}
	}
	return err
}

// Time measures how long a run of the program without frames takes. The run takes over 10 ms if the attached
// program is not in the kernel's XDP dispatcher, which has 48 places for the whole machine. Any goroutine may call
// Time.
func (t *Transmitter) Time() time.Duration {
	const trials = 3 // number of measurements, of which the shortest counts: other threads may take the CPU meanwhile
	least := time.Duration(math.MaxInt64)
	for range trials {
		start := time.Now()
		_ = t.timing.call(t.entry, emptyFrame, 2) // 2 repetitions: for a single one the kernel leaves the dispatcher out
		least = min(least, time.Since(start))
	}
	return least
}

// Close leaves the Sharing, and frees the ring, the maps and the program. A second call does nothing.
func (t *Transmitter) Close() error {
	if t.objects.UelinkTransmit == nil {
		return nil
	}
	err := errors.Join(t.leave(), t.unmapRing(), t.objects.Close())
	t.objects = transmitObjects{}
	return err
}

// Transmit makes runs of the program send the frames of a Transmitter, nil for none, and readies the Transmitter for
// Send. The kernel runs the attached program without delay, but takes milliseconds for a call that runs any other
// program: therefore runs begin with the attached program, which is replaced at the first Transmit by one that looks
// for runs. Errors: *PrivilegeError; errors.ErrUnsupported.
func (p *Program) Transmit(t *Transmitter) error {
	if t == nil {
		err := p.objects.Transmitter.Delete(uint32(0))
		if errors.Is(err, ebpf.ErrKeyNotExist) {
			return nil
		}
		return err
	}
	if !p.transmits {
		p.transmits = true
		if err := p.Renew(); err != nil {
			p.transmits = false
			return err
		}
	}
	if err := p.objects.Transmitter.Put(uint32(0), t.objects.UelinkTransmit); err != nil {
		return explain(p.name+": register the XDP program that sends live frames", err)
	}
	if p.entry < 0 {
		var err error
		if p.entry, err = duplicate(p.objects.UelinkSteer.FD()); err != nil {
			return fmt.Errorf("%s: duplicate the file descriptor of the XDP program: %w", p.name, err)
		}
	}
	if err := t.probe(p.entry); err != nil {
		return explain(p.name+": try out the XDP program that sends live frames", err)
	}
	return nil
}
