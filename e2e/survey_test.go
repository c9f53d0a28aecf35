package e2e

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/control"
	"uelink/dataplane/frame"
	"uelink/dataplane/xsk"
	"uelink/netns"
)

// channels sets the number of queues, as `ethtool -L IF rx RX tx TX`.
func channels(t testing.TB, ns *netns.NS, ifname string, rx, tx uint32) {
	t.Helper()
	must(t, ns.Do(func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		request := make([]byte, 36) // struct ethtool_channels
		binary.NativeEndian.PutUint32(request, unix.ETHTOOL_SCHANNELS)
		binary.NativeEndian.PutUint32(request[20:], rx)
		binary.NativeEndian.PutUint32(request[24:], tx)
		var r struct { // struct ifreq
			name [unix.IFNAMSIZ]byte
			data unsafe.Pointer
			_    [16]byte
		}
		copy(r.name[:], ifname)
		r.data = unsafe.Pointer(&request[0])
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&r)))
		runtime.KeepAlive(request)
		if errno != 0 {
			return fmt.Errorf("ethtool -L %s rx %d tx %d: %w", ifname, rx, tx, errno)
		}
		return nil
	}))
}

// queueSender returns a function that sends frames by one TX queue of an interface. The other end of a veth receives
// them by the RX queue of the same number.
func queueSender(t testing.TB, ns *netns.NS, ifname string, queue int) (send func(frame []byte)) {
	t.Helper()
	index, err := ns.Ifindex(ifname)
	must(t, err)
	var s *xsk.Socket
	must(t, ns.Do(func() error {
		s, err = xsk.Open(index, queue, xsk.Options{
			Opener: xsk.OpenerNative, RingSize: 64, Bind: xsk.BindCopy, Geometry: frame.Geometry{ChunkSize: 2048, RX: 64, TX: 64},
		})
		return err
	}))
	t.Cleanup(func() { s.Close() })
	return func(f []byte) {
		addr := s.Geometry().SlotAddr(0)
		s.Transmit([]frame.Desc{{Addr: addr, Len: uint32(copy(s.Area()[addr:], f))}})
		must(t, s.Kick())
		for done := make([]uint64, 1); s.Completed(done) == 0; time.Sleep(10 * time.Microsecond) {
		}
	}
}

// `ethtool -L` while the daemon runs: each new RX queue gets a socket, and the log names the cause. Without new
// sockets the frames of the new queues would be lost.
func TestRXQueuesRaisedWhileRunning(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
	}
	top := direct(t)
	p := top.daemons(lossless)
	events := p.a.watch()
	l := top.load(t, patience)
	for _, end := range []*netns.NS{top.A, top.B} {
		channels(t, end, "link0", 2, 1)
	}
	for _, d := range []*daemon{p.a, p.b} {
		eventually(t, "a socket for each RX queue", func() string {
			if is := d.link(); is.Queues != 2 || is.OperStatus != "up" {
				return fmt.Sprintf("%d queues, %s", is.Queues, is.OperStatus)
			}
			return ""
		})
	}
	nothingLost(t, l.end())
	if n := p.a.link().Counters.RxQueueChanges + p.b.link().Counters.RxQueueChanges; n != 0 {
		t.Errorf("the data of the link came by several RX queues: %d changes", n)
	}
	const said = "the RX queues were changed from 1 to 2 (ethtool -L): the sockets are opened anew"
	events.shows("notice", said)
	if is := p.a.link(); !strings.Contains(is.Notice, said) || is.Fault != "" {
		t.Errorf("status: %q, fault %q", is.Notice, is.Fault)
	}
	p.a.says(said)

	channels(t, top.A, "edge0", 2, 1)
	channels(t, top.hostA, "eth0", 1, 2)
	eventually(t, "a socket for each queue of the edge", func() string {
		if n := p.a.edge().Queues; n != 2 {
			return fmt.Sprintf("%d queues", n)
		}
		return ""
	})
	hostB := open(t, top.hostB, "eth0", probeType)
	for queue := range 2 {
		send := queueSender(t, top.hostA, "eth0", queue)
		eventually(t, fmt.Sprintf("the frame of queue %d", queue), func() string {
			send(probe(uint32(queue), 100))
			for f := hostB.next(); f != nil; f = hostB.next() {
				if probeNumber(f) == uint32(queue) {
					return ""
				}
			}
			return fmt.Sprintf("it has not come; edge0 has received %d", p.a.edge().Counters.RxFrames)
		})
	}
	p.noFlush(t)
}

// Data of a link that arrives by two RX queues is counted and reported, with the cure. Frames that another program
// sends by the second queue do not concern LLR: nothing is lost.
func TestDataBySeveralQueuesIsTold(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
	}
	top := direct(t)
	channels(t, top.A, "link0", 2, 1)
	channels(t, top.B, "link0", 1, 2)
	p := top.daemons(lossless)
	events := p.a.watch()
	l := top.load(t, patience)
	send := queueSender(t, top.B, "link0", 1)
	stray := append(probe(0, 60)[:12], 0x88, 0xB5)
	eventually(t, "a fault", func() string {
		for range 50 {
			send(stray[:14:14])
		}
		if fault := p.a.link().Fault; !strings.Contains(fault, "ethtool -N link0 flow-type ether proto 0x88b5 action 0") {
			return fmt.Sprintf("there is %q, %d changes", fault, p.a.link().Counters.RxQueueChanges)
		}
		return ""
	})
	events.shows("error", "the data of the link comes by several RX queues (rx_queue_changes)")
	eventually(t, "the end of the fault", func() string { return p.a.link().Fault })
	nothingLost(t, l.end())
	p.noFlush(t)
}

