package trouble

import (
	"fmt"

	"uelink/wire"
)

// CheckHostMTU begins a trouble while the MTU of an edge on a veth, near octets, and that of its host's end differ, so
// that the kernel drops the longer frames, and ends it. An MTU of the edge that is larger by VLAN tags is right. ifname
// is the edge's interface.
func (m *Monitor) CheckHostMTU(ifname string, near int, host HostEnd) {
	switch {
	case host.MTU > near:
		m.Begin(HostMTU, fmt.Sprintf("the host's end of the veth, %s, has an MTU of %d, and %s has %d: the kernel drops the "+
			"host's longer frames (rx_too_long); type: ip link set dev %s mtu %d; or type at the host: ip link set dev %s mtu "+
			"%d", host.Name, host.MTU, ifname, near, ifname, host.MTU, host.Name, near))
	case near > host.MTU+2*wire.VLANTagLen:
		m.Begin(HostMTU, fmt.Sprintf("the host's end of the veth, %s, has an MTU of %d, and %s has %d: the kernel drops "+
			"longer frames for the host (tx_dropped); type at the host: ip link set dev %s mtu %d; or lower the MTU of the "+
			"edges at both ends of the link and of all hosts that send to this "+
			"host", host.Name, host.MTU, ifname, near, host.Name, near))
	default:
		m.End(HostMTU, "the edge and its host have the same MTU now")
	}
}
