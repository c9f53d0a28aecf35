package cable

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
)

// sight looks at interfaces by netlink sockets of the network namespace where it was opened, from any thread.
type sight struct {
	links *netlink.Handle  // for the requests of package netlink
	raw   *nl.SocketHandle // for takesXDP, whose request package netlink does not have
}

// openSight opens the two sockets for requests. They belong to the network namespace of the calling thread.
func openSight() (*sight, error) {
	links, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	socket, err := nl.Subscribe(unix.NETLINK_ROUTE)
	if err != nil {
		links.Close()
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	return &sight{links: links, raw: &nl.SocketHandle{Socket: socket}}, nil
}

func (s *sight) close() {
	s.links.Close()
	s.raw.Close()
}

// goneError is the error for an interface that a cable has lost.
type goneError struct{ ifname, fate string }

func (e *goneError) Error() string {
	return fmt.Sprintf("interface %s %s: the cable has been unplugged", e.ifname, e.fate)
}

// handle returns the netlink sockets for interfaces in a place: the sight's own, or, in another namespace, new ones for
// each request, made by the thread in that namespace.
func (s *sight) handle(p place) *netlink.Handle {
	if p.elsewhere() {
		return &netlink.Handle{}
	}
	return s.links
}

// look returns the present attributes of an end. Error: *goneError if the interface was deleted, moved to another
// network namespace, or renamed, or if its namespace is gone.
func look(e *end) (a *netlink.LinkAttrs, err error) {
	err = e.within(func() error {
		link, err := e.links.LinkByIndex(e.index)
		if err == nil {
			a = link.Attrs()
		}
		return err
	})
	switch {
	case errors.As(err, new(netlink.LinkNotFoundError)):
		return nil, &goneError{e.name, "is gone (deleted, or moved to another network namespace)"}
	case errors.Is(err, netns.ErrNone):
		return nil, &goneError{e.name, "is gone with its network namespace"}
	case err != nil:
		return nil, fmt.Errorf("look at interface %s: %w", e.name, err)
	case a.Name != e.ifname:
		return nil, &goneError{e.name, "was renamed to " + a.Name}
	}
	return a, nil
}

// takesXDP reports whether the other end of a veth, in any network namespace, runs an XDP program in driver mode, and
// so takes XDP frames. false: no program, or not visible.
func (s *sight) takesXDP(veth *netlink.LinkAttrs) bool {
	request := nl.NewNetlinkRequest(unix.RTM_GETLINK, 0)
	request.Sockets = map[int]*nl.SocketHandle{unix.NETLINK_ROUTE: s.raw}
	info := nl.NewIfInfomsg(unix.AF_UNSPEC)
	info.Index = int32(veth.ParentIndex)
	request.AddData(info)
	if veth.NetNsID >= 0 {
		request.AddData(nl.NewRtAttr(unix.IFLA_TARGET_NETNSID, nl.Uint32Attr(uint32(veth.NetNsID))))
	}
	answers, err := request.Execute(unix.NETLINK_ROUTE, 0)
	if err != nil || len(answers) != 1 {
		return false
	}
	far, err := netlink.LinkDeserialize(nil, answers[0])
	return err == nil && far.Attrs().Xdp != nil && far.Attrs().Xdp.AttachMode == nl.XDP_ATTACHED_DRV
}
