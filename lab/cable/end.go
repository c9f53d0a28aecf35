package cable

import (
	"errors"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/attach"
	"uelink/dataplane/netif"
	"uelink/internal/netns"
)

// end is an interface that a cable is plugged into.
type end struct {
	name    string // as the user named it, with its namespace
	ifname  string
	place   place           // where the interface is
	links   *netlink.Handle // for requests about the interface, inside place
	index   int
	mtu     int
	queues  int // number of RX queues with which the interface was created
	veth    bool
	owned   *netif.Interface // nil before findEnd
	xdpMode attach.Mode      // mode of the cable's XDP program; ModeAuto: there is none
}

// findEnd claims an interface for the cable, and returns an error if it is in use or down: a down interface loses all
// frames sent to it. No record is written: all changes by a cable end with the process.
func (s *sight) findEnd(at interfaceAt) (e end, err error) {
	e = end{name: at.name, ifname: at.ifname}
	if at.path != "" {
		if e.place, err = openPlace(at.path); err != nil {
			return end{}, err
		}
	}
	e.links = s.handle(e.place)
	if err := e.within(e.own); err != nil {
		return end{}, err
	}
	return e, nil
}

// own claims the interface, and reads its attributes. It returns an error, and gives the claim up, if the interface is
// down.
func (e *end) own() error {
	log := zap.NewNop()
	owned, err := netif.OpenRecords("", log).Own(e.ifname, log)
	if err != nil {
		return fmt.Errorf("interface %w", err)
	}
	attrs := owned.Link().Attrs()
	if attrs.Flags&net.FlagUp == 0 {
		err := fmt.Errorf("interface %s is down: set it up first (ip link set dev %s up)", e.name, e.ifname)
		return errors.Join(err, owned.Release())
	}
	e.index, e.mtu, e.queues, e.owned = attrs.Index, attrs.MTU, max(1, attrs.NumRxQueues), owned
	e.veth = owned.Link().Type() == "veth"
	return nil
}

// within runs f in the namespace of the interface.
func (e *end) within(f func() error) error { return e.place.within(f) }

// attach attaches the program that plug makes to the interface and, if sockets is not nil, opens sockets for its
// frames. With crossing (frames go on to another interface) the interface becomes promiscuous.
func (e *end) attach(plug func() (netif.Program, error), sockets *netif.Sockets, crossing bool) error {
	return e.within(func() error {
		err := e.owned.Attach(netif.Options{
			Sockets: sockets, Attach: func(int) (netif.Program, error) { return plug() }, NotPromiscuous: !crossing,
		})
		if err == nil {
			e.xdpMode = e.owned.Program().Mode()
		}
		return err
	})
}

// release detaches program and sockets from the interface and restores its settings. Further calls do nothing.
func (e *end) release() error {
	if e.owned == nil {
		return nil
	}
	err := e.within(e.owned.Release)
	if errors.Is(err, netns.ErrNone) {
		return e.owned.Release() // the namespace is gone, and so nothing in it is restored
	}
	return err
}
