package path

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"uelink/dataplane/bridge"
)

// BenchmarkBridge is one frame from an edge to another of a bridge of so many ports, of
// which two are in use, with so many addresses behind the second.
func BenchmarkBridge(b *testing.B) {
	for _, c := range []struct{ ports, addresses int }{{2, 10}, {16, 10}, {64, 10}, {2, 100_000}} {
		b.Run(fmt.Sprintf("ports=%d/addresses=%d", c.ports, c.addresses), func(b *testing.B) {
			n := newLAN(rand.New(rand.NewPCG(1, 1)), 1, c.ports, defaults(), bridge.Settings{MaxEntries: 1 << 17})
			from, to := n.hosts[0], n.hosts[1]
			var f [64]byte
			frame := func(da, sa uint32) []byte {
				f[0], f[6], f[12] = 2, 2, 0x90
				binary.BigEndian.PutUint32(f[2:], da)
				binary.BigEndian.PutUint32(f[8:], sa)
				return f[:]
			}
			n.step(to, func(i int) []byte { return frame(1<<31, uint32(i)*2654435761|1) }, c.addresses)
			b.ReportAllocs()
			b.ResetTimer()
			n.step(from, func(i int) []byte { return frame(uint32(i%c.addresses)*2654435761|1, 1<<31) }, b.N)
			if to.edge.Counters.TxFrames < uint64(b.N) {
				b.Fatalf("%d of %d frames were sent", to.edge.Counters.TxFrames, b.N)
			}
		})
	}
}

// step has a host send so many frames through the first bridge, in batches.
func (n *lan) step(h *lanHost, f func(i int) []byte, frames int) {
	for sent := 0; sent < frames; {
		for range min(32, frames-sent) {
			if h.host.Send(f(sent)) {
				sent++
			}
		}
		n.domains[0].Step(n.now)
		n.now += 5e3
		for _, x := range n.hosts {
			for x.host.Recv() != nil {
			}
		}
	}
}
