package dataplane

import (
	"fmt"
	"slices"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/dataplane/place"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// A port finds its interface by name when it attaches it, and by index from then on: a renamed interface keeps its port
// as long as it exists, also where another interface takes its name. The configuration's name is settings.Interface of
// the attachment, the kernel's present name settings.Interface of the host.

// followName takes the present name of an attached interface over. A name that the configuration lacks is a problem:
// the next start would wait for an interface of the former name.
func (a *attachment) followName(g *group, attrs *netlink.LinkAttrs) {
	if attrs.Name != a.host.settings.Interface {
		g.log.Warn("the interface was renamed", a.fields(zap.String("from", a.host.settings.Interface),
			zap.String("to", attrs.Name))...)
		a.host.settings.Interface = attrs.Name
		a.host.owned.Renamed(attrs.Name)
	}
	if configured := a.settings.Interface; attrs.Name != configured && !slices.Contains(attrs.AltNames, configured) {
		g.beginTrouble(a, trouble.Renamed,
			fmt.Sprintf("the interface %s was renamed to %s: the port still uses the interface, "+
				"but the next start would wait for %s; type: uelink config set ports.%s.interface %s && uelink reload", configured,
				attrs.Name, configured, a.settings.Name, attrs.Name))
		return
	}
	g.endTrouble(a, trouble.Renamed, "the name of the interface is again the name in the configuration")
}

// rename replaces the name by which the configuration knows the interface of a port, and moves the bookmark of a link
// to the file for the new name.
func (a *attachment) rename(g *group, ifname string) {
	former := a.settings.Interface
	a.settings.Interface = ifname
	if a.bookmark.place == nil {
		return
	}
	next, err := place.OpenFor(g.shelf, a.settings.Name, ifname)
	if err != nil {
		g.log.Warn("after the rename the link has no bookmark: a restart of the daemon will lose the frames that "+
			"the partner holds", a.fields(zap.Error(err))...)
		return
	}
	g.worker.Do(func(wire.Time) { a.port.Link.Bookmark.Move(next) })
	a.bookmark.close()
	a.bookmark.place = next
	place.Forget(g.shelf, a.settings.Name, former)
}
