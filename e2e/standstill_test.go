package e2e

import (
	"fmt"
	"testing"
	"time"
)

// B's edge stands still for ten seconds. The frames from B go on all the while, LLR does
// not flush, and what was sent to B's host meanwhile arrives afterwards, once and in order.
func TestEdgeThatStandsStillHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	const each, forB, size = 2 * time.Millisecond, 400, 200
	top := direct(t)
	p := pair{newDaemon(t, top.A, "A", settings{}), newDaemon(t, top.B, "B, held", settings{})}
	hold := p.b.holding()
	p.start()
	events := p.b.watch()
	hostA, hostB := open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType)

	// The first frames fill B's edge, and then the chunks for frames that wait for it; later frames are refused, and
	// A learns of the refusals.
	hold.on(t, "edge0")
	sent := uint32(0)
	eventually(t, "an edge that stands still", func() string {
		for range 100 {
			hostA.send(probe(sent, size))
			sent++
		}
		if !p.b.edge().StandsStill || !p.a.llr().PartnerBusy {
			return fmt.Sprintf("after %d frames it does not, or A does not know", sent)
		}
		return ""
	})
	events.shows("standstill", "takes no frames")
	for range forB {
		hostA.send(probe(sent, size))
		sent++
	}
	fromB := uint32(0)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(each) {
		hostB.send(reversed(probe(fromB, size)))
		fromB++
	}
	for want := range fromB {
		f := hostA.await(fmt.Sprintf("frame %d of %d from B", want, fromB), func([]byte) bool { return true })
		if probeNumber(f) != want {
			t.Fatalf("instead of frame %d from B there came %d", want, probeNumber(f))
		}
	}
	hold.off(t)
	hostB.inOrder(sent, size)
	events.shows("standstill", "takes frames again")
	p.noFlush(t)
	t.Logf("%d frames from B meanwhile; of %d to B %d were refused", fromB, sent, p.b.link().Counters.RxRefused)
}

// reversed is a probe in the other direction.
func reversed(f []byte) []byte {
	var a [6]byte
	copy(a[:], f)
	copy(f, f[6:12])
	copy(f[6:], a[:])
	return f
}
