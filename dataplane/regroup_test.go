package dataplane

import (
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
)

// bridgeOf returns the settings of a bridge of some ports.
func bridgeOf(name string, ports ...string) BridgeSettings {
	s := BridgeSettings{Name: name, Settings: bridge.Settings{MaxEntries: 64, Ageing: time.Minute}}
	for _, p := range ports {
		s.Ports = append(s.Ports, BridgePort{Port: p})
	}
	return s
}

// An xconnect becomes a bridge, gets and loses ports, becomes another bridge on another worker, and an xconnect again:
// no socket is closed, and each frame of a flow through it arrives once and in order.
func TestDomainsChangeInPlace(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	l.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "ec"}, PeerName: "hc"}))
	for _, name := range []string{"ec", "hc"} {
		l.must(netlink.LinkSetUp(l.link(name)))
	}
	l.must(unix.SetsockoptInt(int(l.to.Fd()), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16<<20)) // nobody reads during a flow
	l.must(unix.SetNonblock(int(l.to.Fd()), true))
	for _, d := range []*Dataplane{l.a, l.b} {
		l.must(d.Reload(d.changed(func(lnk, edge *model.PortSettings) { lnk.RingSize, edge.RingSize = 1024, 1024 })))
		l.must(d.ClearCounters(""))
	}
	before := l.identity(l.a)
	third := l.a.settings.Ports[1]
	third.Name, third.Interface = "ec", "ec"
	two, three := l.a.settings.Ports[:2:2], append(l.a.settings.Ports[:2:2], third)
	xconnect := l.a.settings.XConnects
	sent := uint64(0)
	for i, c := range []struct {
		ports     []model.PortSettings
		xconnects []XConnect
		bridges   []BridgeSettings
	}{
		{two, nil, []BridgeSettings{bridgeOf("x", "ea", "la")}},
		{three, nil, []BridgeSettings{bridgeOf("x", "ea", "ec", "la")}},
		{three, nil, []BridgeSettings{bridgeOf("y", "ec"), bridgeOf("x", "la", "ea")}},
		{three, nil, []BridgeSettings{bridgeOf("y", "ec", "la", "ea")}},
		{three, xconnect, []BridgeSettings{bridgeOf("z", "ec")}},
		{three, nil, []BridgeSettings{bridgeOf("z", "ec", "ea", "la")}},
		{two, xconnect, nil},
	} {
		end := l.flow()
		l.eventually("a flow", func() bool { return l.state(l.a, "ea").Counters.RxFrames > sent+20 })
		s := l.a.changed(func(*model.PortSettings, *model.PortSettings) {})
		s.Ports, s.XConnects, s.Bridges = c.ports, c.xconnects, c.bridges
		l.must(l.a.Reload(s))
		received := l.state(l.a, "ea").Counters.RxFrames
		l.eventually("the flow", func() bool { return l.state(l.a, "ea").Counters.RxFrames > received+20 })
		end()
		if after := l.identity(l.a); after != before {
			t.Fatalf("step %d: %+v before, %+v now", i, before, after)
		}
		l.whole()
		sent, l.sent = sent+l.sent, 0
		for _, st := range l.a.Ports() {
			if rx, tx := st.Dropped(); st.Name != "ec" && rx+tx > 0 {
				t.Errorf("step %d: %s: %d and %d frames count as dropped: %+v", i, st.Name, rx, tx, st.Counters)
			}
		}
	}
	if n := len(l.a.groups); n != 1 {
		t.Errorf("%d groups are left", n)
	}
}
