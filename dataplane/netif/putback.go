package netif

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/ethtool"
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
	if i.record.GRO {
		i.putBackGRO(nl.Attrs().Name)
	}
	i.putBackAllOffloads(nl.Attrs().Name)
	if i.record.Guard {
		i.putBackGuard(nl)
	}
	if i.record.PeerQdisc || i.record.PeerSegments != nil {
		i.putBackHostEnd()
	}
}

// putBackAllOffloads switches on what was switched off at the interface, which has the name ifname, and at the other
// end of a veth.
func (i *Interface) putBackAllOffloads(ifname string) {
	if names := i.record.Offloads; len(names) > 0 {
		i.record.Offloads = i.putBackOffloads("offloads", ifname, names)
	}
	if names := i.record.Peer; len(names) > 0 {
		const subject = "offloads of the other end of the veth"
		err := atPeer(i.index, func(ifname string) error {
			i.record.Peer = i.putBackOffloads(subject, ifname, names)
			return nil
		})
		if err != nil {
			i.logNotPutBack(subject, err)
		}
	}
}

// putBackGRO switches off GRO, which super-frames have switched on.
func (i *Interface) putBackGRO(ifname string) {
	if err := ethtool.Disable(ifname, []string{gro}); err != nil {
		i.logNotPutBack("GRO off", err)
		return
	}
	i.record.GRO = false
}

// putBackGuard removes the filter that drops what reaches the network stack.
func (i *Interface) putBackGuard(nl netlink.Link) {
	if err := unshield(nl, i.record.GuardID); err != nil {
		i.logNotPutBack("filter of tc", err)
		return
	}
	i.logPutBack("filter of tc removed")
	i.record.Guard, i.record.GuardID = false, 0
}

// restoreOffloads restores the offloads of an interface that this process goes on owning.
func (i *Interface) restoreOffloads() {
	if len(i.record.Offloads)+len(i.record.Peer) == 0 {
		return
	}
	i.putBackAllOffloads(i.link.Attrs().Name)
	_ = i.save(&i.record)
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
		i.logLeft(fmt.Sprintf("MTU is %d, was set to %d", now, m.Set))
	}
	i.record.MTU = nil
}

// putBackOffloads switches the named offloads of an interface on and returns the names of those that the driver
// refused. subject is for the log.
func (i *Interface) putBackOffloads(subject, ifname string, names []string) (remain []string) {
	on, refused, err := ethtool.Enable(ifname, names)
	if err != nil {
		i.logNotPutBack(subject, err)
		return names
	}
	if len(on) > 0 {
		i.logPutBack(fmt.Sprintf("%s on: %v", subject, on))
	}
	if len(refused) > 0 {
		i.logNotPutBack(fmt.Sprintf("%s: %v", subject, refused), errors.New("the driver does not offer them now"))
	}
	alreadyOn := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains(on, name) || slices.Contains(refused, name)
	})
	if len(alreadyOn) > 0 {
		i.logLeft(fmt.Sprintf("%s that are on: %v", subject, alreadyOn))
	}
	return refused
}

func (i *Interface) logPutBack(subject string) {
	i.log.Info("put back on the interface", zap.String("what", subject))
}

func (i *Interface) logLeft(subject string) {
	i.log.Info("the setting of the interface stays: somebody has changed it since", zap.String("what", subject))
}

func (i *Interface) logNotPutBack(subject string, err error) {
	i.log.Warn("not put back on the interface: the next start tries again", zap.String("what", subject), zap.Error(err))
}
