package cable

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"uelink/dataplane/fault"
)

var modes = []string{ModeKernel, ModeUser}

// arrived sorts received frames: the numbers of intact frames in their order, and the number of damaged frames.
func arrived(frames [][]byte, longest int) (numbers []uint64, damaged uint64) {
	for _, f := range frames {
		if n := number(f); n < 1<<32 && bytes.Equal(f, numbered(n, longest)) {
			numbers = append(numbers, n)
		} else {
			damaged++
		}
	}
	return numbers, damaged
}

func number(frame []byte) uint64 {
	if len(frame) < 22 {
		return math.MaxUint64
	}
	return binary.BigEndian.Uint64(frame[14:])
}

func TestCleanWirePassesEverythingInOrder(t *testing.T) {
	const n, longest = 3000, 9000 + 14
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t, 9000)
			c, stop := b.plug(Config{Mode: mode})
			for from := range 2 {
				b.blast(c, from, n, longest)
			}
			stop()
			for to := range 2 {
				numbers, damaged := arrived(b.hosts[to].receive(n), longest)
				if len(numbers) != n || !slices.IsSorted(numbers) || damaged > 0 {
					t.Errorf("to host %d: %d frames, sorted %v, %d damaged", to, len(numbers), slices.IsSorted(numbers), damaged)
				}
			}
			for _, d := range report(t, c).Directions {
				if d.Counters != (fault.Counters{Forwarded: n}) {
					t.Errorf("%s to %s: %+v", d.From, d.To, d.Counters)
				}
			}
		})
	}
}

// No bridge forwards frames to the nearest bridge (LLDP, control frames); a cable does.
func TestLLDPAndControlFramesCross(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t, 1500)
			_, stop := b.plug(Config{Mode: mode})
			var sent [][]byte
			for _, etherType := range []uint16{0x88CC, 0x88B6, 0x88B5, 0x0800, 0x0026} {
				f := numbered(0, 60)
				copy(f, []byte{0x01, 0x80, 0xC2, 0, 0, 0x0E})
				binary.BigEndian.PutUint16(f[12:], etherType)
				sent = append(sent, f)
				b.hosts[0].send(f)
			}
			got := b.hosts[1].receive(uint64(len(sent)))
			stop()
			if !slices.EqualFunc(got, sent, bytes.Equal) {
				t.Errorf("sent %x\ngot  %x", sent, got)
			}
		})
	}
}

func TestLossAndCorruptionAreAsAskedAndAsCounted(t *testing.T) {
	const n, longest = 20_000, 200
	for _, mode := range modes {
		for name, f := range map[string]fault.Config{
			"loss":       {Loss: 0.05, Seed: 1},
			"bursts":     {Loss: 0.05, Burst: 8, Seed: 2},
			"corruption": {Corrupt: 0.05, Seed: 3},
			"both":       {Loss: 0.02, Corrupt: 0.02, Seed: 4},
		} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				b := newBench(t, 1500)
				c, stop := b.plug(Config{Mode: mode, Fault: f})
				b.blast(c, 0, n, longest)
				stop()
				d := report(t, c).Directions[0].Counters
				numbers, damaged := arrived(b.hosts[1].receive(d.Forwarded), longest)
				want := fault.Counters{Forwarded: uint64(len(numbers)) + damaged, Corrupted: damaged}
				want.Dropped = n - want.Forwarded
				if d != want || !slices.IsSorted(numbers) {
					t.Errorf("counted %+v\nseen    %+v, sorted %v", d, want, slices.IsSorted(numbers))
				}
				burst := max(1, f.Burst)
				near(t, "dropped", d.Dropped, n, f.Loss, 2*burst)
				near(t, "corrupted", d.Corrupted, d.Forwarded, f.Corrupt, 1)
				if other := report(t, c).Directions[1].Counters; other != (fault.Counters{}) {
					t.Errorf("the other way: %+v", other)
				}
			})
		}
	}
}

