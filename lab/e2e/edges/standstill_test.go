package edges

import (
	"fmt"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// B's edge stands still for ten seconds. The frames from B go on all the while, LLR does
// not flush, and what was sent to B's host meanwhile arrives afterwards, once and in order.
func TestEdgeThatStandsStillHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	const each, forB, size = 2 * time.Millisecond, 400, 200
	top := bed.Direct(t)
	hold := holding(t, top.HostB)
	settings := bed.Settings{}.ByFrame()
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", settings), B: bed.NewDaemon(t, top.B, "B, held", settings)}
	p.Start()
	events := p.B.Watch()
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)

	// The first frames fill B's edge, and then the chunks for frames that wait for it; later frames are refused, and
	// A learns of the refusals.
	hold.on(t)
	sent := uint32(0)
	bed.Eventually(t, "an edge that stands still", func() string {
		for range 100 {
			hostA.Send(bed.Probe(sent, size))
			sent++
		}
		if !p.B.Edge().StandsStill || !p.A.LLR().PartnerBusy {
			return fmt.Sprintf("after %d frames it does not, or A does not know", sent)
		}
		return ""
	})
	events.Await("standstill", "takes no frames")
	for range forB {
		hostA.Send(bed.Probe(sent, size))
		sent++
	}
	fromB := uint32(0)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(each) {
		hostB.Send(reversed(bed.Probe(fromB, size)))
		fromB++
	}
	for want := range fromB {
		f := hostA.Await(fmt.Sprintf("frame %d of %d from B", want, fromB), func([]byte) bool { return true })
		if bed.ProbeNumber(f) != want {
			t.Fatalf("instead of frame %d from B there came %d", want, bed.ProbeNumber(f))
		}
	}
	hold.off(t)
	hostB.InOrder(sent, size)
	events.Await("standstill", "takes frames again")
	p.NoFlush(t)
	t.Logf("%d frames from B meanwhile; of %d to B %d were refused", fromB, sent, p.B.Link().Counters.RxRefused)
}

// reversed is a probe in the other direction.
func reversed(f []byte) []byte {
	var a [6]byte
	copy(a[:], f)
	copy(f, f[6:12])
	copy(f[6:], a[:])
	return f
}
