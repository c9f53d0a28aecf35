package dataplane

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/internal/netns/nstest"
	"uelink/llr"
	"uelink/wire"
)

// linkBed is two data planes, a and b, joined by a veth, each with a host behind its edge: hosts
// "ha" and "hb", edges "ea" and "eb", links "la" and "lb", all in the namespace of the test.
type linkBed struct {
	networkBed
	a, b *Dataplane
	to   *os.File // what host b gets
	from int      // packet socket of host a
	sent uint64
}

func newLinkBed(t *testing.T, change func(s *model.PortSettings)) *linkBed {
	t.Helper()
	nstest.Enter(t)
	_ = os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0)
	l := &linkBed{networkBed: networkBed{t}}
	for _, pair := range [][2]string{{"la", "lb"}, {"ea", "ha"}, {"eb", "hb"}} {
		l.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: pair[0]}, PeerName: pair[1]}))
		for _, name := range pair {
			l.must(netlink.LinkSetUp(l.link(name)))
		}
	}
	l.a, l.b = l.open("a", change), l.open("b", func(*model.PortSettings) {})
	l.from = l.socket("ha", false)
	l.to = os.NewFile(uintptr(l.socket("hb", true)), "host b")
	t.Cleanup(func() {
		l.to.Close()
		unix.Close(l.from)
	})
	l.eventually("LLR", func() bool { return l.state(l.a, "la").LLR.TxStatus == llr.TxAdvance })
	return l
}

// open starts one data plane. Nobody watches its interfaces but the test.
func (l *linkBed) open(name string, change func(s *model.PortSettings)) *Dataplane {
	l.t.Helper()
	lnk, edge, p := linkAndEdge()
	p.ReInitOnFlush = false
	lnk.Name, lnk.Interface = "l"+name, "l"+name
	edge.Name, edge.Interface = "e"+name, "e"+name
	change(&lnk)
	edge.Opener, edge.RingSize, edge.PushBack, edge.Offload = lnk.Opener, lnk.RingSize, lnk.PushBack, lnk.Offload
	d, err := Open(Settings{
		Workers: 1, Spin: 50 * time.Microsecond, DrainTimeout: time.Second, Profiles: map[string]llr.Profile{"p": p},
		Ports: []model.PortSettings{lnk, edge}, XConnects: []XConnect{{Edge: edge.Name, Link: lnk.Name}},
	}, Home{State: l.t.TempDir()}, nil, zap.NewNop())
	l.must(err)
	l.t.Cleanup(func() { l.must(d.Close()) })
	return d
}

// socket is a packet socket at a host.
func (l *linkBed) socket(ifname string, receives bool) int {
	l.t.Helper()
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	l.must(err)
	protocol := 0
	if receives {
		protocol = 0x0190 // 0x9001 as on the wire
		l.must(unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1))
	}
	l.must(unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: uint16(protocol), Ifindex: l.link(ifname).Attrs().Index}))
	return fd
}

// send has host a send frames.
func (l *linkBed) send(n int) {
	l.t.Helper()
	var buf [256]byte
	for range n {
		_, err := unix.Write(l.from, frametest.Numbered(buf[:], l.sent))
		l.must(err)
		l.sent++
	}
}

// whole demands that host b has got every frame once and in order.
func (l *linkBed) whole() {
	l.t.Helper()
	buf, want := make([]byte, 2048), make([]byte, 256)
	for next := uint64(0); next < l.sent; next++ {
		l.must(l.to.SetReadDeadline(time.Now().Add(10 * time.Second)))
		n, err := l.to.Read(buf)
		if err != nil {
			l.t.Fatalf("frame %d of %d: %v", next, l.sent, err)
		}
		if string(buf[:n]) != string(frametest.Numbered(want, next)) {
			l.t.Fatalf("frame %d came for frame %d", binary.BigEndian.Uint64(buf[14:]), next)
		}
	}
}

func (l *linkBed) state(d *Dataplane, port string) model.PortState {
	l.t.Helper()
	for _, s := range d.Ports() {
		if s.Name == port {
			return s
		}
	}
	l.t.Fatalf("there is no port %s", port)
	return model.PortState{}
}

func (l *linkBed) eventually(condition string, done func() bool) {
	l.t.Helper()
	for end := time.Now().Add(10 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatalf("waited in vain for %s", condition)
		}
	}
}

