package dataplane

import (
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

// A NIC that hears nothing is started anew where that is known of it, and says so.
func TestNICThatHearsNothingIsStartedAnew(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	a := l.a.groups[0].member("la")
	for listed, tries := range map[bool]int{false: 50, true: 5000} {
		a.host.stopsOnReset, a.notice.text = listed, ""
		reported := false
		for try := 0; try < tries && !reported; try++ { // the partner may not have spoken yet, or something may come between
			time.Sleep(time.Millisecond)
			l.a.survey(0)
			l.a.groups[0].worker.Do(func(wire.Time) { a.port.Link.Heard = a.port.Link.Heard.Add(-time.Minute) })
			l.a.survey(0)
			reported = strings.Contains(a.notice.text, "The NIC has received nothing for 15s")
		}
		if reported != listed {
			t.Errorf("known %v: %q", listed, a.notice.text)
		}
	}
	l.send(20)
	l.whole()
}

// dead is a NIC that takes frames and never sends one, as long as it is so.
type dead struct {
	frame.Device
	stopped *atomic.Bool
}

func (d dead) Completed(addrs []uint64) int {
	if d.stopped.Load() {
		return 0
	}
	return d.Device.Completed(addrs)
}

// A NIC that has stopped gets its program again, which starts those anew that are known for it; others are left alone.
// In generic mode the interface goes down and up, unless the host uses it.
func TestNICThatStoppedIsStartedAnew(t *testing.T) {
	t.Run("driver", func(t *testing.T) { stops(t, attach.ModeAuto, "The XDP program was attached again") })
	t.Run("generic", func(t *testing.T) { stops(t, attach.ModeGeneric, "The daemon has set the interface down and up") })
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
		for range 20 {
			l.send(1)
			l.a.survey(0)
		}
		if attached, err := a.host.program.IsAttached(); !attached {
			t.Error("there is no program: ", err)
		}
	}
	stopped.Store(true)
	if survey(); a.notice.text != "" {
		t.Errorf("a NIC that is not known for it: %q", a.notice.text)
	}
	a.host.stopsOnReset = true
	survey()
	if !strings.Contains(a.notice.text, "none has left it for 8 s: was the NIC reset? "+did+", which restarts the NIC") {
		t.Errorf("the notice is %q", a.notice.text)
	}
	first := a.notice.text
	if survey(); a.notice.text != first {
		t.Errorf("told again: %q", a.notice.text)
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
	did, err := a.host.restartNIC()
	if err == nil || !strings.Contains(err.Error(), "ip link set dev la down && ip link set dev la up") {
		t.Errorf("it did %q: %v", did, err)
	}
	l.send(20)
	l.whole()
}
