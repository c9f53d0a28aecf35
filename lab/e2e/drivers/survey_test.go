package drivers

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"

	"uelink/bpf"
	"uelink/control/api"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/xsk"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// queueSender returns a function that sends frames by one TX queue of an interface, and a function that ends that. The
// other end of a veth receives the frames by the RX queue of the same number.
func queueSender(t testing.TB, ns *netns.NS, ifname string, queue int) (send func(frame []byte), end func()) {
	t.Helper()
	index, err := ns.Ifindex(ifname)
	bed.Must(t, err)
	var s *xsk.Socket
	bed.Must(t, ns.Do(func() error {
		s, err = xsk.Open(index, queue, xsk.Options{
			Opener: attach.OpenerNative, RingSize: 64, Bind: attach.BindCopy, Geometry: frame.Geometry{ChunkSize: 2048, RX: 64, TX: 64},
		})
		return err
	}))
	closed := sync.OnceFunc(func() { s.Close() })
	t.Cleanup(closed)
	return func(f []byte) {
		addr := s.Geometry().SlotAddr(0)
		s.Transmit([]frame.Desc{{Addr: addr, Len: uint32(copy(s.Area()[addr:], f))}})
		bed.Must(t, s.Kick())
		for done := make([]uint64, 1); s.Completed(done) == 0; time.Sleep(10 * time.Microsecond) {
		}
	}, closed
}

// `ethtool -L` while the daemon runs: each new RX queue gets a socket, and the log names the cause. Without new
// sockets the frames of the new queues would be lost.
func TestRXQueuesRaisedWhileRunning(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
	}
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	events := p.A.Watch()
	l := top.Load(t, bed.Patience)
	for _, end := range []*netns.NS{top.A, top.B} {
		bed.Channels(t, end, "link0", 2, 1)
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		bed.Eventually(t, "a socket for each RX queue", func() string {
			if got := d.Link(); got.Queues != 2 || got.OperStatus != "up" {
				return fmt.Sprintf("%d queues, %s", got.Queues, got.OperStatus)
			}
			return ""
		})
	}
	bed.NothingLost(t, l.End())
	if n := p.A.Link().Counters.RxQueueChanges + p.B.Link().Counters.RxQueueChanges; n != 0 {
		t.Errorf("the data of the link came by several RX queues: %d changes", n)
	}
	const text = "the RX queues were changed from 1 to 2 (ethtool -L): the sockets are reopened"
	events.Await("notice", text)
	// The kernel may drop frames at a veth while the queues of the other end change: that is a fault, and LLR sends the
	// frames again.
	// While the sockets were opened anew, calls for live frames may have been slow, which is the later notice then.
	got := p.A.Link()
	reported := strings.Contains(got.Notice, text) || strings.Contains(got.Notice, "was slow to send live frames")
	if !reported || got.Fault != "" && !strings.Contains(got.Fault, "tx_dropped") {
		t.Errorf("status: %q, fault %q", got.Notice, got.Fault)
	}
	p.A.AwaitLogLines(text)

	bed.Channels(t, top.A, "edge0", 2, 1)
	bed.Channels(t, top.HostA, "eth0", 1, 2)
	bed.Eventually(t, "a socket for each queue of the edge", func() string {
		if n := p.A.Edge().Queues; n != 2 {
			return fmt.Sprintf("%d queues", n)
		}
		return ""
	})
	hostB := bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	for queue := range 2 {
		send, _ := queueSender(t, top.HostA, "eth0", queue)
		bed.Eventually(t, fmt.Sprintf("the frame of queue %d", queue), func() string {
			send(bed.Probe(uint32(queue), 100))
			for f := hostB.Next(); f != nil; f = hostB.Next() {
				if bed.ProbeNumber(f) == uint32(queue) {
					return ""
				}
			}
			return fmt.Sprintf("it has not come; edge0 has received %d", p.A.Edge().Counters.RxFrames)
		})
	}
	p.NoFlush(t)
}

