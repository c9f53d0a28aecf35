package dataplane

import (
	"fmt"
	"net"

	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// twinQuiet is the number of surveys, one a second, without a frame from the host's own address after which the
// problem is over.
const twinQuiet = 10

// twinWatch is what was seen of a host with the address of the edge's own host.
type twinWatch struct {
	frames uint64 // at the last survey
	quiet  int    // surveys since the last such frame
}

// surveyTwin raises a fault while frames come over the link from the hardware address of the edge's own host.
func (g *group) surveyTwin(a *attachment) {
	var mac wire.MAC
	copy(mac[:], vethOf(&a.settings, g.vethOwner).HostMAC()) // none: the host's end is in another namespace
	var frames uint64
	g.worker.Do(func(wire.Time) { frames = a.port.SetHost(mac) })
	name := a.settings.Host.Name
	switch {
	case mac == (wire.MAC{}):
		a.twin.frames = frames
		a.monitor.Set(trouble.SameAddress, "")
	case frames > a.twin.frames:
		a.twin = twinWatch{frames, 0}
		g.beginTrouble(a, trouble.SameAddress,
			fmt.Sprintf("frames come over the link from the address of %s itself, %v: another host "+
				"has it, such as a copy of this one, or a switch sends frames back. Give one of them another address: set mac "+
				"for the port at one end and reload, or type: ip link set dev %s address %v", name, net.HardwareAddr(mac[:]),
				name, a.twinAddress()))
	case a.monitor.Text(trouble.SameAddress) == "":
	case a.twin.quiet < twinQuiet:
		a.twin.quiet++
	default:
		g.endTrouble(a, trouble.SameAddress, "no more frames come over the link from the address of "+name)
	}
}

// twinAddress returns an address for a host whose address another host has, the same at each call.
func (a *attachment) twinAddress() string {
	if a.another == nil {
		a.another = netif.NewAddress()
	}
	return a.another.String()
}
