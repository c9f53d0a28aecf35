package main

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// A competitor takes a CPU for so long, so often.
const (
	competes      = 4 * time.Millisecond
	competesEvery = 40 * time.Millisecond
)

// compete has a thread of this program, with its priority, want a CPU until stop
// is called.
func compete(cpu int) (stop func(), err error) {
	begun, end, ended := make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		var set unix.CPUSet
		set.Set(cpu)
		err := unix.SchedSetaffinity(0, &set)
		begun <- err
		if err != nil {
			return
		}
		every := time.NewTicker(competesEvery)
		defer every.Stop()
		for {
			select {
			case <-end:
				return
			case <-every.C:
			}
			for began := time.Now(); time.Since(began) < competes; {
			}
		}
	}()
	if err := <-begun; err != nil {
		return nil, fmt.Errorf("run on CPU %d: %w", cpu, err)
	}
	return func() { close(end); <-ended }, nil
}
