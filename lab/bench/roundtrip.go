package main

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// roundTrip returns how long a cache line takes from loadCPU to deviceCPU and back: the best of many tries, because
// other processes may have a CPU. It returns an error if a thread cannot run on one of them.
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
	const near, far, over = 0, 1, 2 // side: the ball is at loadCPU, or at deviceCPU; or the game has ended
	failed, took := make(chan error), make(chan time.Duration)
	go func() { // sends the ball back at once
		err := onCPU(deviceCPU)
		failed <- err
		for at := ball.side.Load(); at != over; at = ball.side.Load() {
			if at == far {
				ball.side.CompareAndSwap(far, near)
			}
		}
	}()
	if err := <-failed; err != nil {
		return 0, err
	}
	go func() { // sends the ball, waits for its return, and takes the time
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
				ball.side.Store(far)
				for ball.side.Load() == far {
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

// onCPU binds the calling goroutine to a CPU for the rest of its life. The thread ends with the goroutine.
func onCPU(cpu int) error {
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("CPU %d: %w", cpu, err)
	}
	return nil
}
