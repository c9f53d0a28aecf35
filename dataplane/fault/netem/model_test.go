package netem

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"uelink/wire"
)

const frames = 100_000

// model returns the model of words.
func model(t *testing.T, words string) *Model {
	t.Helper()
	s, err := Parse(words, noFile)
	if err != nil {
		t.Fatal(err)
	}
	return NewModel(s, 42)
}

// near fails unless a measured value is within 5 standard errors of the wanted one.
func near(t *testing.T, what string, got, want, sigma float64) {
	t.Helper()
	if math.Abs(got-want) > 5*sigma {
		t.Errorf("%s: %.6g, want %.6g, with a standard error of %.3g", what, got, want, sigma)
	}
}

// moments returns mean, standard deviation and correlation with the value before.
func moments(v []float64) (mean, deviation, correlation float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	var own, next float64
	for i, x := range v {
		own += (x - mean) * (x - mean)
		if i > 0 {
			next += (x - mean) * (v[i-1] - mean)
		}
	}
	return mean, math.Sqrt(own / float64(len(v))), next / own
}

// Shares without correlation are those asked for.
func TestShares(t *testing.T) {
	for _, p := range []float64{0, 1e-9, 0.1, 1, 25, 100} {
		s := percent(p)
		m := NewModel(Spec{Loss: Loss{Random: Chance{P: s}}, Limit: 1}, 1)
		d := NewModel(Spec{Duplicate: Chance{P: s}, Limit: 1}, 2)
		c := NewModel(Spec{Corrupt: Chance{P: s}, Limit: 1}, 3)
		var lost, twice, damaged float64
		for range frames {
			lost += float64(1 - m.Next(false).N)
			twice += float64(d.Next(false).N - 1)
			if c.Next(false).Copies[0].Corrupt {
				damaged++
			}
		}
		sigma := math.Sqrt(p / 100 * (1 - p/100) * frames)
		near(t, "lost", lost, p/100*frames, sigma)
		near(t, "twice", twice, p/100*frames, sigma)
		near(t, "damaged", damaged, p/100*frames, sigma)
	}
}

// A correlated number is a moving mean of uniform ones (get_crandom): its mean stays, its deviation shrinks by
// sqrt((1-r)/(1+r)), and neighbours have the correlation r.
func TestCorrelation(t *testing.T) {
	for _, r := range []float64{0, 0.25, 0.5, 0.9} {
		m := NewModel(Spec{}, 7)
		c := chance{Chance: Chance{Correlation: ShareOf(r)}}
		v := make([]float64, frames)
		for i := range v {
			v[i] = float64(m.correlated(&c)) / math.MaxUint32
		}
		mean, deviation, correlation := moments(v[100:])
		stretch := math.Sqrt((1 + r) / (1 - r)) // fewer independent values
		want := math.Sqrt((1 - r) / (1 + r) / 12)
		near(t, "mean", mean, 0.5, want*stretch/math.Sqrt(frames))
		near(t, "deviation", deviation, want, want*stretch/math.Sqrt(2*frames))
		near(t, "correlation", correlation, r, math.Sqrt((1-r*r+1e-9)/frames))
	}
}

// Losses with a correlation are as many as the moving mean has values below the share: by a second implementation of
// the formula, in floating point and with another source of random numbers.
func TestCorrelatedLoss(t *testing.T) {
	const p, r, n = 0.1, 0.25, 4_000_000
	x, last, want := uint64(9), 0.5, 0.0
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		last = float64(x>>11)/(1<<53)*(1-r) + last*r
		if last < p {
			want++
		}
	}
	m, lost := model(t, "loss 10% 25%"), 0.0
	for range frames {
		lost += float64(1 - m.Next(false).N)
	}
	near(t, "lost", lost/frames, want/n, math.Sqrt(want/n*2/frames))
	if want/n > 0.09 {
		t.Errorf("the formula loses %v: a correlation makes a small share smaller", want/n)
	}
}

