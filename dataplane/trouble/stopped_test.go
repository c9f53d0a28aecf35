package trouble

import (
	"slices"
	"testing"
	"time"
)

// A NIC is started anew once if what waits does not leave it, and again only after something has left.
func TestDepartures(t *testing.T) {
	type check struct {
		waiting  int
		departed uint64
		stands   bool
	}
	// many is the checks until one before the last; the first of them sees how many have departed.
	repeat := func(waiting int, departed uint64) []check {
		return slices.Repeat([]check{{waiting: waiting, departed: departed}}, stillChecks)
	}
	for name, checks := range map[string][]check{
		"nothing waits": append(repeat(0, 7), repeat(0, 7)...),
		"all leave": {{1, 1, false}, {1, 2, false}, {1, 3, false}, {1, 4, false}, {1, 5, false}, {1, 6, false},
			{1, 7, false}},
		"none leaves":        append(repeat(3, 7), check{3, 7, true}, check{3, 7, false}, check{70, 7, false}),
		"one leaves in time": append(append(repeat(3, 7), check{3, 8, false}), repeat(3, 8)[1:]...),
		"and stands again": append(append(repeat(3, 7), check{3, 7, true}, check{3, 8, false}),
			append(repeat(3, 8)[1:], check{3, 8, true})...),
		"away meanwhile": append(append(repeat(3, 7)[1:], check{0, 7, false}), repeat(3, 7)[1:]...),
	} {
		var d departures
		for i, c := range checks {
			if stands := d.update(c.waiting, c.departed); stands != c.stands {
				t.Errorf("%s: check %d: %v, want %v", name, i, stands, c.stands)
			}
		}
	}
}

// A NIC that hears nothing of a partner that spoke is started anew once, and again only after the partner has spoken.
func TestHearing(t *testing.T) {
	type check struct {
		speaks  bool
		silence time.Duration
		deaf    bool
	}
	const short, long = time.Second, deafAfter
	for name, checks := range map[string][]check{
		"nobody ever spoke":     {{false, long, false}, {false, 2 * long, false}},
		"one that says nothing": {{false, short, false}, {false, long, false}},
		"it goes on":            {{true, short, false}, {true, long - 1, false}, {true, short, false}},
		"it falls silent": {{true, short, false}, {true, long, true}, {true, 2 * long, false},
			{false, 3 * long, false}},
		"it is forgotten meanwhile": {{true, short, false}, {false, long - 1, false}, {false, long, true}},
		"and again":                 {{true, short, false}, {true, long, true}, {true, short, false}, {true, long, true}},
	} {
		var h hearing
		for i, c := range checks {
			if deaf := h.update(c.speaks, c.silence); deaf != c.deaf {
				t.Errorf("%s: check %d: %v, want %v", name, i, deaf, c.deaf)
			}
		}
	}
}