// Data of a link that arrives by two RX queues is counted and reported, with the cure. Frames that another program
// sends by the second queue do not concern LLR: nothing is lost.
func TestDataBySeveralQueuesIsTold(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
	}
	top := bed.Direct(t)
	bed.Channels(t, top.A, "link0", 2, 1)
	bed.Channels(t, top.B, "link0", 1, 2)
	p := top.Daemons(bed.Lossless)
	events := p.A.Watch()
	l := top.Load(t, bed.Patience)
	send, end := queueSender(t, top.B, "link0", 1)
	stray := append(bed.Probe(0, 60)[:12], 0x88, 0xB5)
	bed.Eventually(t, "a fault", func() string {
		for range 50 {
			send(stray[:14:14])
		}
		if fault := p.A.Link().Fault; !fewer.MatchString(fault) {
			return fmt.Sprintf("there is %q, %d changes", fault, p.A.Link().Counters.RxQueueChanges)
		}
		return ""
	})
	command := fewer.FindStringSubmatch(p.A.Link().Fault)[1]
	end()
	p.B.Shell(t, top.B, patiently(strings.Replace(command, "IF", "link0", 1)))
	events.Await("error", "the data of the link comes by several RX queues (rx_queue_changes)")
	bed.Eventually(t, "the end of the fault", func() string { return p.A.Link().Fault })
	bed.NothingLost(t, l.End())
	p.NoFlush(t)
}

// Where the settings limit the queues with a socket, frames that arrive by another queue are reported.
func TestFramesByAQueueWithoutASocketAreTold(t *testing.T) {
	t.Parallel()
	if runtime.NumCPU() < 2 {
		t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
	}
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{Edge: "queues: 1"}.ByFrame())
	events := p.A.Watch()
	bed.Channels(t, top.A, "edge0", 2, 1)
	bed.Channels(t, top.HostA, "eth0", 1, 2)
	send, end := queueSender(t, top.HostA, "eth0", 1)
	bed.Eventually(t, "a fault", func() string {
		send(bed.Probe(1, 100))
		if fault := p.A.Edge().Fault; !strings.Contains(fault,
			"(1), and go to the host's network: the interface has 2 RX queues, and the sockets are on 0 (key queues)") {
			return fmt.Sprintf("there is %q", fault)
		}
		return ""
	})
	events.Await("error", "frames come by RX queues that have no socket")
	if got := p.A.Edge(); got.Counters.RxNoSocket == 0 || !slices.Equal(got.NoSocket, api.Numbers{1}) {
		t.Errorf("rx_no_socket is %d, by the queues %v", got.Counters.RxNoSocket, got.NoSocket)
	}
	p.A.Tool("llr", "counters", "clear", "edge0").Succeeds()
	if n := p.A.Edge().Counters.RxNoSocket; n != 0 {
		t.Errorf("rx_no_socket is %d after it was cleared", n)
	}
	to := bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	cured := func() {
		t.Helper()
		bed.Eventually(t, "frames of the queue cross, and the fault is over", func() string {
			send(bed.Probe(7, 100))
			if f := to.Next(); f == nil || bed.ProbeNumber(f) != 7 {
				return "no frame crosses: " + p.A.Edge().Fault
			}
			if fault := p.A.Edge().Fault; strings.Contains(fault, "have no socket") {
				return fault
			}
			return ""
		})
	}
	command := fewer.FindStringSubmatch(p.A.Edge().Fault)
	if command == nil {
		t.Fatalf("no command in %q", p.A.Edge().Fault)
	}
	for _, cure := range bed.Cures(t, "rx_no_socket") {
		line := cure.Command(t, "edge0", map[string]string{"queues": "'[0,1]'"})
		t.Logf("%s\n%s", line, p.A.Shell(t, top.A, line))
		cured()
	}
	p.A.Reload(bed.Settings{Edge: "queues: 1"}.ByFrame().Text(p.A.Socket))
	end()
	p.A.Shell(t, top.HostA, patiently(strings.Replace(command[1], "IF", "eth0", 1)))
	before := p.A.Edge().Counters.RxNoSocket
	bed.AwaitCrossing(bed.Open(t, top.HostA, "eth0", bed.ProbeType), to, bed.Patience)
	if n := p.A.Edge().Counters.RxNoSocket - before; n > 0 {
		t.Errorf("%d frames came by a queue without a socket", n)
	}
}

// patiently returns a line for a shell that types a command until it succeeds: the kernel takes a closed AF_XDP socket
// off its queue a little later.
func patiently(command string) string { return "until " + command + "; do sleep .1; done" }

// fewer is the command of a fault that has the other end of a veth send by fewer queues.
var fewer = regexp.MustCompile(`type at that end: (ethtool -L IF tx \d+)`)

// programOf returns the id of the XDP program on an interface.
func programOf(t testing.TB, ns *netns.NS, ifname string) uint32 {
	t.Helper()
	l, err := ns.Link(ifname)
	bed.Must(t, err)
	if l.Xdp == nil {
		return 0
	}
	return l.Xdp.ProgId
}

