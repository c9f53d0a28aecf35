package main

import (
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"uelink/config"
	"uelink/dataplane/model"
	"uelink/internal/netns/nstest"
)

// --check finds an interface by its altname, as the daemon does, and refuses two ports on one interface.
func TestCheckKnowsAltnames(t *testing.T) {
	nstest.Enter(t)
	const long = "enx-the-port-beside-the-window-of-the-second-rack"
	l := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "e0"}, PeerName: "p0"}
	if err := netlink.LinkAdd(l); err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkAddAltName(l, long); err != nil {
		t.Fatal(err)
	}
	c := &config.Config{}
	c.Settings.Ports = []model.PortSettings{{Name: "edge0", Interface: long}, {Name: "link0", Interface: "e1"}}
	if notes := absent(c); len(notes) != 1 || !strings.Contains(notes[0], "no interface e1") {
		t.Errorf("%q", notes)
	}
	if err := twice(c); err != nil {
		t.Error(err)
	}
	c.Settings.Ports[1].Interface = "e0"
	if err := twice(c); exitCode(err) != exitUsage || !strings.Contains(err.Error(), "port edge0") {
		t.Errorf("%v", err)
	}
}
