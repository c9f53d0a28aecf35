package main

import (
	"fmt"
	"strings"
	"time"
)

// cores records in which regime each window of a table was measured. The host of a virtual machine may move its CPUs
// at any time, and a ratio of windows in two regimes means nothing.
type cores struct {
	patience  time.Duration // remaining time for repeated windows
	windows   [regimes]int  // number of windows of this table, by regime
	rejected  int           // attempts in another regime than most windows of this table
	nearest   time.Duration // shortest round trip of a cache line in this table
	farthest  time.Duration // longest round trip of a cache line in this table
	roundTrip func() (time.Duration, error)
}

// Total time that a run may spend on repeated windows.
const (
	corePatience      = 2 * time.Minute
	quickCorePatience = 5 * time.Second
)

// A window in another regime is measured again up to coreRetries times, after a pause.
const (
	coreRetries = 4
	corePause   = 100 * time.Millisecond
)

// newCores returns empty counts, for the first table of a run. quick (--quick) leaves less time for repeated windows.
func newCores(quick bool) *cores {
	c := &cores{patience: corePatience, roundTrip: roundTrip}
	if quick {
		c.patience = quickCorePatience
	}
	return c
}

// measure calls task, which measures one window, and returns and counts the regime of the window: how far apart
// the host of the virtual machine had placed the two CPUs. If this is not the regime of most windows of the table,
// measure calls task again, up to four times and while the time for repetitions lasts.
func (c *cores) measure(task func() error) (in regime, err error) {
	for retries := coreRetries; ; retries-- {
		start, last := time.Now(), retries == 0 || c.patience <= 0
		if in, err = c.try(task, last); err != nil {
			return in, err
		}
		if last || c.fits(in) {
			c.windows[in]++
			return in, nil
		}
		c.rejected++
		time.Sleep(corePause)
		c.patience -= time.Since(start)
	}
}

// try times a cache line from CPU to CPU and back, calls task, which measures a window, and times the cache line
// again. It returns the regime (how far apart the CPUs are), or changed if the two times are of different regimes.
// If the first time is of another regime than most windows of the table, task is not called, unless must is true.
func (c *cores) try(task func() error, must bool) (in regime, err error) {
	before, err := c.trip()
	if err != nil || !must && !c.fits(regimeOf(before)) {
		return changed, err
	}
	if err := task(); err != nil {
		return changed, err
	}
	after, err := c.trip()
	return during(before, after), err
}

// trip measures how long a cache line takes from one CPU to the other and back, and keeps the shortest and the
// longest time of the table.
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

// fits reports whether a window measured in this regime (distance between the CPUs) can be compared with the other
// windows of the table: it is the regime of most windows, or there is none yet.
func (c *cores) fits(in regime) bool {
	prevailing := c.prevailing()
	return in != changed && (prevailing == changed || in == prevailing)
}

// prevailing returns the regime (distance between the CPUs) in which most windows of the table were measured. Without
// any window prevailing returns the regime changed.
func (c *cores) prevailing() (most regime) {
	for in := oneCore; in < regimes; in++ {
		if c.windows[in] > 0 && (most == changed || c.windows[in] > c.windows[most]) {
			most = in
		}
	}
	return most
}

// note returns the line below a table that says in how many windows of measurement the two CPUs were threads of one
// core, of one socket, or further apart. The counts start again from 0 for the next table.
func (c *cores) note() string {
	in, all := c.prevailing(), 0
	var rest []string
	for r, n := range c.windows {
		all += n
		if n > 0 && regime(r) != in {
			rest = append(rest, fmt.Sprintf("%d %s", n, regime(r)))
		}
	}
	text := fmt.Sprintf("In %d of %d windows the CPUs were %s; %d more windows were rejected and measured again",
		c.windows[in], all, in, c.rejected)
	if len(rest) > 0 {
		text += fmt.Sprintf("; other windows are left out (%s). `*`: fewer than %d windows of a row remain, so all "+
			"windows of the row count",
			strings.Join(rest, ", "), fewestRounds)
	}
	text += fmt.Sprintf(". A round trip of a cache line between the CPUs took %d to %d ns.",
		c.nearest.Nanoseconds(), c.farthest.Nanoseconds())
	c.forget()
	return text
}

// forget sets the counts of windows and the shortest and longest round trips to 0, for the next table. The time
// left for repetitions stays.
func (c *cores) forget() {
	*c = cores{patience: c.patience, roundTrip: c.roundTrip}
}

// aside calls task, a measurement that is not part of the present table, with counts of its own, and restores the
// counts of the table afterwards. It returns the error of task.
func (c *cores) aside(task func() error) error {
	table := *c
	c.forget()
	err := task()
	table.patience = c.patience
	*c = table
	return err
}
