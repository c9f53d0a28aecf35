package cable

import (
	"fmt"
	"testing"

	"github.com/cilium/ebpf"

	"uelink/dataplane/ethtool"
	"uelink/dataplane/fault"
)

const liveFrames = 1 << 1 // BPF_F_TEST_XDP_LIVE_FRAMES

// BenchmarkCable has the kernel make b.N frames at one host, as fast as it can,
// and tells how many a second reach the other. The kernel's cable works on the
// generator's CPU, the one in user space on another.
func BenchmarkCable(b *testing.B) {
	faults := fault.Config{Loss: 0.01, Corrupt: 0.001}
	for _, mode := range modes {
		for _, size := range []int{64, 1514} {
			b.Run(fmt.Sprintf("%s/%d", mode, size), func(b *testing.B) {
				w := newBench(b, 1500)
				sink := w.hosts[1].drops()
				w.plug(Config{Mode: mode, Fault: faults})
				before := sink()
				b.ResetTimer()
				w.hosts[0].generate(make([]byte, size), b.N)
				b.StopTimer()
				b.ReportMetric(float64(sink()-before)/b.Elapsed().Seconds()/1e6, "Mpps")
			})
		}
	}
}

// generate sends a frame n times.
func (s *station) generate(octets []byte, n int) {
	s.t.Helper()
	index, err := s.ns.Ifindex("host0")
	must(s.t, err)
	p, err := program(s.t, "test_send", xdpTX)
	must(s.t, err)
	in := struct{ Data, DataEnd, DataMeta, Ingress, Queue, Egress uint32 }{DataEnd: uint32(len(octets)),
		Ingress: uint32(index)}
	must(s.t, s.ns.Do(func() error {
		_, err := p.Run(&ebpf.RunOptions{Data: octets, Context: in, Repeat: uint32(n), Flags: liveFrames})
		return err
	}))
}

// drops has everything that reaches host1 dropped, and returns a function that
// tells how much that was.
func (s *station) drops() func() uint64 {
	s.t.Helper()
	p, err := program(s.t, "test_drop", xdpDrop)
	must(s.t, err)
	must(s.t, s.link.Update(p))
	var c *ethtool.Conn
	must(s.t, s.ns.Do(func() (err error) {
		c, err = ethtool.Open("host1")
		return err
	}))
	s.t.Cleanup(func() { c.Close() })
	return func() uint64 {
		stats, err := c.Statistics()
		must(s.t, err)
		return stats["rx_queue_0_xdp_drops"]
	}
}
