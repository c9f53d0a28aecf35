package main

import (
	"fmt"
	"strings"
	"time"
)

// cores knows in which regime each window of a table was measured. The host of a virtual
// machine moves its CPUs when it likes, and ratios of windows of two regimes say nothing.
type cores struct {
	patience  time.Duration // how long windows may still be measured again, in all
	windows   [regimes]int  // of this table, by their regime
	again     int           // tries that did not fit
	nearest   time.Duration // round trip of a cache line in this table
	farthest  time.Duration
	roundTrip func() (time.Duration, error)
}

// How long a run may wait for its host in all.
const (
	corePatience      = 2 * time.Minute
	quickCorePatience = 5 * time.Second
)

// A window that does not fit is measured again so often, after a pause.
const (
	coreRetries = 4
	corePause   = 100 * time.Millisecond
)

func newCores(quick bool) *cores {
	c := &cores{patience: corePatience, roundTrip: roundTrip}
	if quick {
		c.patience = quickCorePatience
	}
	return c
}

// measure has something measured, and says in which regime. It is measured again if that is
// not the one that prevails, as long as there is patience.
func (c *cores) measure(what func() error) (in regime, err error) {
	for retries := coreRetries; ; retries-- {
		start, last := time.Now(), retries == 0 || c.patience <= 0
		if in, err = c.try(what, last); err != nil {
			return in, err
		}
		if last || c.fits(in) {
			c.windows[in]++
			return in, nil
		}
		c.again++
		time.Sleep(corePause)
		c.patience -= time.Since(start)
	}
}

// try measures between two round trips. Where the first one shows that it would not fit it
// does not, unless it must.
func (c *cores) try(what func() error, must bool) (in regime, err error) {
	before, err := c.trip()
	if err != nil || !must && !c.fits(regimeOf(before)) {
		return changed, err
	}
	if err := what(); err != nil {
		return changed, err
	}
	after, err := c.trip()
	return during(before, after), err
}

// trip is a round trip, noted.
func (c *cores) trip() (time.Duration, error) {
	took, err := c.roundTrip()
	if err == nil {
		if c.nearest == 0 || took < c.nearest {
			c.nearest = took
		}
		c.farthest = max(c.farthest, took)
	}
	return took, err
}

// fits tells whether a window of a regime can be compared with the others of the table.
func (c *cores) fits(in regime) bool {
	prevailing := c.prevailing()
	return in != changed && (prevailing == changed || in == prevailing)
}

// prevailing is the regime of most windows of the table; changed while there is none.
func (c *cores) prevailing() (most regime) {
	for in := oneCore; in < regimes; in++ {
		if c.windows[in] > 0 && (most == changed || c.windows[in] > c.windows[most]) {
			most = in
		}
	}
	return most
}

// note is what a table says of the cores that it was measured on. The next table begins.
func (c *cores) note() string {
	in, all := c.prevailing(), 0
	var others []string
	for r, n := range c.windows {
		all += n
		if n > 0 && regime(r) != in {
			others = append(others, fmt.Sprintf("%d %s", n, regime(r)))
		}
	}
	text := fmt.Sprintf("The CPUs were %s in %d of %d windows, after %d tries more", in, c.windows[in], all, c.again)
	if len(others) > 0 {
		text += fmt.Sprintf("; the others are left out (%s). `*`: fewer than %d windows of a row are left, so all "+
			"of them count",
			strings.Join(others, ", "), fewestRounds)
	}
	text += fmt.Sprintf(". A cache line took %d to %d ns from one CPU to the other and back.",
		c.nearest.Nanoseconds(), c.farthest.Nanoseconds())
	c.forget()
	return text
}

// forget begins a table.
func (c *cores) forget() {
	*c = cores{patience: c.patience, roundTrip: c.roundTrip}
}

// aside has something measured that is not of the table.
func (c *cores) aside(what func() error) error {
	table := *c
	c.forget()
	err := what()
	table.patience = c.patience
	*c = table
	return err
}
