package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"uelink/lab/bench/report"
)

// Each contestant is first as often as any other, and each round has all of them.
func TestOrderIsRotated(t *testing.T) {
	for contestants := 1; contestants < 8; contestants++ {
		at := make([][]int, contestants) // by contestant: how often at which place
		for i := range at {
			at[i] = make([]int, contestants)
		}
		for round := range 3 * contestants {
			list := order(contestants, round)
			for place, i := range list {
				at[i][place]++
			}
			slices.Sort(list)
			for i, got := range list {
				if got != i {
					t.Fatalf("round %d of %d: %v", round, contestants, list)
				}
			}
		}
		for i, places := range at {
			for place, n := range places {
				if n != 3 {
					t.Errorf("%d of %d was %d times at place %d", i, contestants, n, place)
				}
			}
		}
	}
}

// sessionOn is a session that measures on cores.
func sessionOn(c *cores) *session { return &session{Context: context.Background(), cores: c} }

// each counts the calls for each contestant. The result of a call is the number of the round.
func each(counted []int) func(i, round int) (float64, error) {
	return func(i, round int) (float64, error) { counted[i]++; return float64(round), nil }
}

func TestInTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counted := make([]int, 3)
		got, err := inTurns(sessionOn(placed(far)), 3, 5, each(counted))
		if err != nil || !slices.Equal(counted, []int{5, 5, 5}) {
			t.Fatalf("%v, %v", counted, err)
		}
		for i := range got {
			rounds, astray := got.count(farApart, i)
			if astray || !slices.Equal(rounds, []int{0, 1, 2, 3, 4}) {
				t.Errorf("%d: %v, %v", i, rounds, astray)
			}
		}
	})
}

// TestMoreRoundsAreBounded: where the host moves all the time there are half as many more,
// and the table marks its rows.
func TestMoreRoundsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trips := 0
		c := placed(far)
		c.roundTrip = func() (time.Duration, error) {
			trips++
			return []time.Duration{far, near}[trips%2], nil
		}
		got, err := inTurns(sessionOn(c), 2, 6, each(make([]int, 2)))
		if err != nil || len(got[0]) != 9 || len(got[1]) != 9 {
			t.Fatalf("%d rounds, %v", len(got[0]), err)
		}
		rounds, astray := got.count(c.prevailing(), 0, 1)
		if len(rounds) != 9 || !astray || windows(rounds, astray) != (report.Marked{Figure: 9}) {
			t.Errorf("%v, %v", rounds, astray)
		}
	})
}

func TestTurnsEndWithAnError(t *testing.T) {
	failure := errors.New("failed")
	fails := func(int, int) (int, error) { return 0, failure }
	if _, err := inTurns(sessionOn(placed(far)), 2, 3, fails); !errors.Is(err, failure) {
		t.Error(err)
	}
	s := sessionOn(placed(far))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.Context = ctx
	if _, err := inTurns(s, 2, 3, each(make([]int, 2))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// inRegimes is turns of two contestants in the regimes of a text: f far, n near, c changed.
func inRegimes(a, b string) turns[float64] {
	t := make(turns[float64], 2)
	for i, text := range []string{a, b} {
		for round, r := range text {
			in := map[rune]regime{'f': farApart, 'n': neighbours, 'c': changed}[r]
			t[i] = append(t[i], turn[float64]{float64(10*i + round), in})
		}
	}
	return t
}

// Of two contestants the rounds count in which both were in the regime; if these are too few
// all do, and are marked.
func TestRoundsThatCount(t *testing.T) {
	for _, c := range []struct {
		a, b   string
		rounds []int
		astray bool
	}{
		{"ffff", "ffff", []int{0, 1, 2, 3}, false},
		{"fffff", "fnffc", []int{0, 2, 3}, false},
		{"nffff", "fnffc", []int{0, 1, 2, 3, 4}, true},
		{"cccc", "ffff", []int{0, 1, 2, 3}, true},
		{"ff", "ff", []int{0, 1}, false}, // no more were asked for
		{"ff", "fn", []int{0, 1}, true},
	} {
		name := fmt.Sprintf("%s and %s", c.a, c.b)
		rounds, astray := inRegimes(c.a, c.b).count(farApart, 0, 1)
		if !slices.Equal(rounds, c.rounds) || astray != c.astray {
			t.Errorf("%s: %v, %v; want %v, %v", name, rounds, astray, c.rounds, c.astray)
		}
	}
	got := inRegimes("ffff", "ffff").values(1, []int{0, 3}, func(v float64) float64 { return v })
	if !slices.Equal(got, []float64{10, 13}) {
		t.Errorf("values: %v", got)
	}
}

func TestTooFewRounds(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		short bool
	}{{"ffffff", "ffffff", false}, {"ffffff", "fffffn", false}, {"ffffff", "ffffnc", true}, {"nnnnnn", "ffffff",
		true}} {
		if got := inRegimes(c.a, c.b).short(farApart, 6); got != c.short {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
