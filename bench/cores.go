package main

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// oneCore is the round trip of a cache line below which two CPUs are threads of one
// core. Between cores it takes twice that and more.
const oneCore = 75 * time.Nanosecond

// cores sees to it that what is measured on two CPUs is measured on two cores. The
// host of a virtual machine may have its CPUs on one core at one time and far from
// each other at another: then a forwarder shares its core with its load, and a frame
// that comes from the other CPU costs it less.
type cores struct {
	patience  time.Duration // how long may still be waited, in all
	windows   int           // measured
	shared    int           // of them, with both CPUs on one core, when patience was at an end
	nearest   time.Duration // round trip of a cache line
	farthest  time.Duration
	roundTrip func() (time.Duration, error)
}

// How long a run waits for its host in all.
const (
	corePatience      = 4 * time.Minute
	quickCorePatience = 10 * time.Second
)

func newCores(quick bool) *cores {
	c := &cores{patience: corePatience, roundTrip: roundTrip}
	if quick {
		c.patience = quickCorePatience
	}
	return c
}

// measure has something measured, and again until the CPUs were two cores before
// and after.
func (c *cores) measure(what func() error) error {
	c.windows++
	for c.patience > 0 {
		start := time.Now()
		apart, err := c.apart()
		if apart && err == nil {
			if err = what(); err == nil {
				apart, err = c.apart()
			}
		}
		if apart || err != nil {
			return err
		}
		c.patience -= time.Since(start)
		time.Sleep(warmUp)
		c.patience -= warmUp
	}
	if err := what(); err != nil {
		return err
	}
	apart, err := c.apart()
	if !apart {
		c.shared++
	}
	return err
}

// apart tells whether the CPUs are two cores now.
func (c *cores) apart() (bool, error) {
	took, err := c.roundTrip()
	if err != nil || took < oneCore {
		return false, err
	}
	if c.nearest == 0 || took < c.nearest {
		c.nearest = took
	}
	c.farthest = max(c.farthest, took)
	return true, nil
}

// note is what a table says of the cores that it was measured on, since the last.
func (c *cores) note() string {
	text := fmt.Sprintf("A cache line took %d to %d ns from one CPU to the other and back.", c.nearest.Nanoseconds(), c.farthest.Nanoseconds())
	if c.shared > 0 {
		text += fmt.Sprintf(" Of %d windows %d were measured while both CPUs were threads of one core, and the ratios suffer.", c.windows, c.shared)
	}
	c.windows, c.shared, c.nearest, c.farthest = 0, 0, 0, 0
	return text
}

// roundTrip is how long a cache line takes from one CPU to the other and back: the
// best of many tries, for others may have a CPU.
func roundTrip() (time.Duration, error) {
	const (
		tries = 100
		trips = 100
	)
	var ball struct {
		_    [64]byte
		side atomic.Int32
		_    [64]byte
	}
	const here, there, over = 0, 1, 2
	failed, took := make(chan error), make(chan time.Duration)
	go func() {
		err := onCPU(deviceCPU)
		failed <- err
		for at := ball.side.Load(); at != over; at = ball.side.Load() {
			if at == there {
				ball.side.CompareAndSwap(there, here)
			}
		}
	}()
	if err := <-failed; err != nil {
		return 0, err
	}
	go func() {
		defer ball.side.Store(over)
		err := onCPU(loadCPU)
		failed <- err
		if err != nil {
			return
		}
		best := time.Hour
		for range tries {
			start := time.Now()
			for range trips {
				ball.side.Store(there)
				for ball.side.Load() == there {
				}
			}
			best = min(best, time.Since(start))
		}
		took <- best / trips
	}()
	if err := <-failed; err != nil {
		return 0, err
	}
	return <-took, nil
}

// onCPU ties the calling goroutine to a CPU until it ends, with its thread.
func onCPU(cpu int) error {
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("CPU %d: %w", cpu, err)
	}
	return nil
}
