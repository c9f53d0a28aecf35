package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/netns"
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
			s := lossless
			s.edge = edge
			top := direct(t)
			p := top.daemons(s)
			from, to := open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType)
			crosses(from, to, patience)
			p.a.freeze()
			sendBurst(t, from, top.A, burst)
			p.a.signal(syscall.SIGCONT)
			to.inOrder(burst, burstOctets)
			if s := p.a.edge().Socket; s.RxRingFull+s.RxDropped > 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestARingThatOverrunsIsTold: frames that find the RX ring full are in the column of uelink port, and a fault and an
// event say which key to raise. Their number is exact, but for frames of the host's own IPv6 among them.
func TestARingThatOverrunsIsTold(t *testing.T) {
	const ring, sent, ofIPv6 = 64, 500, 5
	s := lossless
	s.edge = fmt.Sprintf("ring_size: %d, rx_ring_size: %[1]d", ring)
	top := direct(t)
	p := top.daemons(s)
	from, to := open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType)
	crosses(from, to, patience)
	events := p.a.watch()
	p.a.freeze()
	sendBurst(t, from, top.A, sent)
	p.a.signal(syscall.SIGCONT)
	const said = "the RX ring of 64 entries is full (rx_ring_full): "
	eventually(t, "a fault", func() string {
		if fault := p.a.edge().Fault; !strings.Contains(fault, said) || !strings.Contains(fault, "raise rx_ring_size") {
			return fault
		}
		return ""
	})
	events.shows("error", said)
	delivered := uint64(0)
	eventually(t, "each frame delivered or dropped", func() string {
		for f := to.next(); f != nil; f = to.next() {
			if probeNumber(f) < sent {
				delivered++
			}
		}
		edge := p.a.edge()
		if edge.TxDropped != 0 || edge.RxDropped < sent-delivered || edge.RxDropped > sent-delivered+ofIPv6 {
			return fmt.Sprintf("%d delivered, RX dropped %d, TX dropped %d", delivered, edge.RxDropped, edge.TxDropped)
		}
		return ""
	})
}

// sendBurst sends n frames to edge0 of a namespace. The kernel keeps no more than 256 frames between the ends of a
// veth, so it has time to hand over each hundred.
func sendBurst(t testing.TB, from *packets, to *netns.NS, n uint32) {
	t.Helper()
	before := arrived(t, to)
	for number := range n {
		from.send(probe(number, burstOctets))
		if number%100 == 99 {
			eventually(t, "frames at edge0", func() string {
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
	must(t, ns.Do(func() error {
		edge, err := netlink.LinkByName("edge0")
		if err == nil {
			frames = edge.Attrs().Statistics.RxPackets
		}
		return err
	}))
	return frames
}
