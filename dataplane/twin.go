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

// twinWatch detects another host with the address of the edge's own host.
type twinWatch struct {
	frames  uint64           // frames that had come from the host's own address, at the last survey
	quiet   int              // surveys since the last frame from the host's own address
	address net.HardwareAddr // replacement that the problem's text offers for the shared address; nil: none chosen yet
}

// survey reports a problem while frames come over the link from the hardware address of the edge's own host, and its
// end after twinQuiet surveys without such a frame.
func (w *twinWatch) survey(g *group, a *attachment) {
	var mac wire.MAC
	copy(mac[:], vethOf(&a.settings, g.veths.owner).HostMAC()) // mac stays zero if the host's end is in another namespace
	var frames uint64
	g.worker.Do(func(wire.Time) { frames = a.port.SetHost(mac) })
	name := a.settings.Host.Name
	switch {
	case mac == (wire.MAC{}):
		w.frames = frames
		a.monitor.Set(trouble.SameAddress, "")
	case frames > w.frames:
		w.frames, w.quiet = frames, 0
		g.beginTrouble(a, trouble.SameAddress,
			fmt.Sprintf("frames come over the link from the address of %s itself, %v: another host "+
				"has it, such as a copy of this one, or a switch sends frames back. Give one of them another address: set mac "+
				"for the port at one end and reload, or type: ip link set dev %s address %v", name, net.HardwareAddr(mac[:]),
				name, w.replacement()))
	case a.monitor.Text(trouble.SameAddress) == "":
	case w.quiet < twinQuiet:
		w.quiet++
	default:
		g.endTrouble(a, trouble.SameAddress, "frames from the address of "+name+" no longer come over the link")
	}
}

// replacement returns an address for a host whose address another host has, the same at each call.
func (w *twinWatch) replacement() string {
	if w.address == nil {
		w.address = netif.NewAddress()
	}
	return w.address.String()
}
