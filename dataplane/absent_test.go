package dataplane

import (
	"errors"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/internal/netns/nstest"
	"uelink/llr"
)

// absentBed is a namespace without the interfaces of its settings.
func absentBed(t *testing.T) (b linkBed, s Settings) {
	t.Helper()
	nstest.Enter(t)
	lnk, edge, p := linkAndEdge()
	lnk.Interface, edge.Interface = "near", "edge"
	return linkBed{networkBed: networkBed{t}}, Settings{
		Workers: 1, Profiles: map[string]llr.Profile{"p": p},
		Ports: []model.PortSettings{lnk, edge}, XConnects: []XConnect{{Edge: "edge0", Link: "link0"}},
	}
}

// Interfaces that are not there when the daemon starts are waited for, in any order, and that is a fault with their
// name.
func TestStartWithoutInterfaces(t *testing.T) {
	b, s := absentBed(t)
	d, err := Open(s, Home{State: t.TempDir()}, nil, zap.NewNop())
	b.must(err)
	defer d.Close()
	for _, port := range []struct{ name, ifname string }{{"link0", "near"}, {"edge0", "edge"}} {
		want := "there is no interface " + port.ifname + " in this network namespace"
		if st := b.state(d, port.name); st.OperStatus != model.OperAbsent || !strings.Contains(st.Fault, want) ||
			!strings.Contains(st.Fault, "the daemon waits for the interface") {
			t.Errorf("%s is %v, with the fault %q", port.name, st.OperStatus, st.Fault)
		}
	}
	reports := 0
	for _, e := range d.Recent() {
		if e.Kind == model.EventError && strings.Contains(e.Text, "the daemon waits for the interface") {
			reports++
		}
	}
	if reports != 2 {
		t.Errorf("%d events of 2: %+v", reports, d.Recent())
	}

	for _, pair := range [][2]string{{"near", "far"}, {"edge", "host"}} {
		b.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: pair[0]}, PeerName: pair[1]}))
		for _, name := range pair {
			b.must(netlink.LinkSetUp(b.link(name)))
		}
		d.reconcile()
	}
	for _, port := range []string{"link0", "edge0"} {
		if st := b.state(d, port); st.OperStatus != model.OperUp || st.Fault != "" {
			t.Errorf("%s is %v, with the fault %q", port, st.OperStatus, st.Fault)
		}
	}
	if mtu := b.link("near").Attrs().MTU; mtu != 1514 {
		t.Errorf("the link has an MTU of %d", mtu)
	}
}

// A reload goes on waiting, refuses another interface that is not there, and goes back to the one before.
func TestReloadWhileAnInterfaceIsAbsent(t *testing.T) {
	b, s := absentBed(t)
	d, err := Open(s, Home{State: t.TempDir()}, nil, zap.NewNop())
	b.must(err)
	defer d.Close()
	changed := s
	changed.Ports = append([]model.PortSettings{}, s.Ports...)
	changed.Ports[0].RingSize = 128 // opens the port anew
	b.must(d.Reload(changed))

	wrong := changed
	wrong.Ports = append([]model.PortSettings{}, changed.Ports...)
	wrong.Ports[0].Interface = "none"
	var coded *Error
	if err := d.Reload(wrong); !errors.As(err, &coded) || coded.ExitCode() != 2 ||
		!strings.Contains(err.Error(), "port link0: there is no interface none") {
		t.Errorf("%v", err)
	}
	b.must(d.Reload(changed))
	if st := b.state(d, "link0"); st.OperStatus != model.OperAbsent || !strings.Contains(st.Fault, "no interface near") {
		t.Errorf("%v, with the fault %q", st.OperStatus, st.Fault)
	}
}

// What is there and can never carry a link is refused at the start.
func TestStartOnWhatIsNoEthernet(t *testing.T) {
	b, s := absentBed(t)
	tun := &netlink.Tuntap{LinkAttrs: netlink.LinkAttrs{Name: "near"}, Mode: netlink.TUNTAP_MODE_TUN}
	if err := netlink.LinkAdd(tun); err != nil {
		nstest.Missing(t, "the kernel feature tun: "+err.Error())
	}
	b.must(netlink.LinkSetUp(b.link("near")))
	d, err := Open(s, Home{State: t.TempDir()}, nil, zap.NewNop())
	if err == nil {
		d.Close()
	}
	var coded *Error
	if !errors.As(err, &coded) || coded.ExitCode() != 2 || !strings.Contains(err.Error(), "no Ethernet") {
		t.Errorf("%v", err)
	}
}
