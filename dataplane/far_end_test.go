package dataplane

import (
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
)

// Counts of dropped frames begin at the first look. The frames that the edge's end refused are in the count of the
// host's end, too, and count once. A count that begins again at 0 takes nothing away.
func TestDropsBetweenHostAndEdge(t *testing.T) {
	a := &attachment{}
	for i, c := range []struct {
		tx, qdisc, tooLong uint64 // the kernel's
		wantTX, wantQdisc  uint64
	}{
		{1000, 50, 7, 0, 0},
		{1003, 50, 3, 0, 0},
		{1013, 52, 4, 6, 2},
		{1013, 1, 0, 6, 3},
		{1014, 1, 5, 6, 3},
	} {
		a.far.record(a, netif.HostEndState{TxDropped: c.tx, QdiscDrops: c.qdisc}, c.tooLong)
		if d := a.counts.device; d.HostTxDropped != c.wantTX || d.HostQdiscDropped != c.wantQdisc {
			t.Errorf("look %d: %+v, want %d and %d", i, d, c.wantTX, c.wantQdisc)
		}
	}
}

// The kernel counts frames that nobody takes as dropped, too: as many as the XDP program has passed to it.
func TestFramesThatNobodyTakesAreNotTooLong(t *testing.T) {
	for want, n := range map[uint64]nearEnd{0: {13, 5}, 2: {14, 4}, 4: {14, 0}, 10: {20, 2}} {
		if got := n.tooLong(nearEnd{dropped: 10, passed: 2}); got != want {
			t.Errorf("%+v: %d, want %d", n, got, want)
		}
	}
}

// A host with a larger MTU than the edge's end of its veth is a problem of the port, and what the kernel drops there
// counts, with the cause. Both end when the edge's end gets that MTU.
func TestHostWithALargerMTU(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	a := l.a.owner("ea")
	look := func() {
		l.a.reconcile()
		l.a.survey(surveyEvery)
	}
	look()
	l.must(netlink.LinkSetMTU(l.link("ha"), 9000))
	l.must(unix.SetsockoptInt(l.from, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, 1<<20))
	for range 3 {
		if _, err := unix.Write(l.from, frametest.Long(4000)); err != unix.ENOBUFS { // new kernels say so
			l.must(err)
		}
	}
	look()
	s := l.state(l.a, "ea")
	if rx, tx := s.Dropped(); rx != 3 || tx != 0 || s.Device.RxTooLong != 3 || s.Device.HostTxDropped != 0 {
		t.Errorf("RX dropped %d, TX dropped %d: %+v", rx, tx, s.Device)
	}
	for word, text := range map[string]string{
		"host_mtu":    "ha, has an MTU of 9000, and ea has 1500",
		"rx_too_long": "frames of the host are longer than the MTU of ea, 1500",
	} {
		if !slices.Contains(s.FaultReasons, word) || !strings.Contains(s.Fault, text) {
			t.Errorf("%v %q", s.FaultReasons, s.Fault)
		}
	}
	l.must(netlink.LinkSetMTU(l.link("ea"), 9000))
	look()
	if text := a.monitor.Text(trouble.HostMTU); text != "" {
		t.Errorf("with equal MTUs there is %q", text)
	}
	l.must(netlink.LinkSetMTU(l.link("ha"), 1500))
	look()
	if text := a.monitor.Text(trouble.HostMTU); !strings.Contains(text, "type at the host: ip link set dev ha mtu 9000") {
		t.Errorf("with a smaller MTU of the host there is %q", text)
	}
}
