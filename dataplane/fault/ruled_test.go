package fault

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"uelink/dataplane/fault/rule"
	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/wire"
)

// newRuledBench returns a bench whose wire has rules, by slots of their own.
func newRuledBench(t testing.TB, c Config, slots int, rules ...string) (*bench, *rule.Wire) {
	g := frame.Geometry{ChunkSize: 2048, RX: 64, TX: 4 + slots}
	a, z := mem.NewPair(g, g, 64)
	b := &bench{t: t, host: mem.NewHost(a), into: make([]frame.Desc, 16)}
	b.dev = New(z, c, func() wire.Time { return b.now })
	w := rule.New(rule.Settings{Names: [2]string{"a", "b"}, Seed: 1})
	for _, text := range rules {
		r, err := rule.Parse(text, [2]string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Add(r, 0); err != nil {
			t.Fatal(err)
		}
	}
	b.dev.SetRules(w, 0, slots)
	return b, w
}

func TestRulesActBeforeChance(t *testing.T) {
	b, w := newRuledBench(t, Config{}, 8, "octets=7:02 drop", "octets=7:05 duplicate=2",
		"octets=7:07 hold=1ms", "octets=7:08 reorder=1")
	b.send(10)
	want := []uint64{0, 1, 3, 4, 5, 5, 5, 6, 9, 8, 7}
	if got := b.drain(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	c := b.dev.Counters()
	if c != (Counters{Forwarded: 11, Dropped: 1, Made: 2}) || w.Waiting() != 0 {
		t.Errorf("%+v, %d wait", c, w.Waiting())
	}
	b.allFree()
}

// slowDevice is a device on whose bench time passes before a frame is received.
type slowDevice struct {
	frame.Device
	bench *bench
}

func (d slowDevice) Receive(into []frame.Desc) int {
	d.bench.now += wire.Time(time.Millisecond)
	return d.Device.Receive(into)
}

// A frame that arrives after the wire has read its clock stays its whole time, and a frame without a delay leaves at
// once.
func TestTimeOnTheWireCountsFromTheArrival(t *testing.T) {
	const stay = 5 * time.Millisecond
	for _, c := range []struct {
		name string
		Config
		rules []string
		stay  time.Duration
	}{
		{name: "hold", rules: []string{"octets=7:00 hold=5ms"}, stay: stay},
		{name: "delay", Config: Config{Delay: stay}, stay: stay},
		{name: "none", rules: []string{"octets=7:00 count"}},
	} {
		b, _ := newRuledBench(t, c.Config, 8, c.rules...)
		b.dev.Device = slowDevice{b.dev.Device, b}
		b.send(1)
		got, _ := b.take(false)
		arrived := b.now
		if len(got) == 0 {
			b.now = b.dev.Next()
			got, _ = b.take(false)
		}
		left := b.now - wire.Time(time.Millisecond) // the clock of the wire, before it has received again
		if c.stay == 0 {
			left = b.now
		}
		if len(got) != 1 || left.Sub(arrived) != c.stay {
			t.Errorf("%s: %d frames left after %v, want one after %v", c.name, len(got), left.Sub(arrived), c.stay)
		}
		b.allFree()
	}
}

// Frames arrive or are counted, whatever rules and chance do to them, and every chunk comes back.
func TestRulesAndChanceKeepCount(t *testing.T) {
	for _, c := range []Config{{}, {Loss: 0.1, Duplicate: 0.1, Reorder: 0.1, Delay: 3 * time.Microsecond, Seed: 3}} {
		b, w := newRuledBench(t, c, 3, "p=5% drop", "p=5% duplicate=3", "p=5% hold=5us", "p=5% reorder=2",
			"p=5% replay=2", "p=5% corrupt=20:01")
		handed := uint64(0)
		for b.sent < 20_000 {
			b.send(5)
			b.now += 1000
			handed += uint64(len(b.drain()))
		}
		n := b.dev.Counters()
		if w.Waiting() != 0 || n.Made == 0 || handed != n.Forwarded ||
			b.sent+n.Made+n.Duplicated != n.Forwarded+n.Dropped+n.Overrun {
			t.Errorf("%d sent, %d handed out, %+v, %d wait", b.sent, handed, n, w.Waiting())
		}
		for _, s := range w.Statuses(b.now) {
			if err := w.Delete(s.ID, b.now); err != nil {
				t.Error(err)
			}
		}
		b.allFree()
	}
}

func TestRuledDeviceAllocatesNothing(t *testing.T) {
	b, _ := newRuledBench(t, Config{}, 8, "every=3 duplicate", "every=4 hold=1us", "every=5 corrupt", "every=7 drop")
	var octets [64]byte
	if n := testing.AllocsPerRun(500, func() {
		for i := range 10 {
			binary.BigEndian.PutUint64(octets[:], uint64(i))
			b.host.Send(octets[:])
		}
		for range 4 {
			b.dev.Recycle(b.into[:b.dev.Receive(b.into)])
			b.now += 1000
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
