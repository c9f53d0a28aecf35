package cable

import (
	"context"
	"errors"
	"strings"
	"testing"

	"uelink/bpf"
	"uelink/dataplane/fault"
)

// fails tries to open a cable, which must not succeed.
func (b *bench) fails(c Config) error {
	b.t.Helper()
	var err error
	must(b.t, b.middle.Do(func() error {
		var cable *Cable
		if cable, err = Open(c); err == nil {
			return errors.Join(errors.New("the cable opened"), cable.Close())
		}
		return nil
	}))
	return err
}

func TestOccupiedInterfaceIsNamedAndLeftAlone(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t, 1500)
			_, stop := b.plug(Config{Mode: ModeKernel})
			var occupied *bpf.OccupiedError
			err := b.fails(Config{A: "a", B: "b", Mode: mode})
			if !errors.As(err, &occupied) || occupied.Interface != "a" || occupied.Program != "uelink_cable" ||
				!strings.Contains(err.Error(), "cable a to b: ") {
				t.Error(err)
			}
			b.hosts[0].send(numbered(1, 60))
			if got := b.hosts[1].receive(1); len(got) != 1 {
				t.Errorf("the first cable carried %d frames", len(got))
			}
			stop()
		})
	}
}

func TestInterfaceThatIsDownOrMissing(t *testing.T) {
	b := newBench(t, 1500)
	for _, mode := range modes {
		if err := b.fails(Config{A: "a", B: "none", Mode: mode}); err == nil ||
			!strings.Contains(err.Error(), "interface none: ") {
			t.Errorf("%s: missing: %v", mode, err)
		}
	}
	must(t, b.middle.SetLink("b", false))
	for _, mode := range modes {
		if err := b.fails(Config{A: "a", B: "b", Mode: mode}); err == nil ||
			!strings.Contains(err.Error(), "interface b is down: set it up first") {
			t.Errorf("%s: down: %v", mode, err)
		}
	}
	b.clean()
}

func TestFailedOpenLeavesTheOtherEndClean(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t, 1500)
			index, err := b.middle.Ifindex("b")
			must(t, err)
			must(t, b.middle.Do(func() error {
				_, err := pass(t, index)
				return err
			}))
			err = b.fails(Config{A: "a", B: "b", Mode: mode})
			var occupied *bpf.OccupiedError
			if !errors.As(err, &occupied) || occupied.Interface != "b" || occupied.Program != "test_pass" {
				t.Error(err)
			}
			if program, promiscuity := b.taken("a"); program || promiscuity != 0 {
				t.Errorf("a is left with a program: %v, promiscuity %d", program, promiscuity)
			}
		})
	}
}

func TestDeletedInterfaceEndsTheCable(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			b := newBench(t, 1500)
			var c *Cable
			must(t, b.middle.Do(func() (err error) {
				c, err = Open(Config{A: "a", B: "b", Mode: mode})
				return err
			}))
			must(t, b.middle.DeleteLink("b"))
			if err := c.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "interface b is gone") {
				t.Errorf("Run: %v", err)
			}
			if r, err := c.Report(); err != nil || len(r.Directions) != 2 {
				t.Errorf("report %+v, %v", r, err)
			}
			if err := c.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

func TestTooLongFramesForUserSpace(t *testing.T) {
	b := newBench(t, 17000)
	err := b.fails(Config{A: "a", B: "b", Fault: fault.Config{Delay: 1}})
	if err == nil || !strings.Contains(err.Error(), " has an MTU of 17000, and a cable in user space carries "+
		"16366 at most: "+
		"lower the MTU") {
		t.Errorf("%v", err)
	}
	b.clean()
}

func TestJumboFramesCrossInTheKernel(t *testing.T) {
	const longest = 9014
	b := newBench(t, 17000)
	c, stop := b.plug(Config{Mode: ModeKernel, Fault: fault.Config{Corrupt: 0.5, Seed: 1}})
	for n := uint64(longest - 80); n < longest-59; n++ { // the longest
		b.hosts[0].send(numbered(n, longest))
	}
	frames := b.hosts[1].receive(21)
	stop()
	_, damaged := arrived(frames, longest)
	if d := report(t, c).Directions[0].Counters; len(frames) != 21 || damaged != d.Corrupted || damaged == 0 {
		t.Errorf("%d frames, %d damaged, counted %+v", len(frames), damaged, d)
	}
}