// waiting is how many frames of a's link are outstanding, or wait behind a replay that makes no progress. The last of a
// burst do so when the machine is slow.
func (l *linkBed) waiting() int {
	s := l.state(l.a, "la")
	return s.LLR.OutstandingFrames + s.QueuedFrames
}

// holdFrames stops the worker of the partner and makes LLR hold n frames. goOn lets the worker go on.
func (l *linkBed) holdFrames(n int) (goOn func()) {
	l.t.Helper()
	stopped, wait := make(chan struct{}), make(chan struct{})
	goOn = sync.OnceFunc(func() { close(wait) })
	l.t.Cleanup(goOn) // a test that fails before it lets go is to end, too
	go l.b.workers[0].Do(func(wire.Time) { close(stopped); <-wait })
	<-stopped
	l.send(n)
	l.eventually("frames that LLR has or that wait for it", func() bool { return l.waiting() == n })
	return goOn
}

// picky is a driver that refuses another MTU while there is an XDP program, or always. attempts
// counts those without a program.
func picky(t *testing.T, always bool) (attempts *int) {
	t.Helper()
	original := setMTU
	t.Cleanup(func() { setMTU = original })
	attempts = new(int)
	setMTU = func(i *netif.Interface, mtu int) error {
		index := i.Link().Attrs().Index
		if _, _, attached := bpf.Attached(index); attached {
			return fmt.Errorf("set the MTU to %d: %w", mtu, unix.EINVAL)
		}
		*attempts++
		if always {
			return fmt.Errorf("set the MTU to %d: %w", mtu, unix.EINVAL)
		}
		return original(i, mtu)
	}
	return attempts
}

// An MTU that somebody has lowered below what the edge needs is raised again, and the worker does not
// learn of it: else it would drop frames of the edge meanwhile.
func TestMTUThatIsRaisedAgainIsNeverLowerForTheWorker(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	g, original := l.a.groups[0], setMTU
	t.Cleanup(func() { setMTU = original })
	var tried []int
	setMTU = func(i *netif.Interface, mtu int) error {
		g.worker.Do(func(wire.Time) { tried = append(tried, g.member("la").port.MTU) })
		return original(i, mtu)
	}
	l.must(netlink.LinkSetMTU(l.link("la"), 1400))
	l.a.reconcile()
	if !slices.Equal(tried, []int{1514}) {
		t.Errorf("while the MTU was raised, the worker knew of %d", tried)
	}
	if s := l.state(l.a, "la"); s.MTU != 1514 || l.link("la").Attrs().MTU != 1514 {
		t.Errorf("MTU %d, the interface's %d", s.MTU, l.link("la").Attrs().MTU)
	}
}

// An MTU that is too small and stays so is the worker's, too.
func TestMTUThatCannotBeRaisedIsTheWorkers(t *testing.T) {
	l, original := newLinkBed(t, func(*model.PortSettings) {}), setMTU
	t.Cleanup(func() { setMTU = original })
	setMTU = func(*netif.Interface, int) error { return errors.New("no") }
	l.must(netlink.LinkSetMTU(l.link("la"), 1400))
	l.a.reconcile()
	if s := l.state(l.a, "la"); s.MTU != 1400 {
		t.Errorf("the worker knows of an MTU of %d", s.MTU)
	}
}

// An MTU that a driver refuses under XDP is set with no program on the interface; what LLR holds
// comes across.
func TestMTUThatTheDriverRefusesUnderXDP(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	attempts := picky(t, false)
	events, end := l.a.Subscribe()
	defer end()
	goOn := l.holdFrames(40)
	l.must(netlink.LinkSetMTU(l.link("ea"), 1700))
	l.a.reconcile()
	if s := l.state(l.a, "la"); s.MTU != 1714 || l.link("la").Attrs().MTU != 1714 || s.OperStatus != model.OperUp ||
		l.waiting() != 40 {
		t.Errorf("MTU %d, the interface's %d, %s, %d frames outstanding, fault %q",
			s.MTU, l.link("la").Attrs().MTU, s.OperStatus, l.waiting(), s.Fault)
	}
	l.send(20)
	goOn()
	l.whole()
	l.a.reconcile()
	s := l.state(l.a, "la")
	if c := s.LLR.Counters; c.TxFlush+c.TxReinit+c.TxFlushedFrames != 0 || *attempts != 1 || s.Fault != "" {
		t.Errorf("%+v; %d attempts; fault %q", c, *attempts, s.Fault)
	}
	l.expectEvent(events, model.EventNotice, "the driver refuses an MTU of 1714 while an XDP program is on the interface")
	if !strings.Contains(s.Notice, "the program was taken off for a moment to set it") {
		t.Errorf("the notice is %q", s.Notice)
	}
}

