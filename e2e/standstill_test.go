package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// holding builds a uelinkd whose edges stand still while a file is there.
func holding(t testing.TB) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "uelinkd")
	build := exec.Command("go", "build", "-tags", "hold", "-o", binary, "../cmd/uelinkd")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build a uelinkd that can be held: %v\n%s", err, out)
	}
	return binary
}

// B's edge stands still for ten seconds. The frames from B go on all the while, LLR does
// not flush, and what was sent to B's host meanwhile arrives afterwards, once and in order.
func TestEdgeThatStandsStillHoldsUpNothingElse(t *testing.T) {
	const each, forB, size = 2 * time.Millisecond, 400, 200
	hold := filepath.Join(t.TempDir(), "hold")
	top := direct(t)
	p := pair{newDaemon(t, top.A, "A", settings{}), newDaemon(t, top.B, "B, held", settings{})}
	p.b.binary, p.b.environment = holding(t), []string{"UELINK_HOLD_EDGES=" + hold}
	p.a.start()
	p.b.start()
	p.advance()
	events := p.b.watch()
	hostA, hostB := open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType)

	// The first frames fill what B's edge takes, and then the chunks in which frames for it
	// wait; those that follow are refused, and A is told.
	must(t, os.WriteFile(hold, nil, 0o600))
	time.Sleep(100 * time.Millisecond)
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
	must(t, os.Remove(hold))
	hostB.inOrder(sent, size)
	events.shows("standstill", "takes frames again")
	for _, d := range []*daemon{p.a, p.b} {
		if c := d.llr().Counters; c.TxFlush+c.TxReinit != 0 {
			t.Errorf("%s: FLUSH %d times, initialised again %d times", d.name, c.TxFlush, c.TxReinit)
		}
	}
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
