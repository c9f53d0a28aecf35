package main

import (
	"errors"
	"testing"
	"time"

	"uelink/internal/netns/nstest"
	"uelink/lab/bench/kernel"
)

// inBed gives a forwarder in a bed that lives as long as the test.
func inBed(t *testing.T, links int, start launcher) (*bed, forwarder) {
	t.Helper()
	nstest.New(t, "root") // or the test is skipped
	b, err := newBed("bench", links)
	if err != nil {
		t.Fatal(err)
	}
	f, err := start(b, t.TempDir())
	if err != nil {
		t.Fatal(errors.Join(err, b.close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(f.stop(), b.close()); err != nil {
			t.Error(err)
		}
	})
	return b, f
}

// TestNoFrameIsLostAtALowRate: through the kernel's redirect, whose work is done in a thread
// of its own.
func TestNoFrameIsLostAtALowRate(t *testing.T) {
	b, f := inBed(t, 1, startRedirect)
	load, err := plainLoad(b, f, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := load.far.close(); err != nil {
			t.Error(err)
		}
	}()
	before, err := f.cpuTime()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // each counts anew
		got, err := load.try(2000, 50*time.Millisecond)
		if err != nil || got.sent == 0 || got.sent > 300 || got.lost != 0 || !got.holds() {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if after, err := f.cpuTime(); err != nil || after <= before {
		t.Errorf("the thread worked %d ns (%v)", after-before, err)
	}
}

// TestFramesThatDoNotComeAreLost: nothing forwards them.
func TestFramesThatDoNotComeAreLost(t *testing.T) {
	b, f := inBed(t, 1, func(b *bed, _ string) (forwarder, error) { return &inKernel{programs: &kernel.Load{}}, nil })
	load, err := plainLoad(b, f, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := load.far.close(); err != nil {
			t.Error(err)
		}
	}()
	got, err := load.try(2000, 50*time.Millisecond)
	if err != nil || got.sent == 0 || got.lost != got.sent || got.holds() {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestKernelBridgeLearns: the kernel's bridge learns announced addresses. Then frames leave by the port of the
// address and by no other.
func TestKernelBridgeLearns(t *testing.T) {
	b, f := inBed(t, 2, kernelBridge(2))
	load, err := allPortsLoad(2)(b, f, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := load.far.close(); err != nil {
			t.Error(err)
		}
	}()
	if n, err := f.(learner).learned(); err != nil || n < 2 {
		t.Errorf("%d addresses, %v", n, err)
	}
	announced, err := load.far.counted() // what is announced is flooded
	if err != nil {
		t.Fatal(err)
	}
	got, err := load.try(2000, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	all, err := load.far.counted()
	// Flooded, each would come twice. A few were on their way when the counting began.
	if came := all.Frames - announced.Frames; err != nil || came > got.sent+got.sent/2 || came == 0 {
		t.Errorf("%d frames came of %d (%v)", came, got.sent, err)
	}
}
