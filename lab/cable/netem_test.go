package cable

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/fault/netem"
)

// words returns the faults of netem's words.
func words(t *testing.T, text string) fault.Config {
	t.Helper()
	s, err := netem.Parse(text, readDistribution)
	must(t, err)
	return fault.Config{Netem: &s, Seed: 11}
}

func TestNetemOnARealWire(t *testing.T) {
	const n, longest = 10_000, 200
	b := newBench(t, 1500)
	c, stop := b.plug(Config{Fault: words(t, "loss 5% 25% delay 1ms 300us distribution normal duplicate 5%")})
	b.blast(c, 0, n, longest)
	stop()
	d := report(t, c).Directions[0].Counters
	numbers, damaged := arrived(b.hosts[1].receive(d.Forwarded), longest)
	seen := map[uint64]bool{}
	for _, number := range numbers {
		seen[number] = true
	}
	if d.Forwarded != uint64(len(numbers)) || d.Dropped != n-uint64(len(seen)) || damaged > 0 || d.Reordered == 0 ||
		slices.IsSorted(numbers) {
		t.Errorf("counted %+v, seen %d, %d different, %d damaged", d, len(numbers), len(seen), damaged)
	}
	near(t, "duplicated", d.Duplicated, n, 0.05, 1)
}

// Frames take as long as the rate says, or longer on a busy machine.
func TestRateOnARealWire(t *testing.T) {
	for _, c := range []fault.Config{{RateBPS: 10_000_000}, words(t, "rate 10mbit")} {
		const size, n = 1250, 300 // 300 ms
		b := newBench(t, 1500)
		cable, _ := b.plug(Config{Fault: c})
		for range n {
			b.hosts[0].send(make([]byte, size))
		}
		first := len(b.hosts[1].receive(1))
		began := time.Now()
		b.hosts[1].receive(uint64(n - first))
		if took, want := time.Since(began), time.Duration(n-first)*time.Millisecond; took < want*9/10 {
			t.Errorf("%d frames took %v, want %v", n-first, took, want)
		}
		eventually(t, "all frames to be counted", func() bool {
			d := report(t, cable).Directions[0]
			return d.Counters == fault.Counters{Forwarded: n} && d.Octets == n*size
		})
	}
}

func TestWatchShowsATable(t *testing.T) {
	b := newBench(t, 1500)
	file := filepath.Join(t.TempDir(), "cable.prom")
	p := b.start("--watch --stats-interval 20ms --metrics " + file + " a b")
	for !strings.Contains(p.line(t), "frames/s") {
	}
	for i := range 50 {
		b.hosts[0].send(numbered(uint64(i), 60))
	}
	b.hosts[1].receive(50)
	eventually(t, "the metrics", func() bool {
		text, err := os.ReadFile(file)
		return err == nil && bytes.Contains(text, []byte(
			`uelink_cable_frames_total{from="a",to="b",fate="forwarded"} 50`)) &&
			bytes.Contains(text, []byte("uelink_cable_octets_total{from=\"a\",to=\"b\"} 3"))
	})
	must(t, p.Process.Signal(os.Interrupt))
	must(t, p.Wait())
	if strings.Count(p.out.String(), "forwarded") != 1 {
		t.Errorf("said %q", p.out.String())
	}
	err := writeMetrics(filepath.Join(file, "x"), Report{})
	if err == nil || !strings.HasPrefix(err.Error(), "metrics: ") {
		t.Error(err)
	}
}
