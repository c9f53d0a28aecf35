package guest

import (
	"slices"
	"testing"

	"uelink/internal/netns/nstest"
)

func TestDifferencesOfLooks(t *testing.T) {
	got := Differences([]string{"mtu 1500", " gro: on"}, []string{"mtu 1500", " gro: off"})
	if len(got) != 2 || got[0] != "-gro: on" || got[1] != "+gro: off" {
		t.Errorf("%q", got)
	}
}

func TestLooksOfAnInterface(t *testing.T) {
	ns := nstest.New(t, "looks")
	before, err := settings(ns, "lo")
	if err != nil || len(before) < 5 {
		t.Fatalf("%q, %v", before, err)
	}
	if err := ns.SetMTU("lo", 1400); err != nil {
		t.Fatal(err)
	}
	after, err := settings(ns, "lo")
	if err != nil || len(Differences(before, after)) != 2 {
		t.Errorf("%q, %v", Differences(before, after), err)
	}
}

// What promiscuous mode changes is no difference where the configuration names it.
func TestChangedLooks(t *testing.T) {
	before := []string{`eth0 "MTU": 1500,`, `eth0 "Promisc": 0,`, "eth0 has a program: false"}
	now := []string{`eth0 "MTU": 1500,`, `eth0 "Promisc": 1,`, "eth0 has a program: true"}
	program := []string{"-eth0 has a program: false", "+eth0 has a program: true"}
	if got := changed(before, now, true); !slices.Equal(got, program) {
		t.Errorf("it is named: %q", got)
	}
	if got := changed(before, now, false); len(got) != 4 {
		t.Errorf("it is not named: %q", got)
	}
}
