package conformance

import (
	"time"

	"uelink/dataplane/fault"
	"uelink/lab/simulated"
	"uelink/wire"
)

// The wire of LLR-07. Light takes 5 ns for a metre of fibre.
const (
	lineRate   = 10e9 // bits a second
	cableDelay = 500 * 5 * time.Nanosecond
)

// wireBits returns how many bits a frame of size octets with FCS takes on the link, shim and FCS image included.
func wireBits(size int) float64 { return float64(wire.DataLen(size-wire.FCSLen, true) * 8) }

// fullRate runs LLR-07 and records the results: frames of the smallest and the largest size at full rate, over 500
// m of cable. LLR_ACK crosses the same cable.
func fullRate(t *trial) {
	for _, c := range []struct {
		size   int
		frames uint64
	}{{64, 50_000}, {9216, 3_000}} {
		t.size = c.size
		b := t.bench(func(o *simulated.Options) {
			o.Wire = fault.Config{RateBPS: lineRate, Delay: cableDelay}
			o.Profile.MaxOutstandingFrames = 512
		})
		s := &simulated.Stream{From: b.A, To: b.B, Frames: c.frames, Size: c.size}
		s.Interval = wireBits(c.size) / lineRate * 1e9
		b.Carry(s)
		t.near("frames a second", "Mpps", lineRate/wireBits(c.size)/1e6, s.FramesPerSecond()/1e6)
		t.exact("A TX_REPLAY", 0, countersOf(b.A).TxReplay)
		t.whole(s)
	}
}

// allSizes returns the frame sizes of LLR-09, octets with FCS.
func allSizes() []int {
	sizes := []int{64, 65}
	for _, n := range []int{128, 256, 512, 1518, 2048, 4096, 9216} {
		sizes = append(sizes, n-1, n, n+1)
	}
	return sizes
}

// everySize runs LLR-09 and records the results: no frame is dropped because of its size.
func everySize(t *trial) {
	b := t.bench(nil)
	for _, t.size = range allSizes() {
		came, lost := countersOf(b.B).RxOK, dropped(b.A)+dropped(b.B)
		s := t.stream(b, 1000)
		t.exact("B RX_OK", 1000, countersOf(b.B).RxOK-came)
		t.exact("frames that A or B has dropped", 0, dropped(b.A)+dropped(b.B)-lost)
		t.whole(s)
	}
}

// mixed runs LLR-10 and records the results: frames eligible for LLR alternate with ineligible frames (to a reserved
// group address), (a) over a clean wire, (b) over a wire that loses every 49th data frame.
func mixed(t *trial) {
	t.size = flushSize
	t.note = "(a) clean wire"
	eligible, ineligible, _ := t.mix(nil)
	t.exact("LLR-eligible frames lost", 0, eligible.Lost())
	t.exact("ineligible frames lost", 0, ineligible.Lost())
	micros := func(d time.Duration) float64 { return float64(d) / 1e3 }
	t.near("latency of ineligible frames, equal to that of LLR-eligible frames", "us",
		micros(eligible.Latency), micros(ineligible.Latency))
	t.note = "(b) every 49th data frame lost"
	lost := uint64(0) // ineligible frames (without a number) that the wire has dropped
	n := 0            // data frames on the wire so far
	eligible, ineligible, b := t.mix(func(f []byte) bool {
		if wire.EtherType(f) != wire.EtherTypeData {
			return true
		}
		if n++; n%49 != 0 {
			return true
		}
		if _, numbered := dataSeq(f); !numbered {
			lost++
		}
		return false
	})
	t.exact("LLR-eligible frames lost", 0, eligible.Lost())
	t.exact("LLR-eligible frames out of order", 0, eligible.Reordered)
	t.exact("ineligible frames lost, as many as the wire dropped", lost, ineligible.Lost())
	t.flag("A has replayed frames", true, countersOf(b.A).TxReplay > 0 && lost > 0)
}

// mix makes two ends and carries 2,000 eligible and 2,000 ineligible frames from A to B, at 1 Gb/s each. s is the
// script that handles each frame on the wire. It returns both streams with their counts.
func (t *trial) mix(s simulated.Script) (eligible, ineligible *simulated.Stream, b *simulated.Bench) {
	b = t.bench(nil)
	b.B.SetScript(s)
	stream := func(id uint8, reserved bool) *simulated.Stream {
		return &simulated.Stream{
			ID: id, From: b.A, To: b.B, Frames: 2000, Size: t.size, Reserved: reserved, Interval: float64(t.size * 8),
		}
	}
	eligible, ineligible = stream(0, false), stream(1, true)
	b.Carry(eligible, ineligible)
	return eligible, ineligible, b
}
