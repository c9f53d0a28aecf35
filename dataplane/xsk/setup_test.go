package xsk

import (
	"os"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/internal/netns/nstest"
)

// wire is a pair of veths, up, in a network namespace of the test's own.
type wire struct {
	t      testing.TB
	a, b   int
	queues int // of either end
}

func newWire(t testing.TB) *wire {
	t.Helper()
	return newWireOf(t, 2)
}

// newWireOf makes a wire between ends with the given number of queues.
func newWireOf(t testing.TB, queues int) *wire {
	t.Helper()
	nstest.Enter(t)
	// Nothing but the test is to send; a kernel without IPv6 does not anyway.
	_ = os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0)
	w := &wire{t: t, queues: queues}
	w.create()
	return w
}

// create makes the veths a and b.
func (w *wire) create() {
	w.t.Helper()
	w.createAs("a", "b")
}

// createAs makes veths of the given names.
func (w *wire) createAs(a, b string) {
	w.t.Helper()
	pair := netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: a, NumTxQueues: w.queues, NumRxQueues: w.queues}, PeerName: b}
	if err := netlink.LinkAdd(&pair); err != nil {
		w.t.Fatal(err)
	}
	w.a, w.b = w.link(a).Attrs().Index, w.link(b).Attrs().Index
	w.up(a)
	w.up(b)
}

func (w *wire) link(name string) netlink.Link {
	w.t.Helper()
	dev, err := netlink.LinkByName(name)
	if err != nil {
		w.t.Fatal(err)
	}
	return dev
}

func (w *wire) up(name string) {
	w.t.Helper()
	if err := netlink.LinkSetUp(w.link(name)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) down(name string) {
	w.t.Helper()
	if err := netlink.LinkSetDown(w.link(name)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) mtu(octets int) {
	w.t.Helper()
	for _, name := range []string{"a", "b"} {
		if err := netlink.LinkSetMTU(w.link(name), octets); err != nil {
			w.t.Fatal(err)
		}
	}
}

// attach puts the steering program of an edge port on an interface.
func (w *wire) attach(ifindex int, mode attach.Mode) *bpf.Program {
	w.t.Helper()
	p, err := bpf.Attach(ifindex, bpf.Config{}, mode)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { p.Close() })
	return p
}

// open opens a socket on a queue and registers the socket with the program.
func (w *wire) open(ifindex, queue int, p *bpf.Program, o Options) *Socket {
	w.t.Helper()
	s, err := Open(ifindex, queue, o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.Close() })
	if err := p.Register(queue, s.FD()); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// pair opens a socket on either end of the wire.
func (w *wire) pair(o Options) (a, b *Socket) {
	w.t.Helper()
	return w.open(w.a, 0, w.attach(w.a, attach.ModeAuto), o), w.open(w.b, 0, w.attach(w.b, attach.ModeAuto), o)
}

// small is options with few chunks, so that everything wraps soon.
func small(opener attach.Opener) Options {
	return Options{
		Opener: opener, Bind: attach.BindCopy, RingSize: 64, Geometry: frame.Geometry{ChunkSize: 4096, RX: 48, TX: 32},
	}
}

// forOpeners runs a test for either opener.
func forOpeners(t *testing.T, test func(t *testing.T, opener attach.Opener)) {
	for _, opener := range []attach.Opener{attach.OpenerAsavie, attach.OpenerNative} {
		t.Run(opener.String(), func(t *testing.T) { test(t, opener) })
	}
}