// programNameOf returns the name of the XDP program on an interface; "" for none.
func programNameOf(t testing.TB, ns *netns.NS, ifname string) (name string) {
	t.Helper()
	index, err := ns.Ifindex(ifname)
	bed.Must(t, err)
	bed.Must(t, ns.Do(func() error {
		name, _, _ = bpf.Attached(index)
		return nil
	}))
	return name
}

// detachProgram detaches the link of an XDP program, as `bpftool link detach` does.
func detachProgram(t testing.TB, program uint32) {
	t.Helper()
	links := new(link.Iterator)
	defer links.Close()
	for links.Next() {
		if info, err := links.Link.Info(); err == nil && info.Program == ebpf.ProgramID(program) {
			bed.Must(t, links.Link.Detach())
			return
		}
	}
	t.Fatalf("program %d has no link: %v", program, links.Err())
}

// A detached XDP program is attached again; LLR repeats the frames lost meanwhile.
func TestProgramThatSomebodyDetachesIsAttachedAgain(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	events := p.A.Watch()
	l := top.Load(t, bed.Patience)
	const text = "somebody has taken uelink's XDP program off the interface (bpftool link detach?): " +
		"the XDP program is attached again"
	for range 3 {
		detachProgram(t, programOf(t, top.A, "link0"))
		bed.Eventually(t, "the program again", func() string {
			// A copy has the name and another ID: calls for live frames were slow.
			if name := programNameOf(t, top.A, "link0"); name != "uelink_steer" {
				return fmt.Sprintf("there is program %q", name)
			}
			return ""
		})
		time.Sleep(100 * time.Millisecond)
	}
	bed.NothingLost(t, l.End())
	events.Await("notice", text)
	// The kernel may drop frames at a veth while the queues of the other end change: that is a fault, and LLR sends the
	// frames again.
	// While the program was off, calls for live frames were slow, which may have been the later notice.
	got := p.A.Link()
	reported := strings.Contains(got.Notice, text) || strings.Contains(got.Notice, "was slow to send live frames")
	if !reported || got.Fault != "" && !strings.Contains(got.Fault, "tx_dropped") {
		t.Errorf("status: %q, fault %q", got.Notice, got.Fault)
	}
	p.A.AwaitLogLines(text)
	p.NoFlush(t)
}

// Another program in the place of uelinkd's is named in the port's state until it is gone.
func TestProgramInThePlaceOfOursIsNamed(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{}.ByFrame())
	events := p.A.Watch()
	index, err := top.A.Ifindex("edge0")
	bed.Must(t, err)
	bed.Must(t, top.A.Do(func() error {
		var other *bpf.Program
		for range 10 { // until it is attached before the daemon looks
			detachProgram(t, programOf(t, top.A, "edge0"))
			if other, err = bpf.Attach(index, bpf.Config{}, attach.ModeDriver); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
		bed.Eventually(t, "a fault", func() string {
			if fault := p.A.Edge().Fault; !strings.Contains(fault, `another XDP program "uelink_steer"`) {
				return fmt.Sprintf("there is %q", fault)
			}
			return ""
		})
		return other.Close()
	}))
	events.Await("error", "bpftool link detach id ")
	bed.Eventually(t, "the end of the fault", func() string { return p.A.Edge().Fault })
	events.Await("notice", "the XDP program is attached again")
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	bed.AwaitCrossing(hostA, hostB, bed.Resumption)
}

// An ifb counts frames sent by it as received and hands them to nobody, like a NIC whose frames XDP never sees. The
// daemon reports that, and that attaching the program again has not helped.
func TestNICThatCountsFramesThatXDPNeverSees(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	bed.Must(t, top.A.DeleteLink("edge0"))
	bed.Must(t, top.A.Do(func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU = "edge0", bed.EdgeMTU
		return netlink.LinkAdd(&netlink.Ifb{LinkAttrs: attrs})
	}))
	bed.Must(t, top.A.SetLink("edge0", true))
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	a.Start()
	events := a.Watch()
	from := bed.Open(t, top.A, "edge0", bed.ProbeType)
	text := "the NIC has counted 0 frames"
	bed.Eventually(t, "a fault", func() string {
		for i := range uint32(10) {
			from.Send(bed.Probe(i, 100))
		}
		time.Sleep(100 * time.Millisecond)
		if text = a.Edge().Fault; !strings.Contains(text, "frames that XDP does not see, also after the program was "+
			"attached again") {
			return fmt.Sprintf("there is %q", text)
		}
		return ""
	})
	events.Await("notice", "XDP saw none of them: its driver may have lost the program: the XDP program is attached again")
	events.Await("error", "ethtool -S edge0")
	if fault := a.Link().Fault; fault != "" {
		t.Errorf("the link has %q", fault)
	}
}
