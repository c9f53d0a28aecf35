package store

import (
	"errors"
	"strings"
	"testing"

	"uelink/dataplane/model"
	"uelink/sai"
)

// managed returns what clients have set of a port's interface.
func (b *bed) managed(port string) model.Managed { return b.plane.port(port).Managed }

// TestInterfacesByPermission: with manage_interfaces MTU and ADMIN_STATE of a port are settings of its interface, with
// the range of an MTU; the CPU port and SPEED stay as they are. A reload without the key drops what was set.
func TestInterfacesByPermission(t *testing.T) {
	b := newBed(t)
	link := b.portNamed("link0")
	reload := func() {
		t.Helper()
		if err := b.Reload(configuration()); err != nil {
			t.Fatal(err)
		}
	}
	err := b.SetAttribute(link, attr(portMTUSet, number(2014)))
	b.refused("without the key", err, invalidValue)
	if !strings.Contains(err.Error(), "sai: {manage_interfaces: true}") {
		t.Errorf("the refusal does not name the key: %v", err)
	}
	b.refused("down without the key", b.SetAttribute(link, attr(portAdminState, truth(false))), invalidValue)
	b.ManageInterfaces(true)
	for _, wrong := range []int{0, leastPortMTU - 1, mostPortMTU + 1} {
		b.refused("MTU", b.SetAttribute(link, attr(portMTUSet, number(wrong))), invalidValue)
	}
	b.refused("SPEED", b.SetAttribute(link, attr(portSpeedSet, number(7))), invalidValue)
	b.refused("the CPU port", b.SetAttribute(CPUPortOID, attr(portAdminState, truth(false))), invalidValue)
	set := func(id uint32, value sai.Value, want model.Managed) {
		t.Helper()
		b.set(link, id, value)
		if got := b.managed("link0"); got != want {
			t.Errorf("set 0x%x: the settings are %+v, want %+v", id, got, want)
		}
	}
	set(portMTUSet, number(2014), model.Managed{MTU: 2000})
	set(portMTUSet, number(leastPortMTU), model.Managed{MTU: 68})
	set(portMTUSet, number(mostPortMTU), model.Managed{MTU: 65535})
	set(portAdminState, truth(false), model.Managed{MTU: 65535, Admin: model.AdminDown})
	set(portAdminState, truth(true), model.Managed{MTU: 65535, Admin: model.AdminUp})
	b.plane.refuse = errors.New("the driver refuses")
	b.refused("a driver", b.SetAttribute(link, attr(portMTUSet, number(1514))), sai.Failure)
	if got := b.managed("edge0"); got != (model.Managed{}) {
		t.Errorf("the edge has %+v", got)
	}
	reload()
	if got := b.managed("link0"); got != (model.Managed{MTU: 65535, Admin: model.AdminUp}) {
		t.Errorf("after a reload: %+v", got)
	}
	b.ManageInterfaces(false)
	reload()
	if got := b.managed("link0"); got != (model.Managed{}) {
		t.Errorf("after a reload without the key: %+v", got)
	}
}

// TestStateThatSomebodyChanged: ADMIN_STATE and MTU read what the interface has, and the same value as before is set
// again where somebody has changed the interface since.
func TestStateThatSomebodyChanged(t *testing.T) {
	b := newBed(t)
	link := b.portNamed("link0")
	state := func(change func(*model.PortState)) {
		b.plane.mu.Lock()
		defer b.plane.mu.Unlock()
		change(&b.plane.ports[0])
	}
	read := func(id uint32, want int64) {
		t.Helper()
		if got := b.get(link, id).Number; got != want {
			t.Errorf("0x%x is %d, want %d", id, got, want)
		}
	}
	state(func(p *model.PortState) { p.Admin = model.AdminDown })
	read(portAdminState, 1) // without permission: the daemon serves the port
	b.ManageInterfaces(true)
	b.set(link, portAdminState, truth(false))
	state(func(p *model.PortState) { p.Admin = model.AdminDown })
	read(portAdminState, 0)
	reloads := 0
	b.plane.reloaded = func() { reloads++ }
	b.set(link, portAdminState, truth(false))
	if reloads != 1 {
		t.Errorf("%d changes of the settings for a value that is there", reloads)
	}
	state(func(p *model.PortState) { p.Admin = model.AdminUp }) // ip link set up
	read(portAdminState, 1)
	reloads = 0
	b.set(link, portAdminState, truth(false))
	if reloads != 2 {
		t.Errorf("%d changes of the settings, want that without the value and that with it", reloads)
	}
	state(func(p *model.PortState) { p.MTU = 3000 })
	read(portMTUSet, 3014)
	b.set(link, portMTUSet, number(2014))
	reloads = 0
	if b.set(link, portMTUSet, number(2214)); reloads != 1 {
		t.Errorf("%d changes of the settings for another value than the last", reloads)
	}
}

// TestManagedInAnotherProcess: what clients have set of interfaces goes to a successor of the daemon.
func TestManagedInAnotherProcess(t *testing.T) {
	b := newBed(t)
	b.ManageInterfaces(true)
	b.set(b.portNamed("link0"), portMTUSet, number(2014))
	b.set(b.portNamed("edge0"), portAdminState, truth(false))
	b.Freeze()
	state := b.Save()
	b.Thaw()
	next, err := Restore(state, configuration(), b.log)
	if err != nil {
		t.Fatal(err)
	}
	link, edge := portOf(next.Settings(), "link0").Managed, portOf(next.Settings(), "edge0").Managed
	if link != (model.Managed{MTU: 2000}) || edge != (model.Managed{Admin: model.AdminDown}) {
		t.Errorf("link0 has %+v, edge0 %+v", link, edge)
	}
}
