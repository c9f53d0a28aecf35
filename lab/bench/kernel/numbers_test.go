package kernel

import (
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// TestNumberedFrames: each numbered frame arrives once and in order. Numbers that arrive again are behind, and frames
// of another length are damaged.
func TestNumberedFrames(t *testing.T) {
	a, b := nstest.New(t, "source"), nstest.New(t, "check")
	must(t, netns.Veth(a, "eth0", b, "eth0", 1500))
	l := load(t, Config{}, a, "eth0")
	must(t, l.Check(b, "eth0"))
	arrived := func() Arrivals {
		got, err := l.Arrived()
		must(t, err)
		return got
	}
	send := func(from *Load, octets int, frames uint64) {
		s, err := from.Number(a, Frame(octets), 20_000)
		must(t, err)
		before := arrived().Frames
		eventually(t, "check", before+frames, func() (uint64, error) { return arrived().Frames, nil })
		must(t, s.Stop())
	}
	must(t, l.NewSpan())
	send(l, 254, 1000)
	sent, err := l.Numbered()
	must(t, err)
	got := arrived()
	if got.Gap == 0 {
		t.Error("no gap between two bursts")
	}
	if got.Gap = 0; got != (Arrivals{Frames: sent, Next: sent}) {
		t.Errorf("of %d frames: %+v", sent, got)
	}
	repeat := load(t, Config{}, a, "eth0") // from 0 on
	must(t, l.NewSpan())
	send(repeat, 254, 100)
	if got := arrived(); got.Behind < 100 || got.Missing+got.Damaged > 0 || got.Next != sent {
		t.Errorf("numbers that arrive again: %+v", got)
	}
	send(load(t, Config{}, a, "eth0"), 102, 100)
	if got := arrived(); got.Damaged < 100 {
		t.Errorf("frames of another length: %+v", got)
	}
	if _, err := l.Number(a, Frame(100), 1); err == nil {
		t.Error("frames whose length is no header and words are sent")
	}
}
