package dataplane

import (
	"errors"
	"slices"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// attachment is a port, with its interface while the interface exists.
type attachment struct {
	port     *path.Port
	settings model.PortSettings
	host     *host
	ifindex  int          // of the interface, also while it is detached; 0: no interface so far, or it was deleted
	room     replayRoom   // of a link
	bookmark bookmark     // of a link
	carrier  hostCarrier  // of an edge: whether its host has a carrier
	frames   *framesWatch // nil: the frames are not watched
	carried  int          // MTU that the worker was given last, octets
	status   status
	counts   counts
	notice   notice
	lastErr  string // text of the present error, such as that of attaching the interface; "": none (see fault)
	surveyed
}

// status is the state of a port's interface, as last seen.
type status struct {
	up         bool              // set up, and with a carrier
	admin      model.AdminStatus // as shown to clients; AdminUnknown: not seen since it was attached
	switchedOn bool              // the interface was set up (IFF_UP)
}

// notice is the last observation on an interface, with what the daemon did, as the port's state shows it.
type notice struct {
	text   string // with the time of day
	reason model.NoticeReason
}

// surveyed is the state of the checks and features of an interface since it was attached. Each attachment begins with
// another.
type surveyed struct {
	monitor   trouble.Monitor
	useKnown  bool        // the host's use of the interface was read, and has not changed since
	tx        txPath      // how frames leave
	push      pushing     // how an edge gets the frames of its host: by push back, or not
	super     superFrames // of an edge
	pushWaits bool        // push back and super-frames begin only with Resume
	far       farEnd      // of an edge on a veth: the host's end
	checksums unfinished  // of an edge: unfinished checksums in the frames of the host
	refused   int         // MTU that fitAnew has tried without success, octets; 0: none
	veth      hostVeth    // of a created edge
	lowering  lowering    // by somebody else, of the MTU
}

// geometry returns the layout of the memory of a port's sockets. While a link's sockets are reopened LLR holds slots by
// number, so the number of slots never shrinks.
func (a *attachment) geometry() frame.Geometry {
	g := a.settings.Geometry(a.room.window, a.room.chunks)
	if a.settings.Role == model.RoleLink && a.host != nil {
		g.TX = max(g.TX, a.room.slots)
	}
	return g
}

// mtu returns the MTU of a port's interface, octets; 0: no interface.
func (a *attachment) mtu() int {
	if a.host != nil {
		return a.host.mtu
	}
	return InterfaceMTU(a.settings.Interface)
}

// fields returns the log fields of a port: the name, the interface, and more.
func (a *attachment) fields(more ...zap.Field) []zap.Field {
	return append(more, zap.String("port", a.settings.Name), zap.String("interface", a.settings.Interface))
}

// lookUp returns the interface of a port: the port's last interface while that exists, else the interface with the name
// in the settings. The veth of an edge with a HostInterface is always looked up by name.
func (a *attachment) lookUp() (netlink.Link, error) {
	if a.ifindex != 0 && a.settings.Host == nil {
		nl, err := netlink.LinkByIndex(a.ifindex)
		if err == nil || !errors.As(err, new(netlink.LinkNotFoundError)) {
			return nl, err
		}
	}
	return netlink.LinkByName(a.settings.Interface)
}

// ifname returns the name that the kernel has for a port's interface: while the interface is absent the name in the
// configuration.
func (a *attachment) ifname() string {
	if a.host != nil {
		return a.host.settings.Interface
	}
	return a.settings.Interface
}

// shimOnly makes a link send all frames with a shim if its XDP program passes native frames to the kernel (native:
// pass), else permits frames without a shim. Only the worker calls shimOnly.
func (a *attachment) shimOnly() {
	if a.port.Link != nil {
		a.port.Link.SetShimOnly(a.host.settings.Native == attach.NativePass)
	}
}

// tagRoom returns how many octets of the MTU of an edge are room for a second VLAN tag: the length of a tag if the
// daemon itself has raised the MTU above that of the host's end, else 0.
func (a *attachment) tagRoom() int {
	if a.host != nil && a.settings.Role == model.RoleEdge && a.settings.Managed.MTU == 0 &&
		a.host.owned.SetsMTU(a.host.mtu) && a.host.mtu > a.far.MTU {
		return wire.VLANTagLen
	}
	return 0
}

// takesCarrier reports whether the interface is down because its link is lost (link_loss: forward), and not because a
// client of SAI wants it down.
func (a *attachment) takesCarrier() bool {
	return a.host.owned.TakesCarrier() && a.settings.Managed.Admin != model.AdminDown
}

// edgesFirst returns a copy of ports with the edges before the links.
func edgesFirst(ports []*attachment) []*attachment {
	all := slices.Clone(ports)
	slices.SortStableFunc(all, func(a, b *attachment) int { return int(b.settings.Role) - int(a.settings.Role) })
	return all
}
