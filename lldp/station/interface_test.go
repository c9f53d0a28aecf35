package station_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns/nstest"
	"uelink/lldp"
	"uelink/lldp/lldptest"
	"uelink/lldp/station"
	"uelink/wire"
)

func TestInterfaceDownAndUp(t *testing.T) {
	w := newWorld(t)
	a, b := start(t, w.a, on("left")), start(t, w.b, on("right"))
	a.expect(t, "neighbor_added")
	b.expect(t, "neighbor_added")
	must(t, w.a.SetLink("left", false))
	a.expectText(t, "interface", "down")
	b.expectText(t, "interface", "down") // the other end of the cable has no carrier
	if n := a.Neighbors(); len(n) != 1 {
		t.Errorf("%d neighbours while down", len(n))
	}
	must(t, w.a.SetLink("left", true))
	a.expectText(t, "interface", "up")
	b.expect(t, "neighbor_added")
	a.expect(t, "neighbor_added")
}

func TestInterfaceDeletedAndCreated(t *testing.T) {
	w := newWorld(t)
	a := start(t, w.a, on("left"))
	must(t, w.a.DeleteLink("left"))
	a.expectText(t, "interface", "absent")
	for range 3 { // again and again
		w.veth(t)
		a.expectText(t, "interface", "up")
		newInjector(t, w.b, "right").send(t, lldptest.Good())
		a.expect(t, "neighbor_added")
		must(t, w.a.DeleteLink("left"))
		a.expectText(t, "interface", "absent")
	}
	if i := a.Interfaces()[0]; i.Status != "absent" || i.RxState != lldp.RxWaitPortOperational {
		t.Errorf("%+v", i)
	}
}

func TestInterfaceComesLater(t *testing.T) {
	w := newWorld(t)
	must(t, w.a.DeleteLink("left"))
	a := start(t, w.a, on("left"))
	w.veth(t)
	a.expectText(t, "interface", "up")
}

// An interface renamed while up still gets the shutdown LLDPDU.
func TestInterfaceRenamedWhileUp(t *testing.T) {
	w := newWorld(t)
	a, b := start(t, w.a, on("left")), start(t, w.b, on("right"))
	b.expect(t, "neighbor_added")
	a.expect(t, "neighbor_added")
	cmd := exec.Command("ip", "link", "set", "left", "name", "gauche")
	if err := w.a.Run(cmd); err != nil {
		nstest.Missing(t, "a kernel that renames interfaces that are up: "+err.Error())
	}
	if e := b.expect(t, "neighbor_deleted"); !strings.HasSuffix(e.Text, ": shutdown") {
		t.Errorf("%+v", e)
	}
}

// A new address of the interface is the source of the next frame and, as a port
// id, another identity.
func TestInterfaceAddressChanges(t *testing.T) {
	w := newWorld(t)
	c := on("left")
	c.Ports[0].ID = policy("mac")
	start(t, w.a, c)
	b := start(t, w.b, on("right"))
	b.expect(t, "neighbor_added")
	ip(t, w.a, "link", "set", "left", "address", "02:00:00:00:77:01")
	b.expect(t, "neighbor_deleted")
	n := b.expect(t, "neighbor_added").Neighbor
	if n.Info.Port.String() != "02:00:00:00:77:01" || n.Source != (wire.MAC{2, 0, 0, 0, 0x77, 1}) {
		t.Errorf("%+v", n)
	}
}

// An interface without Ethernet is a problem of its port; other ports work.
func TestInterfaceIsNoEthernet(t *testing.T) {
	w := newWorld(t)
	c := on("lo")
	c.Ports = append(c.Ports, station.Port{Name: "port1", Interface: "left"})
	a := start(t, w.a, c)
	i := a.Interfaces()
	if len(i) != 2 || i[0].Status != "absent" || !strings.Contains(i[0].Trouble, "no Ethernet") || i[1].Trouble != "" {
		t.Errorf("%+v", i)
	}
	newInjector(t, w.b, "right").send(t, lldptest.Good())
	if e := a.expect(t, "neighbor_added"); e.Port != "port1" {
		t.Errorf("%+v", e)
	}
}

// DHCP, cloud-init and SONiC name the host after the start: the neighbour has the new name at once.
func TestHostNameIsFollowed(t *testing.T) {
	w := newWorld(t)
	c := on("left")
	c.System.Name = ""
	a, b := start(t, w.a, c), start(t, w.b, on("right"))
	b.expect(t, "neighbor_added")
	must(t, w.a.Do(func() error {
		host, err := unix.Open(fmt.Sprintf("/proc/self/task/%d/ns/uts", a.thread), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		must(t, err)
		defer unix.Close(host)
		must(t, unix.Setns(host, unix.CLONE_NEWUTS))
		return unix.Sethostname([]byte("rack7-node12.example.org"))
	}))
	if n := b.expect(t, "neighbor_updated").Neighbor; string(n.Info.SystemName) != "rack7-node12.example.org" {
		t.Errorf("the neighbour's name is %s", n.Info.SystemName)
	}
	if name := a.Chassis().SystemName; name != "rack7-node12.example.org" {
		t.Errorf("the own name is %s", name)
	}
}

// A renamed interface keeps its agents, which send the new name; another interface that takes the former name is not
// the port's. A configuration with the new name changes nothing.
func TestRenamedInterfaceIsFollowed(t *testing.T) {
	w := newWorld(t)
	a, b := start(t, w.a, on("left")), start(t, w.b, on("right"))
	b.expect(t, "neighbor_added")
	a.expect(t, "neighbor_added")
	ip(t, w.a, "link", "set", "left", "name", "core0")
	ip(t, w.a, "link", "add", "left", "type", "veth", "peer", "name", "other")
	if n := b.expect(t, "neighbor_added").Neighbor; n.Info.Port.String() != "core0" {
		t.Errorf("the neighbour is %v", n.Info.Port)
	}
	c := on("left")
	c.Ports[0].Interface = "core0"
	must(t, w.a.Do(func() error { return a.Reload(c) }))
	if i := a.Interfaces()[0]; i.Status != "up" || i.Interface != "core0" || i.Neighbors != 1 {
		t.Errorf("%+v", i)
	}
}

// A port may name its interface by an altname. LLDP sends the name.
func TestInterfaceByAltname(t *testing.T) {
	w := newWorld(t)
	const long = "enx-the-port-beside-the-window-of-the-second-rack"
	ip(t, w.a, "link", "property", "add", "dev", "left", "altname", long)
	start(t, w.a, on(long))
	b := start(t, w.b, on("right"))
	if n := b.expect(t, "neighbor_added").Neighbor; n.Info.Port.String() != "left" {
		t.Errorf("the neighbour is %v", n.Info.Port)
	}
}
