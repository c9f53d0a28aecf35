package netif

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/ethtool"
)

// putBack puts back what still is as it was set. The record keeps what could not be put
// back.
func (i *Interface) putBack() {
	if i.record.empty() {
		return
	}
	nl, err := netlink.LinkByIndex(i.index)
	if errors.As(err, new(netlink.LinkNotFoundError)) { // and its changes with it
		i.record.MTU, i.record.Offloads, i.record.Peer = nil, nil, nil
		return
	}
	if err != nil {
		i.remains("everything", err)
		return
	}
	if i.record.MTU != nil {
		i.putBackMTU(nl)
	}
	if names := i.record.Offloads; len(names) > 0 {
		i.record.Offloads = i.putBackOffloads("offloads", nl.Attrs().Name, names)
	}
	if names := i.record.Peer; len(names) > 0 {
		const what = "offloads of the other end of the veth"
		err := atPeer(i.index, func(ifname string) error {
			i.record.Peer = i.putBackOffloads(what, ifname, names)
			return nil
		})
		if err != nil {
			i.remains(what, err)
		}
	}
}

func (i *Interface) putBackMTU(nl netlink.Link) {
	m, now := i.record.MTU, nl.Attrs().MTU
	if now == m.Set {
		if err := netlink.LinkSetMTU(nl, m.Before); err != nil {
			i.remains(fmt.Sprintf("MTU %d", m.Before), err)
			return
		}
		i.done(fmt.Sprintf("MTU %d to %d", m.Set, m.Before))
	} else if now != m.Before {
		i.left(fmt.Sprintf("MTU is %d, was set to %d", now, m.Set))
	}
	i.record.MTU = nil
}

// putBackOffloads switches offloads on and returns those that could not be.
func (i *Interface) putBackOffloads(what, ifname string, names []string) (remain []string) {
	on, refused, err := ethtool.Enable(ifname, names)
	if err != nil {
		i.remains(what, err)
		return names
	}
	if len(on) > 0 {
		i.done(fmt.Sprintf("%s on: %v", what, on))
	}
	if len(refused) > 0 {
		i.remains(fmt.Sprintf("%s: %v", what, refused), errors.New("the driver does not have them now"))
	}
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains(on, name) || slices.Contains(refused, name)
	})
	if len(others) > 0 {
		i.left(fmt.Sprintf("%s that are on: %v", what, others))
	}
	return refused
}

func (i *Interface) done(what string) {
	i.log.Info("put back on the interface", zap.String("what", what))
}

func (i *Interface) left(what string) {
	i.log.Info("left as it is on the interface: somebody has changed it since", zap.String("what", what))
}

func (i *Interface) remains(what string, err error) {
	i.log.Warn("not put back on the interface: the next start tries again", zap.String("what", what), zap.Error(err))
}