// Where the settings limit the queues with a socket, frames that arrive by another queue are reported.
func TestFramesByAQueueWithoutASocketAreTold(t *testing.T) {
	t.Parallel()
	if runtime.NumCPU() < 2 {
		t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
	}
	top := direct(t)
	p := top.daemons(settings{edge: "queues: 1"})
	events := p.a.watch()
	channels(t, top.A, "edge0", 2, 1)
	channels(t, top.hostA, "eth0", 1, 2)
	send := queueSender(t, top.hostA, "eth0", 1)
	eventually(t, "a fault", func() string {
		send(probe(1, 100))
		if fault := p.a.edge().Fault; !strings.Contains(fault,
			"(1), and go to the host's network: the interface has 2 RX queues, and sockets are on 0 (queues)") {
			return fmt.Sprintf("there is %q", fault)
		}
		return ""
	})
	events.shows("error", "frames come by RX queues that have no socket")
	if is := p.a.edge(); is.Counters.RxNoSocket == 0 || !slices.Equal(is.NoSocket, control.Numbers{1}) {
		t.Errorf("rx_no_socket is %d, by the queues %v", is.Counters.RxNoSocket, is.NoSocket)
	}
	p.a.tool("llr", "counters", "clear", "edge0").succeeds()
	if n := p.a.edge().Counters.RxNoSocket; n != 0 {
		t.Errorf("rx_no_socket is %d after it was cleared", n)
	}
}

// programOf returns the id of the XDP program on an interface.
func programOf(t testing.TB, ns *netns.NS, ifname string) uint32 {
	t.Helper()
	l, err := ns.Link(ifname)
	must(t, err)
	if l.Xdp == nil {
		return 0
	}
	return l.Xdp.ProgId
}

// detachProgram detaches the link of an XDP program, as `bpftool link detach` does.
func detachProgram(t testing.TB, program uint32) {
	t.Helper()
	links := new(link.Iterator)
	defer links.Close()
	for links.Next() {
		if info, err := links.Link.Info(); err == nil && info.Program == ebpf.ProgramID(program) {
			must(t, links.Link.Detach())
			return
		}
	}
	t.Fatalf("program %d has no link: %v", program, links.Err())
}

// A detached XDP program is attached again; LLR repeats the frames lost meanwhile.
func TestProgramThatSomebodyDetachesIsAttachedAgain(t *testing.T) {
	top := direct(t)
	p := top.daemons(lossless)
	events := p.a.watch()
	l := top.load(t, patience)
	const said = "somebody has taken uelink's XDP program off the interface (bpftool link detach?): it is attached again"
	for range 3 {
		id := programOf(t, top.A, "link0")
		detachProgram(t, id)
		eventually(t, "the program again", func() string {
			if now := programOf(t, top.A, "link0"); now != id {
				return fmt.Sprintf("there is program %d", now)
			}
			return ""
		})
		time.Sleep(100 * time.Millisecond)
	}
	nothingLost(t, l.end())
	events.shows("notice", said)
	if is := p.a.link(); !strings.Contains(is.Notice, said) || is.Fault != "" {
		t.Errorf("status: %q, fault %q", is.Notice, is.Fault)
	}
	p.a.says(said)
	p.noFlush(t)
}

// Another program in the place of uelinkd's is named in the port's state until it is gone.
func TestProgramInThePlaceOfOursIsNamed(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	events := p.a.watch()
	index, err := top.A.Ifindex("edge0")
	must(t, err)
	must(t, top.A.Do(func() error {
		var other *bpf.Program
		for range 10 { // until it is attached before the daemon looks
			detachProgram(t, programOf(t, top.A, "edge0"))
			if other, err = bpf.Attach(index, bpf.Config{}, bpf.ModeDriver); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
		eventually(t, "a fault", func() string {
			if fault := p.a.edge().Fault; !strings.Contains(fault, `another XDP program "uelink_steer"`) {
				return fmt.Sprintf("there is %q", fault)
			}
			return ""
		})
		return other.Close()
	}))
	events.shows("error", "ip link set dev edge0 xdp off")
	eventually(t, "the end of the fault", func() string { return p.a.edge().Fault })
	events.shows("notice", "it is attached again")
	crosses(open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType), resumption)
}

// An ifb counts frames sent by it as received and hands them to nobody, like a NIC whose frames XDP never sees. The
// daemon reports that, and that attaching the program again has not helped.
func TestNICThatCountsFramesThatXDPNeverSees(t *testing.T) {
	t.Parallel()
	top := direct(t)
	must(t, top.A.DeleteLink("edge0"))
	must(t, top.A.Do(func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU = "edge0", edgeMTU
		return netlink.LinkAdd(&netlink.Ifb{LinkAttrs: attrs})
	}))
	must(t, top.A.SetLink("edge0", true))
	a := newDaemon(t, top.A, "A", settings{})
	a.start()
	events := a.watch()
	from := open(t, top.A, "edge0", probeType)
	said := "the NIC has counted 0 frames"
	eventually(t, "a fault", func() string {
		for i := range uint32(10) {
			from.send(probe(i, 100))
		}
		time.Sleep(100 * time.Millisecond)
		if said = a.edge().Fault; !strings.Contains(said, "frames that XDP does not see, also after the program was "+
			"attached again") {
			return fmt.Sprintf("there is %q", said)
		}
		return ""
	})
	events.shows("notice", "XDP saw none of them: its driver may have lost the program: it is attached again")
	events.shows("error", "ethtool -S edge0")
	if fault := a.link().Fault; fault != "" {
		t.Errorf("the link has %q", fault)
	}
}
