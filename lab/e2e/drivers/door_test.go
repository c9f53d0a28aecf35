package drivers

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// burst is what TCP of Linux sends without waiting for an answer: 4 MB (net.ipv4.tcp_wmem) in frames of 1448 octets
// and their headers.
const (
	burst       = 4 << 20 / 1448
	burstOctets = 1514
)

// TestAFrozenDaemonHoldsABurst: while the daemon gets no CPU a host sends as much as TCP sends in a burst. Afterwards
// every frame crosses, wherever it waits meanwhile: in the RX ring of the edge, or in a queue behind it.
func TestAFrozenDaemonHoldsABurst(t *testing.T) {
	for name, edge := range map[string]string{"in the ring": "", "in a queue": "qos: {trust: dscp}"} {
		t.Run(name, func(t *testing.T) {
			s := bed.Lossless
			s.Edge = edge
			top := bed.Direct(t)
			p := top.Daemons(s)
			from, to := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
			bed.AwaitCrossing(from, to, bed.Patience)
			p.A.Freeze()
			sendBurst(t, from, top.A, burst)
			p.A.Signal(syscall.SIGCONT)
			to.InOrder(burst, burstOctets)
			if s := p.A.Edge().Socket; s.RxRingFull+s.RxDropped > 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestARingThatOverrunsIsTold: frames that find the RX ring full are in the column of uelink port, and a fault and an
// event say which key to raise. Their number is exact, but for frames of the host's own IPv6 among them.
func TestARingThatOverrunsIsTold(t *testing.T) {
	const ring, sent, ofIPv6 = 64, 500, 5
	s := bed.Lossless
	s.Edge = fmt.Sprintf("ring_size: %d, rx_ring_size: %[1]d", ring)
	top := bed.Direct(t)
	p := top.Daemons(s.ByFrame())
	from, to := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	bed.AwaitCrossing(from, to, bed.Patience)
	events := p.A.Watch()
	p.A.Freeze()
	sendBurst(t, from, top.A, sent)
	p.A.Signal(syscall.SIGCONT)
	const text = "the RX ring of 64 entries is full (rx_ring_full): "
	bed.Eventually(t, "a fault", func() string {
		if fault := p.A.Edge().Fault; !strings.Contains(fault, text) || !strings.Contains(fault, "raise rx_ring_size") {
			return fault
		}
		return ""
	})
	events.Await("error", text)
	delivered := uint64(0)
	bed.Eventually(t, "each frame delivered or dropped", func() string {
		for f := to.Next(); f != nil; f = to.Next() {
			if bed.ProbeNumber(f) < sent {
				delivered++
			}
		}
		edge := p.A.Edge()
		if edge.TxDropped != 0 || edge.RxDropped < sent-delivered || edge.RxDropped > sent-delivered+ofIPv6 {
			return fmt.Sprintf("%d delivered, RX dropped %d, TX dropped %d", delivered, edge.RxDropped, edge.TxDropped)
		}
		return ""
	})
}

// sendBurst sends n frames to edge0 of a namespace. The kernel keeps no more than 256 frames between the ends of a
// veth, so it has time to hand over each hundred.
func sendBurst(t testing.TB, from *bed.Packets, to *netns.NS, n uint32) {
	t.Helper()
	before := arrived(t, to)
	for number := range n {
		from.Send(bed.Probe(number, burstOctets))
		if number%100 == 99 {
			bed.Eventually(t, "frames at edge0", func() string {
				if n := arrived(t, to) - before; n <= uint64(number) {
					return fmt.Sprintf("%d of %d", n, number+1)
				}
				return ""
			})
		}
	}
}

// arrived returns how many frames edge0 of a namespace has received.
func arrived(t testing.TB, ns *netns.NS) (frames uint64) {
	t.Helper()
	bed.Must(t, ns.Do(func() error {
		edge, err := netlink.LinkByName("edge0")
		if err == nil {
			frames = edge.Attrs().Statistics.RxPackets
		}
		return err
	}))
	return frames
}
