package dataplane

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/wire"
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
		"nothing waits": append(many(0, 7), many(0, 7)...),
		"all leave": {{1, 1, false}, {1, 2, false}, {1, 3, false}, {1, 4, false}, {1, 5, false}, {1, 6, false},
			{1, 7, false}},
		"none leaves":        append(many(3, 7), look{3, 7, true}, look{3, 7, false}, look{70, 7, false}),
		"one leaves in time": append(append(many(3, 7), look{3, 8, false}), many(3, 8)[1:]...),
		"and stands again": append(append(many(3, 7), look{3, 7, true}, look{3, 8, false}),
			append(many(3, 8)[1:], look{3, 8, true})...),
		"away meanwhile": append(append(many(3, 7)[1:], look{0, 7, false}), many(3, 7)[1:]...),
	} {
		var d departures
		for i, l := range looks {
			if stands := d.look(l.waiting, l.gone); stands != l.stands {
				t.Errorf("%s: look %d: %v, want %v", name, i, stands, l.stands)
			}
		}
	}
}

// A NIC that hears nothing of a partner that spoke is started anew once, and again only after the partner has spoken.
func TestHearing(t *testing.T) {
	type look struct {
		speaks  bool
		silence time.Duration
		deaf    bool
	}
	const short, long = time.Second, deafAfter
	for name, looks := range map[string][]look{
		"nobody ever spoke":     {{false, long, false}, {false, 2 * long, false}},
		"one that says nothing": {{false, short, false}, {false, long, false}},
		"it goes on":            {{true, short, false}, {true, long - 1, false}, {true, short, false}},
		"it falls silent": {{true, short, false}, {true, long, true}, {true, 2 * long, false},
			{false, 3 * long, false}},
		"it is forgotten meanwhile": {{true, short, false}, {false, long - 1, false}, {false, long, true}},
		"and again":                 {{true, short, false}, {true, long, true}, {true, short, false}, {true, long, true}},
	} {
		var h hearing
		for i, l := range looks {
			if deaf := h.look(l.speaks, l.silence); deaf != l.deaf {
				t.Errorf("%s: look %d: %v, want %v", name, i, deaf, l.deaf)
			}
		}
	}
}

// A NIC that hears nothing is started anew where that is known of it, and says so.
func TestNICThatHearsNothingIsStartedAnew(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	a := l.a.groups[0].member("la")
	for known, tries := range map[bool]int{false: 50, true: 5000} {
		a.host.stopsOnReset, a.notice = known, ""
		told := false
		for try := 0; try < tries && !told; try++ { // the partner may not have spoken yet, or something may come between
			time.Sleep(time.Millisecond)
			l.a.survey(0)
			l.a.groups[0].worker.Do(func(wire.Time) { a.port.Link.Heard = a.port.Link.Heard.Add(-time.Minute) })
			l.a.survey(0)
			told = strings.Contains(a.notice, "The NIC has heard nothing for 15s")
		}
		if told != known {
			t.Errorf("known %v: %q", known, a.notice)
		}
	}
	l.send(20)
	l.whole()
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
// In generic mode the interface goes down and up, unless the host uses it.
func TestNICThatStoppedIsStartedAnew(t *testing.T) {
	t.Run("driver", func(t *testing.T) { stops(t, attach.ModeAuto, "Its XDP program is attached again") })
	t.Run("generic", func(t *testing.T) { stops(t, attach.ModeGeneric, "It was set down and up") })
}

// stops has the NIC of a link stop, and expects a notice of what was done.
func stops(t *testing.T, mode attach.Mode, did string) {
	var stopped atomic.Bool
	l := newLinkBed(t, func(s *model.PortSettings) { s.XDP = mode })
	g := l.a.groups[0]
	a := g.member("la")
	for i, d := range a.host.devices {
		a.host.devices[i] = dead{d, &stopped}
	}
	g.worker.Do(func(wire.Time) { a.port.Replace(a.host.devices) })
	survey := func() {
		for range 2 * stillLooks {
			l.send(1)
			l.a.survey(0)
		}
		if there, err := a.host.program.IsAttached(); !there {
			t.Error("there is no program: ", err)
		}
	}
	stopped.Store(true)
	if survey(); a.notice != "" {
		t.Errorf("a NIC that is not known for it: %q", a.notice)
	}
	a.host.stopsOnReset = true
	survey()
	if !strings.Contains(a.notice, "none has left it for 8 s: was it reset? "+did+", which starts the NIC anew") {
		t.Errorf("the notice is %q", a.notice)
	}
	told := a.notice
	if survey(); a.notice != told {
		t.Errorf("told again: %q", a.notice)
	}
	stopped.Store(false)
	l.whole()
}

// Where the host uses the interface, what would start the NIC anew is left to its administrator.
func TestNICOfTheHostThatStoppedIsTold(t *testing.T) {
	l := newLinkBed(t, func(s *model.PortSettings) { s.XDP, s.Native = attach.ModeGeneric, attach.NativePass })
	l.must(netlink.AddrAdd(l.link("la"), must(netlink.ParseAddr("10.5.0.1/24"))))
	g := l.a.groups[0]
	a := g.member("la")
	did, err := a.host.startAnew()
	if err == nil || !strings.Contains(err.Error(), "ip link set dev la down && ip link set dev la up") {
		t.Errorf("it did %q: %v", did, err)
	}
	l.send(20)
	l.whole()
}
