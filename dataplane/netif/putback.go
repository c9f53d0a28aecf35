package netif

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
)

// putBack restores the recorded values (MTU, carrier, offloads, the host's end of a veth) that nobody has changed
// since. Values that cannot be restored stay in the record.
func (i *Interface) putBack() {
	if i.record.empty() {
		return
	}
	nl, err := netlink.LinkByIndex(i.index)
	if errors.As(err, new(netlink.LinkNotFoundError)) { // its changes went with the interface
		i.record.inherit(&record{})
		return
	}
	if err != nil {
		i.logNotPutBack("everything", err)
		return
	}
	if i.record.MTU != nil {
		i.putBackMTU(nl)
	}
	if i.record.Down {
		i.putBackCarrier(nl)
	}
	if i.record.Up {
		i.putBackDown(nl)
	}
	i.offloads.putBack(nl.Attrs().Name)
	if i.record.Guard {
		i.super.putBackGuard(nl)
	}
	if i.record.PeerQdisc || i.record.PeerSegments != nil {
		i.host.putBack()
	}
}

// putBackMTU puts the MTU back, unless somebody has changed it since.
func (i *Interface) putBackMTU(nl netlink.Link) {
	m, now := i.record.MTU, nl.Attrs().MTU
	if now == m.Set {
		if err := netlink.LinkSetMTU(nl, m.Before); err != nil {
			i.logNotPutBack(fmt.Sprintf("MTU %d", m.Before), err)
			return
		}
		i.logPutBack(fmt.Sprintf("MTU %d to %d", m.Set, m.Before))
	} else if now != m.Before {
		i.logLeft(fmt.Sprintf("MTU is %d, and the daemon had set it to %d", now, m.Set))
	}
	i.record.MTU = nil
}
