package bridge

import (
	"testing"
)

func TestRemovedPortTakesItsAddresses(t *testing.T) {
	l := newLab(t, plain(), PortSettings{Static: []Address{{MAC: host(9)}}}, PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	l.send(1, host(2), everybody)
	l.RemovePort(0)
	l.RemovePort(0)
	l.RemovePort(77)
	l.RemovePort(-1)
	l.wantAt(host(1), 0, -1)
	l.wantAt(host(9), 0, -1)
	l.wantAt(host(2), 0, 1)
	l.want("flood", l.send(1, host(2), everybody), "2")
	if err := l.SetPort(0, PortSettings{Learning: true}); err != nil { // another port, the same number
		t.Fatal(err)
	}
	l.want("to the one of before", l.send(1, host(2), host(1)), "0 2")
	if got := l.PortCounters(0); got != (PortCounters{}) {
		t.Errorf("a new port has counted %+v", got)
	}
}

func TestAllPortsThereCanBe(t *testing.T) {
	s := filtering()
	s.MaxEntries = MaxPorts
	l := newLab(t, s, make([]PortSettings, MaxPorts)...)
	for n := range MaxPorts {
		if err := l.SetPort(n, PortSettings{PVID: 1, Learning: true}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range MaxPorts {
		l.send(n, host(n+1), everybody)
	}
	for n := range MaxPorts {
		v := l.Decide((n+1)%MaxPorts, addressesOf(host((n+1)%MaxPorts+1), host(n+1)), untagged(), 0)
		if v.Out != n || v.Drop != NoReason {
			t.Fatalf("to the host of port %d: %+v", n, v)
		}
	}
	v := l.Decide(0, addressesOf(host(1), everybody), untagged(), 0)
	if list := l.leave(0, &v); len(list) != MaxPorts-1 {
		t.Errorf("a broadcast leaves by %d ports", len(list))
	}
}

// What is learned stays when a port gets other settings, but for VLANs that it has left.
func TestSetPortForgetsTheVLANsThatItLeft(t *testing.T) {
	both := PortSettings{PVID: 1, Tagged: vids(10, 20)}
	l := newLab(t, filtering(), both, both)
	for _, rest := range []string{"0800", "8100 000A 0800", "8100 0014 0800"} {
		l.sendRest(0, host(1), everybody, rest)
		l.sendRest(1, host(2), everybody, rest)
	}
	if err := l.SetPort(0, PortSettings{PVID: 1, Tagged: vids(20), Learning: true}); err != nil {
		t.Fatal(err)
	}
	for vlan, want := range map[uint16]int{1: 0, 10: -1, 20: 0} {
		l.wantAt(host(1), vlan, want)
		l.wantAt(host(2), vlan, 1)
	}
	l.want("flood in VLAN 10", l.sendRest(1, host(2), host(1), "8100 000A 0800"), "")
}

func TestStaticAddressesFollowTheSettings(t *testing.T) {
	one, two := Address{MAC: host(1)}, Address{MAC: host(2)}
	l := newLab(t, plain(), PortSettings{Static: []Address{one, two}}, PortSettings{})
	if err := l.Add(Entry{Address: Address{MAC: host(3)}, Port: 0}); err != nil {
		t.Fatal(err)
	}
	if err := l.SetPort(1, PortSettings{Static: []Address{two}}); err != nil { // before port 0 hears of it
		t.Fatal(err)
	}
	if err := l.SetPort(0, PortSettings{}); err != nil {
		t.Fatal(err)
	}
	l.wantAt(host(1), 0, -1)
	l.wantAt(host(2), 0, 1)
	l.wantAt(host(3), 0, 0) // no setting has named it
}

func TestSetPortTellsOfAStaticAddressThatCannotBe(t *testing.T) {
	l := newLab(t, filtering(), PortSettings{})
	static := []Address{{host(1), 1}, {host(2), 0}, {everybody, 1}, {host(3), 2}}
	err := l.SetPort(0, PortSettings{PVID: 1, Static: static})
	if err == nil || err.Error() != "vlan: 0 is out of range: 1 to 4094" {
		t.Errorf("%v", err)
	}
	l.wantAt(host(1), 1, 0)
	l.wantAt(host(3), 2, 0)
}

func TestConfigureSwitchesFiltering(t *testing.T) {
	l := newLab(t, plain(), PortSettings{PVID: 1, Static: []Address{{MAC: host(8)}}},
		PortSettings{PVID: 1}, PortSettings{PVID: 2})
	l.send(0, host(1), everybody)
	l.Configure(filtering())
	if n := len(l.Entries(0)); n != 0 {
		t.Errorf("%d addresses of VLAN 0 are left", n)
	}
	l.want("VLAN 1", l.send(0, host(1), everybody), "1")
	l.want("VLAN 2", l.send(2, host(1), everybody), "")
	l.wantAt(host(1), 2, 2)
	l.Configure(plain())
	l.wantAt(host(1), 0, -1)
	l.wantAt(host(8), 0, 0) // a setting of the port's still names it
	l.want("no VLANs", l.send(0, host(1), everybody), "1 2")
}

// Another size of the table loses nothing that is in it.
func TestConfigureChangesTheSize(t *testing.T) {
	s := plain()
	s.MaxEntries = 1000
	l := newLab(t, s, PortSettings{Static: []Address{{MAC: host(5000)}}}, PortSettings{})
	for n := range 1000 {
		l.send(0, host(n+1), everybody)
	}
	for _, most := range []int{10, 0, 100_000, 1000} {
		s.MaxEntries = most
		l.Configure(s)
		wantSound(t, &l.table)
		if c := l.Counters(); c.FDBEntries != 1001 || c.FDBStatic != 1 {
			t.Errorf("%d at most: %+v", most, c)
		}
		l.want("to one of them", l.send(1, host(3000), host(500)), "0")
		if at := l.at(Address{MAC: host(3000)}); (at == 1) != (most > 1000) {
			t.Errorf("%d at most: a new one is at port %d", most, at)
		}
		_ = l.Delete(Address{MAC: host(3000)}, 1)
	}
	s.Reserved = ReservedForward
	l.Configure(s)
	l.want("a reserved address", l.send(0, host(1), address(t, "01:80:c2:00:00:00")), "1")
}

// The owner may change his lists afterwards.
func TestSettingsAreCopied(t *testing.T) {
	s := PortSettings{PVID: 1, Tagged: vids(10), Untagged: vids(1), Static: []Address{{host(1), 10}}}
	l := newLab(t, filtering(), s, PortSettings{PVID: 1, Tagged: vids(10)})
	s.Tagged[0], s.Untagged[0], s.Static[0].VLAN = 99, 99, 99
	if err := l.SetPort(0, PortSettings{PVID: 1, Tagged: vids(10)}); err != nil {
		t.Fatal(err)
	}
	l.wantAt(host(1), 10, -1)
	l.Configure(plain())
	l.Configure(filtering())
	l.want("VLAN 10", l.sendRest(0, host(1), everybody, "8100 000A 0800"), "1")
}
