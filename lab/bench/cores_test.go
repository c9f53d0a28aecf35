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

// A round trip of each regime.
const (
	together = 55 * time.Nanosecond
	near     = 85 * time.Nanosecond
	far      = 320 * time.Nanosecond
)

func TestRegimeOfARoundTrip(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		want regime
	}{
		{0, oneCore}, {50, oneCore}, {64, oneCore}, {74, oneCore},
		{75, neighbours}, {85, neighbours}, {199, neighbours},
		{200, farApart}, {310, farApart}, {400, farApart}, {time.Hour, farApart},
	} {
		if got := regimeOf(c.took); got != c.want {
			t.Errorf("%v: %v, want %v", c.took, got, c.want)
		}
	}
	if got := during(far, 2*far); got != farApart {
		t.Errorf("far apart all the time: %v", got)
	}
	if got := during(far, near); got != changed {
		t.Errorf("moved: %v", got)
	}
}

// Before each window and after it there is a round trip; where a first one shows that the
// window would not fit, nothing is measured.
func TestWindowsOfTheRegimeThatPrevails(t *testing.T) {
	for name, test := range map[string]struct {
		trips []time.Duration
		in    regime
		times int
	}{
		"far":             {[]time.Duration{far, far}, farApart, 1},
		"together":        {[]time.Duration{far, far, together, far, far}, farApart, 1},
		"moved, then far": {[]time.Duration{far, far, far, near, far, far}, farApart, 2},
		"moved again and again": {[]time.Duration{far, far, far, near, far, near, far, near, far, near, far, near},
			changed, 5},
		"never back":              {[]time.Duration{far, far, together}, oneCore, 1},
		"moved, and back at last": {[]time.Duration{far, far, near, near, near, near, far, far}, farApart, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, times := placed(test.trips...), 0
				count := func() error { times++; return nil }
				if name != "far" { // the first window says what prevails
					if in, err := c.measure(count); in != farApart || err != nil {
						t.Fatalf("%v, %v", in, err)
					}
					times = 0
				}
				if in, err := c.measure(count); err != nil || in != test.in || times != test.times {
					t.Errorf("measured %d times, %v (%v); want %d, %v", times, in, err, test.times, test.in)
				}
			})
		})
	}
}

// TestOtherRegimePrevails: when most windows are of another one, that one counts.
func TestOtherRegimePrevails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := placed(far, far, near)
		nothing := func() error { return nil }
		for range 4 {
			if _, err := c.measure(nothing); err != nil {
				t.Fatal(err)
			}
		}
		before := c.patience
		in, err := c.measure(nothing)
		if in != neighbours || err != nil || c.prevailing() != neighbours || c.patience != before {
			t.Errorf("%v (%v), prevailing %v", in, err, c.prevailing())
		}
	})
}

func TestPatienceWithTheHostEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, times, start := placed(far, near), 0, time.Now() // each window begins near
		c.windows[farApart] = 100
		for range 50 {
			if _, err := c.measure(func() error { times++; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); times < 50 || took > quickCorePatience+corePause {
			t.Errorf("measured %d times in %v, want 50 in %v", times, took, quickCorePatience)
		}
	})
}

func TestNothingIsMeasuredAgainAfterAnError(t *testing.T) {
	c, times, failure := placed(far, together), 0, errors.New("failed")
	if _, err := c.measure(func() error { times++; return failure }); !errors.Is(err, failure) || times != 1 {
		t.Errorf("measured %d times: %v", times, err)
	}
	c.roundTrip = func() (time.Duration, error) { return 0, failure }
	if _, err := c.measure(func() error { times++; return nil }); !errors.Is(err, failure) || times != 1 {
		t.Errorf("measured %d times although the cores are not known: %v", times, err)
	}
}

// TestNoteTellsTheRegimes: and begins the next table.
func TestNoteTellsTheRegimes(t *testing.T) {
	c := placed(300, 310, 320)
	for range 2 {
		if _, err := c.measure(func() error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	const all = "In 2 of 2 windows the CPUs were cores far apart; 0 more windows were rejected and measured again. " +
		"A round trip of a cache line between the CPUs took 300 to 320 ns."
	if note := c.note(); note != all {
		t.Errorf("%s", note)
	}
	if c.prevailing() != changed || c.farthest != 0 {
		t.Errorf("the next table begins with %+v", c)
	}
	c.windows = [regimes]int{1, 2, 0, 5}
	note := c.note()
	for _, part := range []string{"In 5 of 8 windows the CPUs were cores far apart",
		"(1 moved meanwhile, 2 threads of one core)", "`*`"} {
		if !strings.Contains(note, part) {
			t.Errorf("%q is not in %s", part, note)
		}
	}
}

// TestMeasuredAside: a measurement that is no part of a table is not in the table's note, but uses patience.
func TestMeasuredAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := placed(far, far, far, near, far)
		nothing := func() error { return nil }
		if _, err := c.measure(nothing); err != nil {
			t.Fatal(err)
		}
		before := c.patience
		if err := c.aside(func() error { _, err := c.measure(nothing); return err }); err != nil {
			t.Fatal(err)
		}
		if c.windows != [regimes]int{farApart: 1} || c.rejected != 0 || c.nearest != far || c.patience >= before {
			t.Errorf("%+v", c)
		}
	})
}

func TestRoundTripIsMeasured(t *testing.T) {
	if took, err := roundTrip(); err != nil || took <= 0 {
		t.Errorf("%v, %v", took, err)
	}
}
