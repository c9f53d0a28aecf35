package bridge

import (
	"slices"
	"testing"
)

func vids(list ...uint16) []uint16 { return list }

// The ports of the VLAN tests: 0 and 1 have hosts in VLAN 1 and 10, 2 carries 1, 10 and 20
// with tags, 3 takes tags only.
func vlanLab(t *testing.T) *lab {
	return newLab(t, filtering(),
		PortSettings{PVID: 1, Untagged: vids(1)},
		PortSettings{PVID: 10, Untagged: vids(10), Tagged: vids(20)},
		PortSettings{PVID: 1, Tagged: vids(1, 10, 20)},
		PortSettings{Tagged: vids(10, 20)},
	)
}

func TestFramesStayInTheirVLAN(t *testing.T) {
	for _, c := range []struct {
		name string
		in   int
		rest string
		want string
	}{
		{"untagged goes by PVID", 0, "0800", "2+0001"},
		{"untagged in VLAN 10", 1, "0800", "2+000A 3+000A"},
		{"priority tag goes by PVID and keeps its priority", 1, "8100 A000 0800", "2=A00A 3=A00A"},
		{"priority tag and drop eligible", 1, "8100 F000 0800", "2=F00A 3=F00A"},
		{"tagged, to a port that has it without a tag", 2, "8100 600A 0800", "1- 3"},
		{"tagged stays as it is", 2, "8100 6014 0800", "1 3"},
		{"tagged with the VLAN that is untagged here", 0, "8100 0001 0800", "2"},
		{"tagged with the VLAN that is untagged here, to a like port", 1, "8100 000A 0800", "2 3"},
		{"PVID that leaves with a tag", 2, "0800", "0"},
		{"priority tag, to a port that has it without a tag", 2, "8100 E000 0800", "0-"},
		{"no PVID", 3, "0800", "port not in the VLAN"},
		{"no PVID, priority tag", 3, "8100 6000 0800", "port not in the VLAN"},
		{"not a member", 0, "8100 000A 0800", "port not in the VLAN"},
		{"a VLAN that nobody has", 2, "8100 0063 0800", "port not in the VLAN"},
		{"VID 4095", 2, "8100 0FFF 0800", "port not in the VLAN"},
		{"half a tag", 2, "8100 000A", "port not in the VLAN"},
		{"half a tag", 2, "8100", "port not in the VLAN"},
		{"a tag of the provider's is payload", 1, "88A8 0014 0800", "2+000A 3+000A"},
		{"so is an old one", 1, "9100 0014 0800", "2+000A 3+000A"},
		{"and a second tag", 2, "8100 000A 8100 0014 0800", "1- 3"},
	} {
		l := vlanLab(t)
		l.want(c.name, l.sendRest(c.in, host(1), everybody, c.rest), c.want)
	}
}

func TestVerdictTellsOfTheTag(t *testing.T) {
	l := vlanLab(t)
	for rest, want := range map[string]Verdict{
		"0800":           {VLAN: 1},
		"8100 B00A 0800": {VLAN: 10, Tagged: true, PCP: 5, DEI: true},
		"8100 E014 0800": {VLAN: 20, Tagged: true, PCP: 7},
		"8100 3000 0800": {VLAN: 1, Tagged: true, PCP: 1, DEI: true, priority: true},
	} {
		want.Class, want.Out, want.EtherType = Broadcast, Flood, 0x0800
		if got := l.Decide(2, addressesOf(host(1), everybody), octets(t, rest), 0); got != want {
			t.Errorf("%s: %+v, want %+v", rest, got, want)
		}
	}
}

// Independent VLAN learning: an address is learned for its VLAN.
func TestEachVLANHasItsAddresses(t *testing.T) {
	l := vlanLab(t)
	l.sendRest(1, host(1), everybody, "0800")
	l.sendRest(2, host(1), everybody, "8100 0014 0800")
	l.wantAt(host(1), 10, 1)
	l.wantAt(host(1), 20, 2)
	l.want("in VLAN 10", l.sendRest(3, host(2), host(1), "8100 000A 0800"), "1-")
	l.want("in VLAN 20", l.sendRest(3, host(2), host(1), "8100 0014 0800"), "2")
	if n := l.Counters().FDBMoves; n != 0 {
		t.Errorf("%d moves", n)
	}
}

func TestWithoutFilteringTagsAreNotLookedAt(t *testing.T) {
	l := newLab(t, plain(), PortSettings{PVID: 1, Tagged: vids(10)}, PortSettings{}, PortSettings{PVID: 5})
	for _, rest := range []string{
		"0800", "8100 600A 0800", "8100 0FFF 0800", "8100", "8100 0000 0800", "88A8 0005 0800",
	} {
		l.want(rest, l.sendRest(0, host(1), everybody, rest), "1 2")
	}
	v := l.Decide(0, addressesOf(host(2), host(3)), octets(t, "8100 600A 0800"), 0)
	if want := (Verdict{Class: Unknown, Out: Flood, EtherType: 0x0800}); v != want {
		t.Errorf("%+v, want %+v", v, want)
	}
}

func TestDestinationInAnotherVLANThanItsPort(t *testing.T) {
	l := vlanLab(t)
	if err := l.Add(Entry{Address: Address{host(1), 20}, Port: 0}); err != nil {
		t.Fatal(err)
	}
	l.want("to it", l.sendRest(2, host(2), host(1), "8100 0014 0800"), "destination's port not in the VLAN")
}

func TestPVIDOfNoListIsUntagged(t *testing.T) {
	l := newLab(t, filtering(), PortSettings{PVID: 7}, PortSettings{PVID: 7, Tagged: vids(7)})
	l.want("there", l.send(0, host(1), everybody), "1+0007")
	l.want("back", l.sendRest(1, host(2), everybody, "8100 0007 0800"), "0-")
}

func TestWhatIsNoVLANIsPassedOver(t *testing.T) {
	l := newLab(t, filtering(),
		PortSettings{PVID: 4095, Tagged: vids(0, 4095, 4096, 65535), Untagged: vids(0, 4095, 65535)},
		PortSettings{PVID: 4096 + 10}, PortSettings{Tagged: vids(10)})
	for _, rest := range []string{"0800", "8100 0FFF 0800", "8100 0000 0800"} {
		l.want(rest, l.sendRest(0, host(1), everybody, rest), "port not in the VLAN")
	}
	l.want("PVID beyond 12 bits", l.send(1, host(1), everybody), "port not in the VLAN")
	l.want("VLAN 10", l.sendRest(2, host(1), everybody, "8100 000A 0800"), "")
}

func TestMembers(t *testing.T) {
	l := vlanLab(t)
	for vlan, want := range map[uint16][]uint8{1: {0, 2}, 10: {1, 2, 3}, 20: {1, 2, 3}, 30: nil, 0: nil, 4095: nil} {
		if got := l.Members(&Verdict{VLAN: vlan}); !slices.Equal(got, want) {
			t.Errorf("VLAN %d: %v, want %v", vlan, got, want)
		}
	}
	all := newLab(t, plain())
	for n := range MaxPorts {
		if err := all.SetPort(n, PortSettings{}); err != nil {
			t.Fatal(err)
		}
	}
	list := all.Members(&Verdict{})
	if len(list) != MaxPorts || !slices.IsSorted(list) {
		t.Errorf("%v", list)
	}
}
