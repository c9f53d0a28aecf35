package main

import (
	"errors"
	"math"
	"testing"
)

func TestHighestRate(t *testing.T) {
	for _, limit := range []float64{0, 1, 333_333, 999_999, 1e6, 2e6} {
		tries := 0
		got, err := highest(1e6, searchSteps, func(rate float64) (float64, bool, error) {
			tries++
			return rate,
				rate <= limit, nil
		})
		want := min(limit, 1e6)
		if err != nil || got > want || want-got > 1e6/(1<<searchSteps) || tries != searchSteps {
			t.Errorf("limit %v: %v after %d tries (%v)", limit, got, tries, err)
		}
	}
}

// The rate of delivered frames counts, not the requested rate: a generator may be slower.
func TestHighestRateThatCame(t *testing.T) {
	got, err := highest(1e6, 4, func(rate float64) (float64, bool, error) { return min(rate, 4e5), true, nil })
	if err != nil || got != 4e5 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestSearchEndsWithAnError(t *testing.T) {
	failure, tries := errors.New("failed"), 0
	_, err := highest(1e6, 4, func(float64) (float64, bool, error) {
		tries++
		return 0, tries < 2, []error{nil, failure}[tries-1]
	})
	if !errors.Is(err, failure) || tries != 2 {
		t.Errorf("%v after %d", err, tries)
	}
}

func TestTrialHolds(t *testing.T) {
	for _, c := range []struct {
		sent, lost uint64
		want       bool
	}{{0, 0, false}, {1, 0, true}, {99_999, 1, false}, {100_000, 1, true}, {1_000_000, 10, true}, {1_000_000, 11,
		false}, {10, 10, false}} {
		if got := (trial{sent: c.sent, lost: c.lost}).holds(); got != c.want {
			t.Errorf("%d of %d lost: %v", c.lost, c.sent, got)
		}
	}
	if got := (trial{sent: 1000, lost: 200, took: 1e6}).pps(); got != 800e3 {
		t.Errorf("%v", got)
	}
	if got := (trial{sent: 10}).pps(); got != 0 {
		t.Errorf("in no time: %v", got)
	}
	if got := (trial{sent: 10, lost: 20, took: 1}).pps(); got != 0 {
		t.Errorf("more lost than sent: %v", got)
	}
}

func TestFastestRings(t *testing.T) {
	for _, c := range []struct {
		pps  [][]float64
		best int
		gain float64
	}{
		{[][]float64{{1, 1.04}}, 1, 1.04},
		{[][]float64{{1, 0.96}}, 0, 1},
		{[][]float64{{1, 1.1}, {2, 1.8}}, 0, 1},  // 1.1 and 0.9
		{[][]float64{{1, 1.21}, {2, 2}}, 1, 1.1}, // the geometric mean
		{[][]float64{{1, 1.1, 1.2}, {1, 1.3, 1}}, 1, 1.196},
	} {
		best, gain := fastest(c.pps)
		if best != c.best || math.Abs(gain-c.gain) > 0.001 {
			t.Errorf("%v: %d, %v; want %d, %v", c.pps, best, gain, c.best, c.gain)
		}
	}
}
