package dataplane

import (
	"net"
	"slices"
	"time"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/path"
	"uelink/dataplane/place"
	"uelink/internal/snapshot"
	"uelink/llr"
	"uelink/wire"
)

// group is a domain as managed by the daemon: the attached interfaces, and the worker that moves frames between them.
// Its methods belong to the goroutine that holds the data plane's lock.
type group struct {
	bridge  *BridgeSettings // nil: an xconnect
	worker  *path.Worker
	records *netif.Records
	shelf   place.Shelf // nil: no bookmarks are kept
	veths   *veths      // the data plane's
	supers  *superRoom  // the data plane's
	log     *zap.Logger
	domain  *path.Domain
	members []*attachment

	linkLoss      model.LinkLoss // of an xconnect
	linkLossDelay time.Duration

	inherited inheritances // by port: interfaces that another process hands over; shared with the data plane
}

// join adds a port with settings s and LLR profile p to the xconnect or bridge, and returns it, without an interface
// yet. drain is the DrainTimeout of the settings. For a link with LLR it opens the file of the bookmark.
func (g *group) join(s model.PortSettings, p llr.Profile, drain time.Duration) *attachment {
	a := &attachment{settings: s}
	if a.room.window, a.room.chunks = roomFor(&s, p); a.room.window > 0 {
		_ = a.bookmark.open(g, a) // bookmark.survey tries again, and reports the error
	}
	g.worker.Do(func(now wire.Time) {
		a.port = path.NewPort(s, p, drain, now)
		if a.bookmark.place != nil {
			a.port.Link.Bookmark.Set(a.bookmark.place)
		}
		g.domain.Add(a.port)
	})
	g.members = append(g.members, a)
	return a
}

// leave releases a port's interface and removes the port from its xconnect or bridge.
func (g *group) leave(a *attachment) {
	g.detach(a)
	a.frames.end(a)
	g.worker.Do(func(wire.Time) {
		g.domain.Remove(a.port)
		if g.domain.Bridge != nil {
			g.domain.Bridge.RemovePort(a.port.Number)
		}
	})
	a.bookmark.close()
	g.members = slices.DeleteFunc(g.members, func(m *attachment) bool { return m == a })
}

// member returns the port with a name; nil if the xconnect or bridge has none.
func (g *group) member(name string) *attachment {
	for _, a := range g.members {
		if a.settings.Name == name {
			return a
		}
	}
	return nil
}

// setTrimming applies the settings of packet trimming to the domain of the xconnect or bridge, on its worker.
func (g *group) setTrimming(s model.TrimmingSettings) {
	g.worker.Do(func(wire.Time) { g.domain.ConfigureTrimming(s) })
}

// trimmed returns the trimming counters of a closed xconnect or bridge, with the waiting trimmed frames counted as
// dropped.
func (g *group) trimmed() model.TrimCounters {
	c := g.domain.Trimming.Counters
	c.DroppedTrimPackets += c.Waiting()
	return c
}

// save returns as text the state of the protocol machines of a port, taken between two rounds of its worker.
func (g *group) save(p *path.Port) (text string) {
	g.worker.Do(func(wire.Time) { text = string(snapshot.Save("port", p)) })
	return text
}

// reachable returns the number of links of the domain whose partner gets the frames that are sent now.
func (g *group) reachable() (n int) {
	g.worker.Do(func(wire.Time) {
		for _, a := range g.members {
			if a.settings.Role == model.RoleLink && a.port.Carrying() {
				n++
			}
		}
	})
	return n
}

// applyDCB makes an edge port use the result of DCBX for PFC and the scheduler.
func (g *group) applyDCB(a *attachment, b model.DCB) {
	g.worker.Do(func(now wire.Time) {
		a.port.DCB = b
		a.port.Set(a.settings, now)
	})
}

// linkAddress returns the hardware address of the domain's first link whose interface exists: the permanent address, or
// the present address if the driver names no permanent one; nil if no link's interface exists.
func (g *group) linkAddress() net.HardwareAddr {
	for _, m := range g.members {
		if m.settings.Role != model.RoleLink {
			continue
		}
		if nl, err := netlink.LinkByName(m.settings.Interface); err == nil {
			if at := nl.Attrs(); len(at.PermHWAddr) > 0 {
				return at.PermHWAddr
			}
			return nl.Attrs().HardwareAddr
		}
	}
	return nil
}
