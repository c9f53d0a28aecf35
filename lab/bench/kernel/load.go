package kernel

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"

	"uelink/internal/netns"
	"uelink/wire"
)

// Config is the settings of a Load. Settings of unused programs may be zero.
type Config struct {
	Ifindex     int  // index of the interface by which frames leave
	Octets      int  // length of the edge frames carried by Sequence
	Window      int  // most unacknowledged frames of Sequence
	AckEvery    int  // frames between two LLR_ACK of Receive
	Circulating int  // number of frames that circulate between two hosts of Reflect
	Timed       bool // Reflect measures the round trip times of frames
	Spread      Spread
}

// Load is a set of the XDP programs, with its own counters.
type Load struct {
	objects benchObjects
	links   []link.Link
}

// New loads the XDP programs of the benchmarks with these settings. No program is attached to an interface yet.
func New(c Config) (*Load, error) {
	_ = rlimit.RemoveMemlock() // only kernels before 5.11 need it
	spec, err := loadBench()
	if err != nil {
		return nil, err
	}
	if err := c.set(spec); err != nil {
		return nil, err
	}
	l := &Load{}
	if err := spec.LoadAndAssign(&l.objects, nil); err != nil {
		return nil, fmt.Errorf("load the programs of the benchmark: %w", err)
	}
	return l, nil
}

// set writes the settings, and frames prepared by them, into the read-only data of the programs before these are
// loaded.
func (c Config) set(spec *ebpf.CollectionSpec) error {
	ack, ackHigh, ackLow := ackImage()
	high, low := ackHigh, ackLow
	length := 0
	if c.Octets > 0 {
		length = wire.DataLen(c.Octets, true)
		_, high, low = DataImage(c.Octets)
	}
	var problems []error
	for name, value := range map[string]any{
		"ifindex": uint32(c.Ifindex), "length": uint32(length), "window": uint32(c.Window),
		"ack_every": uint32(max(1, c.AckEvery)), "circulating": uint32(c.Circulating), "timed": number(c.Timed),
		"ack": ack, "crc_high": high, "crc_low": low,
	} {
		problems = append(problems, spec.Variables[name].Set(value))
	}
	return errors.Join(append(problems, c.Spread.set(spec))...)
}

// number returns a setting as the programs read it: 1 if it is on, else 0.
func number(on bool) uint32 {
	if on {
		return 1
	}
	return 0
}

// Close detaches the programs from their interfaces and unloads them.
func (l *Load) Close() error {
	var problems []error
	for _, at := range l.links {
		problems = append(problems, at.Close())
	}
	return errors.Join(append(problems, l.objects.Close())...)
}

// Sink attaches a program to an interface that counts and drops all frames arriving there.
func (l *Load) Sink(ns *netns.NS, ifname string) error {
	return l.attach(l.objects.UelinkSink, ns, ifname)
}

// ReceiveAcks attaches a program to an interface that passes arriving LLR_ACK and LLR_NACK to the LLR transmitter,
// which Sequence starts.
func (l *Load) ReceiveAcks(ns *netns.NS, ifname string) error {
	return l.attach(l.objects.UelinkHear, ns, ifname)
}

// Receive attaches an LLR receiver to an interface: a program that checks sequence numbers, counts the arriving
// data frames and answers with LLR_ACK.
func (l *Load) Receive(ns *netns.NS, ifname string) error {
	return l.attach(l.objects.UelinkReceive, ns, ifname)
}

// Reflect attaches a host to an interface: a program that counts every arriving frame and sends it back.
func (l *Load) Reflect(ns *netns.NS, ifname string) error {
	return l.attach(l.objects.UelinkReflect, ns, ifname)
}

// Pass attaches a program to an interface that passes every arriving frame to the network stack. A veth accepts
// frames that its peer redirects only with an XDP program.
func (l *Load) Pass(ns *netns.NS, ifname string) error {
	return l.attach(l.objects.UelinkPass, ns, ifname)
}

// Redirect attaches a forwarder to an interface: a program that redirects every frame arriving there to another
// interface. The arguments from and to name the two interfaces; both are in namespace ns.
func (l *Load) Redirect(ns *netns.NS, from, to string) error {
	index, err := ns.Ifindex(to)
	if err != nil {
		return err
	}
	// The kernel looks the index up in the namespace of the calling thread.
	if err := ns.Do(func() error { return l.objects.Egress.Put(uint32(0), uint32(index)) }); err != nil {
		return fmt.Errorf("redirect to %s: %w", to, err)
	}
	return l.attach(l.objects.UelinkRedirect, ns, from)
}

// attach attaches an XDP program to an interface until the load is closed.
func (l *Load) attach(program *ebpf.Program, ns *netns.NS, ifname string) error {
	index, err := ns.Ifindex(ifname)
	if err != nil {
		return err
	}
	return ns.Do(func() error {
		at, err := link.AttachXDP(link.XDPOptions{Program: program, Interface: index, Flags: link.XDPDriverMode})
		if err != nil {
			return fmt.Errorf("attach %s to %s: %w", program, ifname, err)
		}
		l.links = append(l.links, at)
		return nil
	})
}

// Counts is the counters of the far end.
type Counts struct {
	Frames, Octets uint64
	Wrong          uint64 // frames with an unexpected sequence number
}

// Counted returns how many frames and octets the programs attached by Sink, Receive and Reflect have counted so
// far, and how many frames had an unexpected sequence number.
func (l *Load) Counted() (Counts, error) {
	var c benchCounts
	err := l.objects.Counted.Get(&c)
	return Counts{Frames: c.Frames, Octets: c.Octets, Wrong: c.Wrong}, err
}

// State returns, as text for messages, the next sequence numbers of the LLR transmitter and of the LLR receiver, how
// often the transmitter was called since its window closed, and how often it went back to send frames again.
func (l *Load) State() string {
	var s benchState
	var c struct{ Next, Idle, Held uint32 }
	if err := errors.Join(l.objects.Receiver.Get(&s), l.objects.Sender.Get(&c)); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("sender: next sequence number %d, asked %d times for a frame since its window closed; receiver: "+
		"next sequence number %d; the sender went back %d times to send frames again", c.Next, c.Idle, s.Next, s.Rewinds)
}
