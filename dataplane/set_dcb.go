package dataplane

import (
	"fmt"

	"uelink/dataplane/path"
	"uelink/wire"
)

// SetDCB applies the result of DCBX with the host of an edge port until the next call. PFC follows the result where
// PFCSettings.Dynamic is set, the scheduler where PortSettings.Groups is set. The result is kept for a port that a
// later reload makes an edge. Errors: ErrNoPort, ErrNotEdge.
func (d *Dataplane) SetDCB(port string, b path.DCB) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dcb[port] = b
	if b == (path.DCB{}) {
		delete(d.dcb, port)
	}
	g, a := d.find(port)
	switch {
	case a == nil:
		return fmt.Errorf("%s: %w", port, ErrNoPort)
	case a.settings.Role != path.RoleEdge:
		return fmt.Errorf("%s: %w", port, ErrNotEdge)
	}
	g.applyDCB(a, b)
	return nil
}

// applyDCB makes an edge port use the result of DCBX for PFC and the scheduler.
func (g *group) applyDCB(a *attachment, b path.DCB) {
	g.worker.Do(func(now wire.Time) {
		a.port.DCB = b
		a.port.Set(a.settings, now)
	})
}
