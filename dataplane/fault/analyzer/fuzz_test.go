package analyzer

import (
	"testing"

	"uelink/wire"
)

// FuzzFrames has the analyzer see frames that are not what they say, lost ones, and answers to nothing. It must not
// panic, and its gauges must fit its counts.
func FuzzFrames(f *testing.F) {
	for _, frame := range [][]byte{data(1), ack(1), nack(1, 1), micropackets(3, 1, 2), {0}} {
		f.Add(frame, uint32(7), []byte{0, 1, 2, 3, 4, 5})
	}
	f.Fuzz(func(t *testing.T, frame []byte, seq uint32, script []byte) {
		a := New(Settings{})
		now := wire.Time(0)
		for _, step := range script[:min(len(script), 64)] {
			now += wire.Time(step)
			way := int(step >> 7)
			x := frame
			switch step >> 4 & 7 {
			case 0:
				x = data((seq + uint32(step&15)) & wire.SeqMask)
			case 1:
				x = ack((seq + uint32(step&15)) & wire.SeqMask)
			case 2:
				x = nack((seq+uint32(step&15))&wire.SeqMask, step&3)
			case 3:
				x = micropackets(uint8(seq), uint8(step), uint8(step)+1)
			case 4:
				x = control(wire.CtlOS{Type: wire.LLRInit, Seq: seq & wire.SeqMask, InitData: [2]byte{step, 0}})
			}
			switch step & 3 {
			case 0, 3:
				a.Arrived(way, x, now)
			case 1:
				a.Lost(way, x, now)
			}
			if step&3 >= 2 {
				a.Left(way, x, now)
			}
		}
		for _, w := range a.Report().Ways {
			if c := w.LLR; c.Unrepaired > c.Lost+c.Skipped || w.LLR.LostToGood.Count > c.Lost+c.Skipped ||
				c.FalseNacks > c.Nacks {
				t.Errorf("%+v", c.Counts)
			}
		}
	})
}

// TestNoAllocations shows that a frame allocates nothing.
func TestNoAllocations(t *testing.T) {
	b := newBed(t)
	seq, frames := uint32(0), [][]byte{data(0), ack(0), nack(0, 1), micropackets(3, 1, 2)}
	if n := testing.AllocsPerRun(100, func() {
		for way := range 2 {
			for _, f := range frames {
				b.now += 10
				b.Arrived(way, f, b.now)
				b.Lost(way, f, b.now)
				b.Left(way, f, b.now)
			}
		}
		b.Round(5)
		seq++
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkData(b *testing.B) {
	a, f := New(Settings{}), data(0)
	p := wire.Preamble{Sequenced: true, FCS: true}
	for i := range b.N {
		p.Seq = uint32(i) & wire.SeqMask
		wire.PutPreamble(f[wire.HeaderLen:], wire.DialectSeed, p)
		wire.PutFCS(f, 0)
		a.Arrived(0, f, wire.Time(i))
		a.Left(0, f, wire.Time(i))
	}
}
