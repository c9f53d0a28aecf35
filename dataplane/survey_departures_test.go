package dataplane

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"uelink/dataplane/frame"
)

// A NIC is started anew once if what waits does not leave it, and again only after something has left.
func TestDepartures(t *testing.T) {
	type look struct {
		waiting int
		gone    uint64
		stands  bool
	}
	// many is looks until one before the last; the first of them sees what is gone.
	many := func(waiting int, gone uint64) []look {
		return slices.Repeat([]look{{waiting: waiting, gone: gone}}, stillLooks)
	}
	for name, looks := range map[string][]look{
		"nothing waits":      append(many(0, 7), many(0, 7)...),
		"all leave":          {{1, 1, false}, {1, 2, false}, {1, 3, false}, {1, 4, false}, {1, 5, false}, {1, 6, false}, {1, 7, false}},
		"none leaves":        append(many(3, 7), look{3, 7, true}, look{3, 7, false}, look{70, 7, false}),
		"one leaves in time": append(append(many(3, 7), look{3, 8, false}), many(3, 8)[1:]...),
		"and stands again":   append(append(many(3, 7), look{3, 7, true}, look{3, 8, false}), append(many(3, 8)[1:], look{3, 8, true})...),
		"away meanwhile":     append(append(many(3, 7)[1:], look{0, 7, false}), many(3, 7)[1:]...),
	} {
		var d departures
		for i, l := range looks {
			if stands := d.look(l.waiting, l.gone); stands != l.stands {
				t.Errorf("%s: look %d: %v, want %v", name, i, stands, l.stands)
			}
		}
	}
}

// dead is a NIC that takes frames and never sends one, as long as it is so.
type dead struct {
	frame.Device
	is *atomic.Bool
}

func (d dead) Completed(addrs []uint64) int {
	if d.is.Load() {
		return 0
	}
	return d.Device.Completed(addrs)
}

// A NIC that has stopped gets its program again, which starts those anew that are known for it; others are left alone.
func TestNICThatStoppedIsStartedAnew(t *testing.T) {
	var stopped atomic.Bool
	was := decorate
	t.Cleanup(func() { decorate = was })
	decorate = func(r Role, d frame.Device) frame.Device {
		if r == RoleLink {
			d = dead{d, &stopped}
		}
		return d
	}
	l := newLinkBed(t, func(*PortSettings) {})
	g := l.a.groups[0]
	a := g.member("la")
	survey := func() {
		for range 2 * stillLooks {
			l.send(1)
			l.a.survey(0)
		}
		if there, err := a.host.program.There(); !there {
			t.Error("there is no program: ", err)
		}
	}
	stopped.Store(true)
	if survey(); a.notice != "" {
		t.Errorf("a NIC that is not known for it: %q", a.notice)
	}
	a.host.stopsOnReset = true
	survey()
	if !strings.Contains(a.notice, "none has left it for 8 s: was it reset? Its XDP program is attached again") {
		t.Errorf("the notice is %q", a.notice)
	}
	told := a.notice
	if survey(); a.notice != told {
		t.Errorf("told again: %q", a.notice)
	}
	stopped.Store(false)
	l.whole()
}
