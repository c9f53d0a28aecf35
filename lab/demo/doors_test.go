package demo

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"uelink/internal/netns/nstest"
	"uelink/lab/traffic"
)

// A daemon without CPU loses frames when its host sends more than the RX ring of its edge holds. The link never got
// these frames. The demo reports that the edge lost them, not the link; the run is not clean.
func TestLostAtADoorIsNotLostByTheLink(t *testing.T) {
	nstest.New(t, "root") // or skip
	o := DefaultOptions()
	o.Tool, o.Daemon = built(t)
	o.Fault.Loss, o.Fault.Corrupt, o.Fault.Duplicate, o.Fault.Reorder = 0, 0, 0, 0
	o.Traffic.Rate, o.Traffic.Frames, o.Traffic.RingSize = 20_000, 60_000, 8192
	var r Result
	err := With(context.Background(), o, func(ctx context.Context, b *Bed) (err error) {
		daemon, until, goesOn := b.demo.stations[0].daemon, uint64(0), false
		var signals error
		r, err = b.demo.stream(ctx, func(p traffic.Progress) {
			switch sent := p.Directions[0].Sent; {
			case until == 0 && sent >= 1000:
				until = sent + 20_000
				signals = errors.Join(signals, daemon.Signal(syscall.SIGSTOP))
			case until > 0 && sent >= until && !goesOn:
				goesOn = true
				signals = errors.Join(signals, daemon.Signal(syscall.SIGCONT))
			}
		})
		return errors.Join(err, signals)
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"The link delivered every frame that reached the link exactly once, in order and " +
		"unchanged",
		"The edge of station A dropped ", " frames of hostA before they reached the link", "(rx_ring_full "} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("it does not say %q:\n%s", text, b.String())
		}
	}
	if d := r.Directions[0]; r.Clean() || d.Lost == 0 || d.EdgeRxDropped < d.Lost {
		t.Errorf("clean %v, lost %d, dropped at the door %d", r.Clean(), d.Lost, d.EdgeRxDropped)
	}
}
