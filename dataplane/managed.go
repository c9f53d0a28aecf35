package dataplane

import (
	"fmt"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
)

// managed is what a client of SAI has set on an interface, as far as it was carried out.
type managed struct{ model.Managed }

// setMTU sets the MTU of a port's interface; 0 is the MTU that the interface had before the first change. It returns an
// error for a created veth, for an MTU below that of the edges with the shim, and for one too large for the chunks.
func (m *managed) setMTU(g *group, a *attachment, mtu int) error {
	need := 0
	if a.settings.Role == model.RoleLink {
		need = g.need(a)
	}
	switch {
	case mtu == 0:
		return a.host.owned.ReturnMTU()
	case a.settings.Host != nil:
		return configError("port %s: the MTU of %s follows the MTU of the links: set the MTU of the links",
			a.settings.Name, a.settings.Interface)
	case mtu < need:
		return configError("port %s: an MTU of %d on %s is less than the %d that the edges need, with the shim: lower "+
			"the MTU of the edges first", a.settings.Name, mtu, a.settings.Interface, need)
	case mtu > netif.FitsPieces(a.host.chunk, a.host.pieces) && !a.host.outgrown(mtu):
		return configError("port %s: an MTU of %d on %s is too large: a frame may take %d chunks of %d octets",
			a.settings.Name, mtu, a.settings.Interface, xsk.MostPieces, a.host.chunk)
	case mtu == a.host.mtu:
		return nil
	}
	if err := setMTU(a.host.owned, mtu); err != nil {
		return fmt.Errorf("port %s: %w", a.settings.Name, err)
	}
	return nil
}

// setState sets the interface of a port up or down, or back to the state before the first change. An interface
// that is down because its link is lost (link_loss: forward) stays down.
func (m *managed) setState(a *attachment, state model.AdminStatus) (err error) {
	switch {
	case state == model.AdminDown:
		err = a.host.owned.SetDown()
	case a.carrier.taken:
	case state == model.AdminUp:
		err = a.host.owned.SetUp()
	default:
		err = a.host.owned.ReturnState()
	}
	if err != nil {
		return fmt.Errorf("port %s: %w", a.settings.Name, err)
	}
	return nil
}
