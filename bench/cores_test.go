package main

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// placed is cores whose round trips are given, the last one for good.
func placed(trips ...time.Duration) *cores {
	c := newCores(true)
	c.roundTrip = func() (time.Duration, error) {
		took := trips[0]
		if len(trips) > 1 {
			trips = trips[1:]
		}
		return took, nil
	}
	return c
}

const (
	together = oneCore - 1
	near     = oneCore
	far      = 4 * oneCore
)

func TestMeasuredOnTwoCores(t *testing.T) {
	for name, test := range map[string]struct {
		trips []time.Duration
		times int
	}{
		"apart":                {[]time.Duration{far, near}, 1},
		"together before":      {[]time.Duration{together, together, far}, 1},
		"together after":       {[]time.Duration{far, together, far}, 2},
		"together again after": {[]time.Duration{far, together, together, far, together, near}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, times := placed(test.trips...), 0
				if err := c.measure(func() error { times++; return nil }); err != nil || times != test.times || c.shared != 0 {
					t.Errorf("measured %d times, %d of them on one core, %v; want %d and none", times, c.shared, err, test.times)
				}
			})
		})
	}
}

func TestPatienceWithTheHostEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, times, start := placed(together), 0, time.Now()
		for range 3 {
			if err := c.measure(func() error { times++; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); times != 3 || took > quickCorePatience+warmUp {
			t.Errorf("measured %d times in %v, want 3 in %v", times, took, quickCorePatience)
		}
		if note := c.note(); !strings.Contains(note, "Of 3 windows 3 ") {
			t.Errorf("%s", note)
		}
	})
}

func TestNothingIsMeasuredAgainAfterAnError(t *testing.T) {
	c, times, failure := placed(far, together), 0, errors.New("failed")
	if err := c.measure(func() error { times++; return failure }); !errors.Is(err, failure) || times != 1 {
		t.Errorf("measured %d times: %v", times, err)
	}
	c.roundTrip = func() (time.Duration, error) { return 0, failure }
	if err := c.measure(func() error { times++; return nil }); !errors.Is(err, failure) || times != 1 {
		t.Errorf("measured %d times although the cores are not known: %v", times, err)
	}
}

func TestNoteTellsTheRoundTrips(t *testing.T) {
	c := placed(far, near)
	if err := c.measure(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if note := c.note(); note != "A cache line took 75 to 300 ns from one CPU to the other and back." {
		t.Errorf("%s", note)
	}
}

func TestRoundTripIsMeasured(t *testing.T) {
	if took, err := roundTrip(); err != nil || took <= 0 {
		t.Errorf("%v, %v", took, err)
	}
}
