package xsk

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/dataplane/attach"
)

func TestGuard(t *testing.T) {
	const mtu, limit = 1500, 1518
	type look struct {
		sight   Sight
		longest int
		reason  string // part of it
		lost    string // part of it
		dropped uint64
		slow    bool
	}
	for _, c := range []struct {
		name  string
		looks []look
	}{
		{"all is well", []look{
			{sight: Sight{LiveBefore: 500, Dropped: 70}, longest: limit}, // counts of before
			{sight: Sight{Look: 1, LiveBefore: 50500, Sent: 50000, Dropped: 80}, longest: limit,
				dropped: 10},
			// dropped by AF_XDP
			{sight: Sight{Look: 2, LiveBefore: 50500, Sent: 50500, Dropped: 99}, longest: limit},
		}},
		{"dropped", []look{
			{sight: Sight{}, longest: limit},
			{sight: Sight{Look: 1, LiveBefore: 1000, Sent: 998, Dropped: 2}, reason: "no room",
				lost: "2 of 1000", dropped: 2},
			{sight: Sight{Look: 40, LiveBefore: 1000, Sent: 999, Dropped: 2}, reason: "no room"},
			{sight: Sight{Look: 41, LiveBefore: 1000, Sent: 999, Dropped: 2}, longest: limit},
		}},
		{"lost without a count", []look{
			{sight: Sight{}, longest: limit},
			{sight: Sight{Look: 1, LiveBefore: 10000, Sent: 100}, reason: "sent only 100",
				lost: "10000 live frames"},
		}},
		{"the CPU is away at the first look, after the counters are read", []look{
			{sight: Sight{LiveBefore: 100, LiveAfter: 9000, Sent: 9000}, longest: limit},
			{sight: Sight{Look: 1, LiveBefore: 26000, Sent: 26000}, longest: limit},
		}},
		{"the CPU is away at the second look, after the counters are read", []look{
			{sight: Sight{LiveBefore: 100, Sent: 100}, longest: limit},
			{sight: Sight{Look: 1, LiveBefore: 10100, LiveAfter: 30000, Sent: 30000, Dropped: 20},
				longest: limit, dropped: 20},
			{sight: Sight{Look: 2, LiveBefore: 50000, Sent: 31000, Dropped: 20}, reason: "sent only 1000",
				lost: "of 20000"},
		}},
		{"refused by the kernel", []look{
			{sight: Sight{Stopped: &LiveStop{Err: unix.EPERM}}, reason: "not permitted", lost: "not permitted"},
		}},
		{"slow", []look{
			{sight: Sight{Stopped: &LiveStop{Took: slowCall}}, reason: "dispatcher", slow: true},
			{sight: Sight{Look: guardPause}, longest: limit},
		}},
		{"refused by the interface", []look{
			{sight: Sight{Refused: "no program"}, reason: "no program"},
			{sight: Sight{Look: 1}, longest: limit},
		}},
		{"counters begin again", []look{
			{sight: Sight{LiveBefore: 9000, Sent: 9000, Dropped: 50}, longest: limit},
			{sight: Sight{Look: 1, LiveBefore: 100, Sent: 100}, longest: limit},
		}},
	} {
		var g Guard
		for i, l := range c.looks {
			l.sight.MTU = mtu
			l.sight.LiveAfter = max(l.sight.LiveAfter, l.sight.LiveBefore)
			v := g.Look(l.sight)
			if v.Longest != l.longest || v.Dropped != l.dropped || v.Slow != l.slow ||
				!strings.Contains(v.Why, l.reason) || (v.Why == "") != (l.reason == "") ||
				!strings.Contains(v.Lost, l.lost) || (v.Lost == "") != (l.lost == "") {
				t.Errorf("%s, look %d: %+v, want %+v", c.name, i, v, l)
			}
		}
	}
	var g Guard
	g.Look(Sight{MTU: mtu, Stopped: &LiveStop{Took: slowCall}})
	g.Resume()
	if v := g.Look(Sight{Look: 1, MTU: mtu}); v.Longest != limit {
		t.Errorf("after Resume: %+v", v)
	}
}

// Each loss that follows soon after a pause makes the next pause twice as long; a minute without a loss makes it short
// again.
func TestGuardPausesLonger(t *testing.T) {
	var g Guard
	sight := Sight{MTU: 1500}
	g.Look(sight)
	for i, want := range []string{"the next 10 s", "the next 20 s", "the next 40 s", "the next 80 s", "the next 160 s",
		"the next 320 s", "the next 600 s", "the next 600 s", "the next 10 s"} {
		sight.Look, sight.LiveAfter, sight.Dropped = g.until, sight.LiveAfter+1000, sight.Dropped+100
		if i == 8 {
			sight.Look += pardon
		}
		if v := g.Look(sight); !strings.HasSuffix(v.Lost, want) {
			t.Errorf("loss %d: %q, want %q", i, v.Lost, want)
		}
	}
}

func TestPathWords(t *testing.T) {
	for p, want := range []string{"auto", "af_xdp", "live", "?"} {
		if got, _ := attach.Path(p).MarshalText(); string(got) != want {
			t.Errorf("path %d is %q, want %q", p, got, want)
		}
	}
}
