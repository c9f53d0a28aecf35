package ethtool_test

import (
	"testing"

	"uelink/dataplane/ethtool"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// The kernel's veth says 10 Gb/s.
func TestSpeed(t *testing.T) {
	ns := nstest.New(t, "speed")
	must(t, netns.Veth(ns, "one", ns, "two", 1500))
	must(t, ns.Do(func() error {
		for name, want := range map[string]int{
			"one": 10_000, "lo": 0, "none": 0, "a name that is too long for an interface": 0,
		} {
			if got := ethtool.Speed(name); got != want {
				t.Errorf("%s: %d Mb/s, want %d", name, got, want)
			}
		}
		return nil
	}))
}