// A delay has the mean and the deviation of its distribution. As in netem, a correlation of delays does not show: the
// correlated number is taken modulo the width of the jitter, or the size of the table, and so is as good as new.
func TestDelays(t *testing.T) {
	for _, words := range []string{"delay 10ms", "delay 10ms 3ms", "delay 10ms 3ms 25%", "delay 10s 10s",
		"delay 10ms 3ms distribution uniform", "delay 10ms 3ms distribution normal", "delay 10ms 3ms distribution pareto",
		"delay 10ms 3ms 25% distribution paretonormal", "delay 10ms 3.000001ms distribution normal"} {
		m := model(t, words)
		v := make([]float64, frames)
		for i := range v {
			v[i] = m.Next(false).Copies[0].Delay.Seconds() * 1000
		}
		mean, deviation, correlation := moments(v)
		latency, jitter := m.spec.Latency.Seconds()*1000, m.spec.Jitter.Seconds()*1000
		wantMean, wantDeviation := latency, jitter/math.Sqrt(3)
		if m.spec.Table != nil {
			table := make([]float64, len(m.spec.Table))
			for i, n := range m.spec.Table {
				table[i] = float64(n) / scale
			}
			offset, width, _ := moments(table)
			wantMean, wantDeviation = latency+offset*jitter, width*jitter
		}
		near(t, words+": mean", mean, wantMean, wantDeviation/math.Sqrt(frames)+1e-6)
		near(t, words+": deviation", deviation, wantDeviation, 2*wantDeviation/math.Sqrt(frames)+1e-6)
		if jitter > 0 {
			near(t, words+": correlation", correlation, 0, 1/math.Sqrt(frames))
		}
	}
}

// The share of lost frames and the mean length of bursts are those of the models' stationary states.
func TestLossModels(t *testing.T) {
	const p, r, h, k = 0.02, 0.2, 0.3, 0.01
	lost, _ := losses(model(t, "loss gemodel 2% 20% 70% 1%"))
	near(t, "gemodel: lost", lost, (1-h)*p/(p+r)+k*r/(p+r), math.Sqrt(lost*10/frames))
	lost, bursts := losses(model(t, "loss gemodel 2% 20%"))
	near(t, "gemodel: lost", lost, p/(p+r), math.Sqrt(lost*10/frames))
	near(t, "gemodel: mean burst", lost*frames/bursts, 1/r, 1/r/math.Sqrt(bursts))
	lost, bursts = losses(model(t, "loss gemodel 2%"))
	near(t, "gemodel p: lost", lost, p, math.Sqrt(p/frames))
	near(t, "gemodel p: mean burst", lost*frames/bursts, 1/(1-p), 1/math.Sqrt(bursts))

	const p13, p31, p32, p23, p14 = 0.02, 0.3, 0.1, 0.4, 0.01
	lost, _ = losses(model(t, "loss state 2% 30% 10% 40% 1%"))
	three := p13 / p31 // in units of the time in state 1
	two, four := three*p32/p23, p14
	near(t, "state: lost", lost, (three+four)/(1+two+three+four), math.Sqrt(lost*6/frames))
	lost, bursts = losses(model(t, "loss state 2%"))
	near(t, "state p13: lost", lost, p13, math.Sqrt(p13/frames))
	near(t, "state p13: mean burst", lost*frames/bursts, 1/(1-p13), 1/math.Sqrt(bursts))
}

// losses returns the share of lost frames, and how many bursts there were.
func losses(m *Model) (share, bursts float64) {
	before := false
	for range frames {
		lost := m.Next(false).N == 0
		if lost {
			share += 1.0 / frames
			if !before {
				bursts++
			}
		}
		before = lost
	}
	return share, bursts
}

// With a gap of n, at least n-1 frames with a delay are between two without; then each may be the next one.
func TestReorderAndGap(t *testing.T) {
	const p = 0.25
	for words, gap := range map[string]float64{"delay 1ms reorder 25%": 1, "delay 1ms reorder 25% gap 5": 5} {
		m := model(t, words)
		last, n, least := -1, 0.0, frames
		for i := range frames {
			if c := m.Next(false).Copies[0]; c.Ahead {
				if last >= 0 {
					least = min(least, i-last)
				}
				last = i
				n++
			} else if c.Delay != time.Millisecond {
				t.Fatalf("delay %v", c.Delay)
			}
		}
		distance := gap - 1 + 1/p
		near(t, words+": distance", frames/n, distance, math.Sqrt(1-p)/p/math.Sqrt(n))
		if least != int(gap) {
			t.Errorf("%s: the least distance is %d", words, least)
		}
	}
}

// A frame that is lost and doubled arrives once; a duplicate is lost by a chance of its own.
func TestDuplicatesHaveTheirOwnFate(t *testing.T) {
	m := model(t, "loss 20% duplicate 30%")
	var n [3]float64
	for range frames {
		n[m.Next(false).N]++
	}
	near(t, "none", n[0]/frames, 0.2*0.7, math.Sqrt(0.14/frames))
	near(t, "two", n[2]/frames, 0.8*0.3*0.8, math.Sqrt(0.192/frames))
}

