package cable

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// bench is a cable's namespace between those of two hosts:
//
//	left: host0 --- a :cable: b --- host1 :right
type bench struct {
	t      testing.TB
	middle *netns.NS
	hosts  [2]*station
}

// station is a host at one end: a packet socket and, but for a plain bench, an XDP program that passes everything, as
// a veth wants one to take redirected frames.
type station struct {
	t    testing.TB
	ns   *netns.NS
	fd   int
	link link.Link // of the program
	sent uint64
}

func newBench(t testing.TB, mtu int) *bench {
	b := newPlainBench(t, mtu)
	for i, h := range b.hosts {
		must(t, h.ns.Do(func() error { return h.takeXDP([]string{"host0", "host1"}[i]) }))
	}
	return b
}

// newPlainBench makes a bench whose hosts have no XDP programs: veths as the kernel and containers make them.
func newPlainBench(t testing.TB, mtu int) *bench {
	b := &bench{t: t, middle: nstest.New(t, "cable")}
	for i, name := range []string{"left", "right"} {
		ns := nstest.New(t, name)
		must(t, netns.Veth(ns, []string{"host0", "host1"}[i], b.middle, []string{"a", "b"}[i], mtu))
		b.hosts[i] = &station{t: t, ns: ns}
		must(t, ns.Do(func() error { return b.hosts[i].open([]string{"host0", "host1"}[i]) }))
	}
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *station) open(ifname string) error {
	index, err := s.ns.Ifindex(ifname)
	if err != nil {
		return err
	}
	all := binary.BigEndian.Uint16([]byte{0, unix.ETH_P_ALL})
	all = all>>8 | all<<8
	if s.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
		return err
	}
	s.t.Cleanup(func() { unix.Close(s.fd) })
	return errors.Join(
		unix.SetsockoptInt(s.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1),
		unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 128<<20),
		unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 10}),
		unix.Bind(s.fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index}))
}

// takeXDP attaches an XDP program that passes everything.
func (s *station) takeXDP(ifname string) error {
	index, err := s.ns.Ifindex(ifname)
	if err != nil {
		return err
	}
	s.link, err = pass(s.t, index)
	return err
}

// numbered is frame number n, of a length from 60 to longest.
func numbered(n uint64, longest int) []byte {
	octets := make([]byte, 60+int(n%uint64(longest-59)))
	for i := range octets {
		octets[i] = byte(uint64(i)*31 + n)
	}
	copy(octets, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x12, 0x34})
	binary.BigEndian.PutUint64(octets[14:], n)
	return octets
}

func (s *station) send(octets []byte) {
	s.t.Helper()
	if _, err := unix.Write(s.fd, octets); err != nil {
		s.t.Fatal(err)
	}
	s.sent++
}

// receive waits until the wanted number of frames has arrived. It returns them and any further frames.
func (s *station) receive(want uint64) (frames [][]byte) {
	s.t.Helper()
	for {
		octets, flags := make([]byte, 16384), 0
		if uint64(len(frames)) >= want {
			flags = unix.MSG_DONTWAIT
		}
		n, _, err := unix.Recvfrom(s.fd, octets, flags)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN) && flags == 0:
			s.t.Fatalf("%d frames arrived, and in 10 s no other, of %d", len(frames), want)
		case errors.Is(err, unix.EAGAIN):
			return frames
		case err != nil:
			s.t.Fatal(err)
		default:
			frames = append(frames, octets[:n])
		}
	}
}

// plug opens a cable in the middle and runs it until the test ends or stop is
// called.
func (b *bench) plug(c Config) (cable *Cable, stop func()) {
	b.t.Helper()
	if c.A == "" {
		c.A, c.B = "a", "b"
	}
	must(b.t, b.middle.Do(func() (err error) {
		cable, err = Open(c)
		return err
	}))
	return cable, b.run(cable)
}

// report reads the counters.
func report(t testing.TB, c *Cable) Report {
	t.Helper()
	r, err := c.Report()
	must(t, err)
	return r
}

// blast sends n numbered frames from one host, never more than 64 that the cable
// has not met yet, so that no ring overruns.
func (b *bench) blast(c *Cable, from, n, longest int) {
	b.t.Helper()
	for i := range n {
		b.hosts[from].send(numbered(uint64(i), longest))
		if i%64 == 63 || i == n-1 {
			eventually(b.t, "the cable to meet all frames sent", func() bool {
				d := report(b.t, c).Directions[from]
				return d.Forwarded-d.Duplicated+d.Dropped+d.Overrun >= b.hosts[from].sent
			})
		}
	}
}

func eventually(t testing.TB, name string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !is(); time.Sleep(200 * time.Microsecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited 10 s for %s", name)
		}
	}
}

// clean fails unless the cable's interfaces are without a program, and not promiscuous.
func (b *bench) clean() {
	b.t.Helper()
	for _, ifname := range []string{"a", "b"} {
		eventually(b.t, ifname+" to be put back", func() bool {
			taken, promiscuity := b.taken(ifname)
			return !taken && promiscuity == 0
		})
	}
}

// taken is whether an interface of the cable has a program, and how many want it promiscuous.
func (b *bench) taken(ifname string) (program bool, promiscuity int) {
	b.t.Helper()
	l, err := b.middle.Link(ifname)
	must(b.t, err)
	return l.Xdp != nil && l.Xdp.Attached, l.Promisc
}

// Actions of linux/bpf.h.
const (
	xdpDrop = 1 + iota
	xdpPass
	xdpTX
	xdpRedirect
)

// program loads one that does the same with every frame.
func program(t testing.TB, name string, action int32) (*ebpf.Program, error) {
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: name, Type: ebpf.XDP, License: "Dual BSD/GPL", Flags: unix.BPF_F_XDP_HAS_FRAGS,
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, action), asm.Return()},
	})
	if err == nil {
		t.Cleanup(func() { p.Close() })
	}
	return p, err
}

// pass puts a program that passes everything on an interface of this thread's
// namespace until the test ends.
func pass(t testing.TB, index int) (link.Link, error) {
	p, err := program(t, "test_pass", xdpPass)
	if err != nil {
		return nil, err
	}
	l, err := link.AttachXDP(link.XDPOptions{Program: p, Interface: index, Flags: link.XDPDriverMode})
	if err == nil {
		t.Cleanup(func() { l.Close() })
	}
	return l, err
}

// run runs a cable until the test ends or the function that it returns is called.
func (b *bench) run(c *Cable) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- c.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-over; err != nil {
			b.t.Errorf("Run: %v", err)
		}
	})
	b.t.Cleanup(func() {
		stop()
		if err := c.Close(); err != nil {
			b.t.Errorf("Close: %v", err)
		}
	})
	return stop
}
