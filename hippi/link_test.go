package hippi

import (
	"testing"
	"time"
)

// testPair returns two ends in Normal over a good wire.
func testPair(t *testing.T, p Profile) *pair {
	t.Helper()
	w := newPair(1, p, 3000)
	w.failed = t.Fatalf
	w.carrier(true)
	w.wait(100 * time.Millisecond)
	if !w.normal() {
		t.Fatalf("a %v, b %v", w.a.l.State(), w.b.l.State())
	}
	return w
}

func TestLinkComesUp(t *testing.T) {
	for name, p := range map[string]Profile{"software": Software(), "standard": fast()} {
		t.Run(name, func(t *testing.T) {
			w := testPair(t, p)
			for vc := range uint8(VCs) {
				if n := w.a.l.Source().Credit(vc); n != 255 {
					t.Errorf("VC%d: %d credits, want 255", vc, n)
				}
			}
			if w.a.l.Events != (Events{}) || w.b.l.Events != (Events{}) {
				t.Errorf("events %+v, %+v", w.a.l.Events, w.b.l.Events)
			}
		})
	}
}

// fast is the profile Standard on a wire with a loop of 40 µs.
func fast() Profile {
	p := Standard()
	p.ACKTimeout = 100 * time.Microsecond
	return p
}

func TestMessagesArrive(t *testing.T) {
	w := testPair(t, Software())
	w.a.taken, w.b.taken = [VCs]uint32{100, 100, 100, 100}, [VCs]uint32{50, 0, 50, 0}
	w.wait(time.Second)
	if !w.a.done() || !w.b.done() || w.b.arrived[1] != 100 || w.a.arrived[2] != 50 {
		t.Fatalf("a %+v, b %+v, %v %v", w.a.arrived, w.b.arrived, w.a.l.Counters, w.b.l.Counters)
	}
}
