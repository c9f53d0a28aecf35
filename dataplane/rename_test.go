package dataplane

import (
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/place"
)

// rename gives an interface another name, and the former name to a new one.
func (b linkBed) rename(from, to string) {
	b.t.Helper()
	b.must(netlink.LinkSetName(b.link(from), to))
	b.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: from}, PeerName: from + "peer"}))
}

// A renamed interface keeps its port, also when another interface takes its name; the command that the fault names ends
// the fault, and costs nothing.
func TestRenamedInterfaceIsFollowed(t *testing.T) {
	b, s := absentBed(t)
	for _, pair := range [][2]string{{"near", "far"}, {"edge", "host"}} {
		b.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: pair[0]}, PeerName: pair[1]}))
		for _, name := range pair {
			b.must(netlink.LinkSetUp(b.link(name)))
		}
	}
	d, err := Open(s, Home{State: t.TempDir()}, place.Directory(t.TempDir()), zap.NewNop())
	b.must(err)
	defer d.Close()
	index := map[string]int{"link0": b.link("near").Attrs().Index, "edge0": b.link("edge").Attrs().Index}
	b.rename("near", "core0")
	b.rename("edge", "lan0")
	d.reconcile()
	names := map[string]string{"link0": "core0", "edge0": "lan0"}
	attached := func(step string) {
		t.Helper()
		for port, name := range names {
			_, a := d.find(port)
			if a.host == nil || a.host.ifindex != index[port] || a.ifname() != name {
				t.Fatalf("%s: %s has not the interface %s: %+v", step, port, name, a.host)
			}
		}
	}
	attached("renamed")
	for port, name := range names {
		want := "uelink config set ports." + port + ".interface " + name + " && uelink reload"
		if st := b.state(d, port); st.OperStatus != model.OperUp || !strings.Contains(st.Fault, want) {
			t.Errorf("%s is %v, with the fault %q", port, st.OperStatus, st.Fault)
		}
	}

	next := s
	next.Ports = append([]model.PortSettings{}, s.Ports...)
	next.Ports[0].Dialect = next.Ports[0].Dialect.Other()                     // LLR starts again
	next.Ports[1].AllowZeroCopy, next.Ports[1].XDP = true, attach.ModeGeneric // the interface is taken anew
	b.must(d.Reload(next))
	d.reconcile()
	attached("reloaded")

	right := next
	right.Ports = append([]model.PortSettings{}, next.Ports...)
	hosts := map[string]*host{}
	for i := range right.Ports {
		p := &right.Ports[i]
		p.Interface = names[p.Name]
		_, a := d.find(p.Name)
		hosts[p.Name] = a.host
	}
	b.must(d.Reload(right))
	d.reconcile()
	for port, h := range hosts {
		_, a := d.find(port)
		if st := b.state(d, port); a.host != h || strings.Contains(st.Fault, "renamed") || st.Interface != names[port] {
			t.Errorf("%s was taken anew, or has the interface %s and the fault %q", port, st.Interface, st.Fault)
		}
	}
}

// A port may name its interface by an altname, which may be longer than a name.
func TestInterfaceByAltname(t *testing.T) {
	b, s := absentBed(t)
	const long = "enx-the-port-beside-the-window-of-the-second-rack"
	for _, pair := range [][2]string{{"near", "far"}, {"e0", "host"}} {
		b.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: pair[0]}, PeerName: pair[1]}))
		for _, name := range pair {
			b.must(netlink.LinkSetUp(b.link(name)))
		}
	}
	b.must(netlink.LinkAddAltName(b.link("e0"), long))
	s.Ports = append([]model.PortSettings{}, s.Ports...)
	s.Ports[1].Interface = long
	d, err := Open(s, Home{State: t.TempDir()}, nil, zap.NewNop())
	b.must(err)
	defer d.Close()
	d.reconcile()
	if st := b.state(d, "edge0"); st.OperStatus != model.OperUp || st.Fault != "" || st.Interface != long {
		t.Errorf("%s is %v, with the fault %q", st.Interface, st.OperStatus, st.Fault)
	}
	short := s
	short.Ports = append([]model.PortSettings{}, s.Ports...)
	short.Ports[1].Interface = "e0"
	_, a := d.find("edge0")
	h := a.host
	b.must(d.Reload(short))
	if _, a := d.find("edge0"); a.host != h {
		t.Error("the port was taken anew")
	}
}