func TestSameSeedSameFates(t *testing.T) {
	const words = "loss 1% 25% delay 10ms 3ms 25% distribution normal reorder 25% 50% gap 5 duplicate 1% corrupt 0.1%"
	a, b := model(t, words), model(t, words)
	other, differ := NewModel(a.spec, 43), 0
	for i := range frames {
		x := a.Next(false)
		if y := b.Next(false); x != y {
			t.Fatalf("frame %d: %+v and %+v", i, x, y)
		}
		if other.Next(false) != x {
			differ++
		}
	}
	if differ < frames/2 {
		t.Errorf("another seed differs in only %d fates", differ)
	}
}

// The computed tables are those of tc, where tc is installed.
func TestTablesAreThoseOfTC(t *testing.T) {
	dirs, _ := filepath.Glob("/usr/lib/*/tc")
	for _, name := range []string{"normal", "pareto", "paretonormal"} {
		table, _ := Distribution(name)
		for _, dir := range append(dirs, "/usr/lib/tc") {
			text, err := os.ReadFile(filepath.Join(dir, name+".dist"))
			if err != nil {
				continue
			}
			want, err := ParseTable(string(text))
			if err != nil || len(want) != len(table) {
				t.Fatalf("%s: %d numbers, %v", name, len(want), err)
			}
			for i := range want {
				if d := int(want[i]) - int(table[i]); d < -1 || d > 1 {
					t.Errorf("%s: number %d is %d, want %d", name, i, table[i], want[i])
				}
			}
		}
	}
	for _, text := range []string{"", "# only this\n", "1 2 x", "40000"} {
		if table, err := ParseTable(text); err == nil {
			t.Errorf("%q: %v", text, table)
		}
	}
}

func TestQueueOrdersByTime(t *testing.T) {
	q := NewQueue[int](Spec{Limit: 9}, 1, 5)
	for i, delay := range []time.Duration{30, 10, 20, 10} {
		q.Put(i, 60, Copy{Delay: delay}, 100)
	}
	if !q.Put(4, 60, Copy{Ahead: true}, 100) || q.Put(5, 60, Copy{}, 100) {
		t.Error("a queue of 5 takes 5 frames")
	}
	var got []int
	overtaken := 0
	for now := wire.Time(100); q.Len() > 0; now++ {
		if frame, late, ok := q.Take(now); ok {
			if late {
				overtaken++
			}
			got = append(got, frame)
			if q.Next() <= now {
				now--
			}
		}
	}
	if !slices.Equal(got, []int{4, 1, 3, 2, 0}) || overtaken != 4 || q.Next() != wire.Never {
		t.Errorf("left in the order %v", got)
	}
}

// At a rate, frames leave one after the other; the wait for the line is part of a frame's delay.
func TestQueueAtARate(t *testing.T) {
	q := NewQueue[int](Spec{Limit: 10, Rate: Rate{BPS: 8_000_000}}, 1, 10) // an octet each microsecond
	for i := range 3 {
		q.Put(i, 1000, Copy{Delay: 500 * time.Microsecond}, 0)
	}
	for i, due := range []time.Duration{1500 * time.Microsecond, 2500 * time.Microsecond, 3500 * time.Microsecond} {
		if at := q.Next(); at != wire.Time(due) {
			t.Errorf("frame %d leaves after %v, want %v", i, time.Duration(at), due)
		}
		q.Take(q.Next())
	}
	inCells := Rate{BPS: 8_000_000, PacketOverhead: 1, CellSize: 48, CellOverhead: 5}
	cells := NewQueue[int](Spec{Limit: 10, Rate: inCells}, 1, 10)
	cells.Put(0, 96, Copy{}, 0) // three cells
	if at := cells.Next(); at != wire.Time(3*53*time.Microsecond) {
		t.Errorf("three cells take %v", time.Duration(at))
	}
	cells.Put(1, 96, Copy{Ahead: true}, 0)
	cells.Take(0)
	if at := cells.Next(); at != wire.Time(3*53*time.Microsecond) {
		t.Errorf("a reordered frame has moved the others to %v", time.Duration(at))
	}
}

func TestNothingIsAllocated(t *testing.T) {
	m := model(t, "loss 1% 25% delay 1ms 3ms 25% distribution normal reorder 25% 50% gap 5 duplicate 1% rate 1gbit")
	q, now := NewQueue[int](m.spec, 1, 100), wire.Time(0)
	if n := testing.AllocsPerRun(1000, func() {
		f := m.Next(false)
		for _, c := range f.Copies[:f.N] {
			q.Put(1, 60, c, now)
		}
		now += 100_000
		for ok := true; ok; _, _, ok = q.Take(now) {
		}
	}); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}
