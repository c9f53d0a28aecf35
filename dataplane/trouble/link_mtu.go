package trouble

import (
	"fmt"

	"uelink/dataplane/attach"
)

// LinkMTU is the MTU of a link's interface, beside the MTU that its edges need.
type LinkMTU struct {
	Interface string     // the kernel's name
	MTU       int        // octets
	Need      int        // octets, with the shim; 0: any MTU will do
	Overhead  int        // octets of Need for the shim
	ByHost    bool       // the daemon may not raise the MTU, because the host uses the interface
	Check     bool       // the daemon may not raise the MTU, because of mtu: check
	Use       attach.Use // the host's use of the interface
}

// CheckLinkMTU begins a trouble while the MTU of a link is too small for its edges and the daemon may not raise it, and
// ends it.
func (m *Monitor) CheckLinkMTU(l LinkMTU) {
	if !l.ByHost && !l.Check || l.MTU >= l.Need {
		m.End(MTU, "the MTU is large enough now")
		return
	}
	reason, mode := fmt.Sprintf("The host uses the interface itself (%v)", l.Use), "set"
	if !l.ByHost {
		reason, mode = "The port has mtu: check", "auto"
	}
	m.Begin(MTU, fmt.Sprintf("the MTU of %s is %d, and %d are needed: %d of the edge port and %d of the "+
		"shim. %s, so the MTU stays as it is, and longer frames are dropped (rx_oversized): lower the MTU of the edge port, "+
		"set mtu: %s for this port, or type: ip link set dev %s mtu %d", l.Interface, l.MTU, l.Need, l.Need-l.Overhead,
		l.Overhead, reason, mode, l.Interface, l.Need))
}
