package simulated

import (
	"math"
	"slices"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/wire"
)

func up(t *testing.T, o Options) *Bench {
	t.Helper()
	b := New(o)
	if !b.Establish() {
		t.Fatalf("LLR does not come up: %+v", b.A.Link().LLR)
	}
	return b
}

func TestStreamCrossesBothWays(t *testing.T) {
	b := up(t, Defaults())
	forth := &Stream{ID: 1, From: b.A, To: b.B, Frames: 500, Size: 64}
	back := &Stream{ID: 2, From: b.B, To: b.A, Frames: 300, Size: 9216}
	b.Carry(forth, back)
	for _, s := range []*Stream{forth, back} {
		if s.Delivered != s.Frames || s.Lost() != 0 || s.Duplicated+s.Reordered+s.Damaged != 0 {
			t.Errorf("stream %d: %+v", s.ID, s)
		}
	}
	if got := b.B.Link().LLR.Counters.RxOK; got != 500 {
		t.Errorf("RX_OK %d", got)
	}
}

// The same options give the same numbers.
func TestBenchIsDeterministic(t *testing.T) {
	run := func() (wire.Time, time.Duration, uint64) {
		o := Defaults()
		o.Wire = fault.Config{Loss: 0.05, Corrupt: 0.02, Duplicate: 0.02, Reorder: 0.02, Delay: 3 * time.Microsecond}
		b := up(t, o)
		s := &Stream{From: b.A, To: b.B, Frames: 3000, Size: 300}
		b.Carry(s)
		if s.Delivered != s.Frames || s.Reordered+s.Duplicated+s.Damaged != 0 {
			t.Errorf("%+v", s)
		}
		return b.Now(), s.Latency, b.A.Link().LLR.Counters.TxOK
	}
	now, latency, sent := run()
	if n, l, k := run(); n != now || l != latency || k != sent {
		t.Errorf("once %d, %v, %d and once %d, %v, %d", now, latency, sent, n, l, k)
	}
}

// A wire with a rate carries frames at that rate, and each frame has the delay of the wire.
func TestWireHasRateAndDelay(t *testing.T) {
	o := Defaults()
	o.Wire = fault.Config{RateBPS: 1e9, Delay: 100 * time.Microsecond}
	b := up(t, o)
	bits := float64(wire.DataLen(1000-wire.FCSLen, true) * 8)
	s := &Stream{From: b.A, To: b.B, Frames: 2000, Size: 1000, Interval: bits}
	b.Carry(s)
	if got, want := s.FramesPerSecond(), 1e9/bits; math.Abs(got-want) > want/100 || s.Lost() > 0 {
		t.Errorf("%.0f frames a second, want %.0f; %d lost", got, want, s.Lost())
	}
	s = &Stream{From: b.A, To: b.B, Frames: 100, Size: 1000, Interval: 2 * bits}
	b.Carry(s)
	if want := 100*time.Microsecond + time.Duration(bits); s.Latency < want || s.Latency > want+10*time.Microsecond {
		t.Errorf("latency %v, want %v and a few steps", s.Latency, want)
	}
}

func TestScriptDecides(t *testing.T) {
	o := Defaults()
	o.Link.LLR.Local, o.Link.LLR.Remote, o.Link.FCS = false, false, false
	b := up(t, o)
	n := 0
	b.B.SetScript(func(f []byte) bool {
		if wire.EtherType(f) == wire.EtherTypeControl {
			return true
		}
		n++
		if n == 20 {
			f[len(f)-1] ^= 1
		}
		return n != 10
	})
	s := &Stream{From: b.A, To: b.B, Frames: 100, Size: 64}
	b.Carry(s)
	if s.Delivered != 98 || s.Damaged != 1 || s.Lost() != 2 {
		t.Errorf("delivered %d, damaged %d, lost %d", s.Delivered, s.Damaged, s.Lost())
	}
}

// A frame to a reserved address is not numbered.
func TestReservedStream(t *testing.T) {
	b := up(t, Defaults())
	s := &Stream{From: b.A, To: b.B, Frames: 100, Size: 128, Reserved: true}
	b.Carry(s)
	if c := b.A.Link().Counters; s.Delivered != 100 || c.TxBare != 100 {
		t.Errorf("delivered %d, sent bare %d", s.Delivered, c.TxBare)
	}
}

// A stream counts damaged, duplicated and reordered frames.
func TestStreamCounts(t *testing.T) {
	b := New(Defaults())
	s := &Stream{From: b.A, To: b.B, Frames: 4, Size: 64}
	s.begin(0)
	s.offer(0)
	for _, n := range []uint64{0, 2, 1, 2, 9} {
		s.receive(slices.Clone(s.frame(n)), 10)
	}
	if s.Delivered != 3 || s.Reordered != 1 || s.Duplicated != 1 || s.Damaged != 1 || s.Lost() != 1 {
		t.Errorf("%+v", s)
	}
	if sum := headerChecksum(s.frame(0)[wire.HeaderLen:][:ipv4Len]); sum != 0 {
		t.Errorf("IPv4 header checksum: the sum over it is %x", sum)
	}
}
