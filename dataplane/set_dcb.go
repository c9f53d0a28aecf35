package dataplane

import (
	"fmt"

	"uelink/dataplane/model"
	"uelink/wire"
)

// SetDCB applies the result of DCBX with the host of an edge port until the next call. PFC follows the result where
// PFCSettings.Dynamic is set, the scheduler where PortSettings.Groups is set. The result is kept for a port that a
// later reload makes an edge; the result in force changes nothing. Errors: ErrNoPort, ErrNotEdge.
func (d *Dataplane) SetDCB(port string, b model.DCB) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	same := d.dcb[port] == b
	d.dcb[port] = b
	if b == (model.DCB{}) {
		delete(d.dcb, port)
	}
	g, a := d.find(port)
	switch {
	case a == nil:
		return fmt.Errorf("%s: %w", port, ErrNoPort)
	case a.settings.Role != model.RoleEdge:
		return fmt.Errorf("%s: %w", port, ErrNotEdge)
	}
	if !same {
		g.applyDCB(a, b)
	}
	return nil
}

// applyDCB makes an edge port use the result of DCBX for PFC and the scheduler.
func (g *group) applyDCB(a *attachment, b model.DCB) {
	g.worker.Do(func(now wire.Time) {
		a.port.DCB = b
		a.port.Set(a.settings, now)
	})
}