// near fails unless a count is within 5 standard deviations, stretched by the
// dependence of events that come in bursts.
func near(t *testing.T, name string, count, n uint64, p, dependence float64) {
	t.Helper()
	mean := float64(n) * p
	if sigma := math.Sqrt(mean * (1 - p) * dependence); math.Abs(float64(count)-mean) > 5*sigma {
		t.Errorf("%s: %d of %d, want about %.0f", name, count, n, mean)
	}
}

func TestUserSpaceFaultsAreAsCounted(t *testing.T) {
	const n, longest = 10_000, 200
	b := newBench(t, 1500)
	f := fault.Config{Loss: 0.02, Duplicate: 0.03, Reorder: 0.03, Delay: 200 * time.Microsecond,
		Jitter: 100 * time.Microsecond, Seed: 5}
	c, stop := b.plug(Config{Fault: f})
	b.blast(c, 1, n, longest)
	stop()
	d := report(t, c).Directions[1].Counters
	numbers, damaged := arrived(b.hosts[0].receive(d.Forwarded), longest)
	seen, twice, late, highest := map[uint64]bool{}, uint64(0), uint64(0), uint64(0)
	for _, number := range numbers {
		switch {
		case seen[number]:
			twice++
		case number < highest:
			late++
		}
		seen[number] = true
		highest = max(highest, number)
	}
	want := fault.Counters{Forwarded: uint64(len(numbers)), Dropped: n - uint64(len(seen)), Duplicated: twice,
		Reordered: d.Reordered}
	if d != want || damaged > 0 {
		t.Errorf("counted %+v\nseen    %+v, %d damaged", d, want, damaged)
	}
	near(t, "dropped", d.Dropped, n, f.Loss, 1)
	near(t, "duplicated", d.Duplicated, n, f.Duplicate, 1)
	if late == 0 || d.Reordered < late { // one overtaken only by another that was held back is not seen as late
		t.Errorf("%d reordered, %d seen late", d.Reordered, late)
	}
	if r := report(t, c); r.Mode != ModeUser || r.XDPMode != "driver" {
		t.Errorf("report %+v", r)
	}
}

func TestDelayIsFelt(t *testing.T) {
	b := newBench(t, 1500)
	b.plug(Config{Fault: fault.Config{Delay: 30 * time.Millisecond}})
	began := time.Now()
	b.hosts[0].send(numbered(0, 60))
	if got := b.hosts[1].receive(1); len(got) != 1 {
		t.Fatalf("%d frames", len(got))
	}
	if took := time.Since(began); took < 30*time.Millisecond {
		t.Errorf("the frame took %v", took)
	}
}

// A veth whose peer cannot take redirected frames loses them: that is counted.
func TestKernelCountsWhatThePeerDidNotTake(t *testing.T) {
	b := newBench(t, 1500)
	c, _ := b.plug(Config{Mode: ModeKernel})
	b.blast(c, 0, 100, 60)
	must(t, b.hosts[1].ns.SetLink("host1", false))
	b.blast(c, 0, 50, 60)
	d := report(t, c).Directions[0].Counters
	if d != (fault.Counters{Forwarded: 100, Overrun: 50}) {
		t.Errorf("counted %+v", d)
	}
}

// Both ends are as they were when Run has returned, and stay so when the cable is closed.
func TestInterfacesArePutBack(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t, 1500)
			_, stop := b.plug(Config{Mode: mode})
			for _, ifname := range []string{"a", "b"} {
				if program, promiscuity := b.taken(ifname); !program || promiscuity != 1 {
					t.Errorf("%s: program %v, promiscuity %d", ifname, program, promiscuity)
				}
			}
			stop()
			b.clean()
		})
	}
}

func TestLinkDownAndUp(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t, 1500)
			b.plug(Config{Mode: mode})
			must(t, b.middle.SetLink("b", false))
			for i := range 100 {
				b.hosts[0].send(numbered(uint64(i), 60))
			}
			must(t, b.middle.SetLink("b", true))
			eventually(t, "frames to cross again", func() bool {
				b.hosts[0].send(numbered(1000, 60))
				return slices.ContainsFunc(b.hosts[1].receive(0), func(f []byte) bool { return number(f) == 1000 })
			})
		})
	}
}
