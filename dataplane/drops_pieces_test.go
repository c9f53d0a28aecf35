package dataplane

import (
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/dataplane/trouble"
	"uelink/dataplane/xsk"
	"uelink/internal/netns/nstest"
)

// Frames that are longer than the MTU which a port was opened for are dropped, counted and told; and
// when no more come, it is over.
func TestFramesInTooManyPiecesAreTold(t *testing.T) {
	if err := xsk.MultiBuffer(); err != nil {
		nstest.Missing(t, "a kernel and a driver with frames in several chunks (AF_XDP multi-buffer): "+err.Error())
	}
	l := newLinkBed(t, func(*model.PortSettings) {
		for name, mtu := range map[string]int{"ea": 4200, "ha": 9000} {
			nl, err := netlink.LinkByName(name)
			if err == nil {
				err = netlink.LinkSetMTU(nl, mtu)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	events, end := l.a.Subscribe()
	defer end()
	l.must(netlink.LinkSetMTU(l.link("ea"), 9000)) // nobody watches it here
	_, err := unix.Write(l.from, frametest.Long(9014))
	l.must(err)
	dropped := func() bool { return l.state(l.a, "ea").Sockets.Stats.RxPiecesTooLong == 1 }
	l.eventually("a frame that is dropped", dropped)
	l.surveys(1, 1)
	const text = "received frames are longer than the MTU of 4200, and are dropped (rx_pieces_too_long)"
	if fault := l.state(l.a, "ea").Fault; !strings.Contains(fault, text) {
		t.Errorf("fault %q", fault)
	}
	l.expectEvent(events, model.EventError, text)
	l.surveys(2, trouble.DropsQuiet+1)
	if fault := l.state(l.a, "ea").Fault; strings.Contains(fault, text) {
		t.Errorf("no more have come, and it says %q", fault)
	}
}