// expectEvent fails the test unless an event of a kind with a text is published.
func (l *linkBed) expectEvent(events <-chan model.Event, kind, text string) {
	l.t.Helper()
	var all []model.Event
	for len(events) > 0 {
		e := <-events
		if all = append(all, e); e.Kind == kind && strings.Contains(e.Text, text) {
			return
		}
	}
	l.t.Errorf("%s %q was not told, but %v", kind, text, all)
}

// Frames that found no socket stay counted when an MTU is set without the program, whose successor counts from 0.
func TestFramesWithoutASocketAreCountedAcrossPrograms(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	picky(t, false)
	a := l.a.groups[0].member("la")
	l.must(a.host.program.Unregister(0))
	l.eventually("a frame without a socket", func() bool { return l.state(l.a, "la").Counters.RxNoSocket > 0 })
	before, program := l.state(l.a, "la").Counters.RxNoSocket, a.host.program
	l.must(netlink.LinkSetMTU(l.link("ea"), 1700))
	l.a.reconcile()
	after := l.state(l.a, "la").Counters.RxNoSocket
	if a.host.program == program {
		t.Fatal("the program is still the same: the test shows nothing")
	}
	if after < before || after > before+1000 {
		t.Errorf("rx_no_socket was %d under the first program, and is %d under the second", before, after)
	}
}

// One that is refused without a program too is told once. The program is not taken off again and
// again, and the link goes on with the MTU that it has.
func TestMTUThatTheDriverRefusesAnyway(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	attempts := picky(t, true)
	events, end := l.a.Subscribe()
	defer end()
	goOn := l.holdFrames(40)
	old := l.state(l.a, "la").MTU
	l.must(netlink.LinkSetMTU(l.link("ea"), 1700))
	for range 5 {
		l.a.reconcile()
	}
	goOn()
	l.send(20)
	l.whole()
	s := l.state(l.a, "la")
	if s.MTU != old || *attempts != 1 || !strings.Contains(s.Fault,
		"also refused without an XDP program on the interface") {
		t.Errorf("MTU %d, %d attempts, fault %q", s.MTU, *attempts, s.Fault)
	}
	l.expectEvent(events, model.EventError, "also refused without an XDP program")
	for len(events) > 0 {
		if e := <-events; e.Kind == model.EventError {
			t.Errorf("told again: %s", e.Text)
		}
	}
}

// What LLR holds survives sockets of larger chunks, too.
func TestWhatLLRHoldsSurvivesLargerChunks(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	goOn := l.holdFrames(40)
	for _, name := range []string{"lb", "la"} {
		l.must(netlink.LinkSetMTU(l.link(name), 3000))
	}
	l.a.reconcile()
	if s := l.state(l.a, "la"); s.ChunkSize != netif.LargeChunk || l.waiting() != 40 {
		t.Errorf("chunks of %d octets, %d frames wait", s.ChunkSize, l.waiting())
	}
	goOn()
	l.whole()
	if c := l.state(l.a, "la").LLR.Counters; c.TxFlush+c.TxReinit+c.TxFlushedFrames != 0 {
		t.Errorf("%+v", c)
	}
}

// bind: zerocopy goes on in copy mode where xdp: auto has fallen back to generic mode, and tells.
func TestZeroCopyWhereXDPFallsBackToGeneric(t *testing.T) {
	nstest.Enter(t)
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "near"
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(netlink.LinkAdd(&netlink.Ifb{LinkAttrs: attrs})) // whose driver knows no XDP
	records := netif.OpenRecords(t.TempDir(), zap.NewNop())
	for _, opener := range []attach.Opener{attach.OpenerAsavie, attach.OpenerNative} {
		s := nearLink()
		s.Bind, s.Opener = attach.BindZeroCopy, opener
		h, err := openHost(s, 0, fewChunks, records, zap.NewNop())
		must(err)
		if mode := h.sockets[0].Info().BindMode(); mode != attach.BindCopy || h.program.Mode() != attach.ModeGeneric {
			t.Errorf("%s: bound in %s mode, XDP in %s mode", opener, mode, h.program.Mode())
		}
		if len(h.notices) != 1 || !strings.Contains(h.notices[0], "bind: zerocopy is not possible") {
			t.Errorf("%s: %q", opener, h.notices)
		}
		h.close()
	}
}
