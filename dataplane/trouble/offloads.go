package trouble

import (
	"fmt"
	"slices"
	"strings"
)

// CheckOffloads begins a trouble while offloads of an interface that must be off (key offloads) are on, and ends it. on
// is the names of these offloads, as ethtool has them. The driver has refused to switch them off, or somebody has
// switched them on since.
func (m *Monitor) CheckOffloads(ifname string, on []string) {
	if len(on) == 0 {
		m.End(Offloads, "the offloads of the interface are off")
		return
	}
	on = slices.Sorted(slices.Values(on))
	m.Begin(Offloads, fmt.Sprintf("offloads of %s that must be off are on: %s: frames may arrive joined, or "+
		"with unfinished checksums; type: ethtool -K %s %s off; if the driver refuses, set offloads: leave", ifname,
		strings.Join(on, ", "), ifname, strings.Join(on, " off ")))
}

// CheckPromiscuous begins a trouble while a link's interface is not in promiscuous mode although it must be (deaf), so
// that frames for the hosts behind this end do not arrive, and ends it. cause says in words why the interface is not in
// this mode.
func (m *Monitor) CheckPromiscuous(ifname string, deaf bool, cause string) {
	if !deaf {
		m.End(ForeignAddresses, "the interface is in promiscuous mode")
		return
	}
	m.Begin(ForeignAddresses, fmt.Sprintf("%s is not in promiscuous mode, because %s: a NIC then drops frames for the "+
		"hosts behind this end, and receives only frames for its own address: set encapsulation: addressed at both ends, or "+
		"promiscuous: true for the port, or type: ip link set dev %s promisc on", ifname, cause, ifname))
}
