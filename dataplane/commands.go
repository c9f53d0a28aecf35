package dataplane

import (
	"fmt"

	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/hippi"
	"uelink/wire"
)

// SetLLRLocal sets LLR_MODE_LOCAL of a link port until the next reload. In mode dynamic it sets whether this end is
// willing to receive with LLR.
func (d *Dataplane) SetLLRLocal(port string, on bool) error {
	return d.onLink(port, func(l *path.Link, now wire.Time) { l.AllowLocal(on, now) })
}

// SetLLRRemote sets LLR_MODE_REMOTE of a link port until the next reload. In mode dynamic it sets whether this end is
// willing to send with LLR.
// Clauses: SAI-LLR/port.3.
func (d *Dataplane) SetLLRRemote(port string, on bool) error {
	return d.onLink(port, func(l *path.Link, now wire.Time) { l.AllowRemote(on, now) })
}

// SetNegotiated applies the result of LLDP with the partner of a link port until the next call. In mode dynamic LLR
// goes on and off by the result; other modes ignore it. A result that is in force already changes nothing.
func (d *Dataplane) SetNegotiated(port string, n path.Negotiated) error {
	return d.onLink(port, func(l *path.Link, now wire.Time) {
		if d.agreed[port] == n {
			return
		}
		d.agreed[port] = n
		l.Agree(n, now)
	})
}

// SetVC makes the sending direction of a link port's virtual channel lossless or best effort, until the next reload; in
// mode dynamic, within the agreement of LLDP.
func (d *Dataplane) SetVC(port string, vc int, lossless bool) error {
	var refused error
	if err := d.onLink(port, func(l *path.Link, now wire.Time) { refused = l.SetVC(vc, lossless, now) }); err != nil {
		return err
	}
	if refused != nil {
		return fmt.Errorf("%s: %w", port, refused)
	}
	return nil
}

// SetDCB applies the result of DCBX with the host of an edge port until the next call. PFC follows the result where
// PFCSettings.Dynamic is set, the scheduler where PortSettings.Groups is set. The result is kept for a port that a
// later reload makes an edge. A result that is in force already changes nothing. Errors: ErrNoPort, ErrNotEdge.
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

// ReinitLLR drops the replay buffer of a link port and runs the initialisation again: the way out of FLUSH.
func (d *Dataplane) ReinitLLR(port string) error {
	return d.onLink(port, func(l *path.Link, now wire.Time) {
		l.LLR.Tx.Reinit(now)
		l.Free()
	})
}

// HIPPICommand runs a HIPPI-6400-PH command (reset, initialize or clear events) on the link port of that name.
// Errors: ErrNoPort, ErrNotLink, ErrNotHIPPI, and those of hippi.Link.ControlRequest.
func (d *Dataplane) HIPPICommand(port string, c hippi.Command) error {
	return d.onHIPPI(port, func(h *path.HIPPI, now wire.Time) error { return h.Command(c, now) })
}

// HIPPIAdmin sends an Admin micropacket on a link that speaks HIPPI-6400-PH: a command on VC1, or a response on VC2.
// Errors: ErrNoPort, ErrNotLink, ErrNotHIPPI, and those of path.HIPPI.SendAdmin.
func (d *Dataplane) HIPPIAdmin(port string, vc uint8, data model.AdminData) error {
	return d.onHIPPI(port, func(h *path.HIPPI, now wire.Time) error { return h.SendAdmin(vc, data, now) })
}

// onHIPPI runs do on the worker of a link port that speaks HIPPI-6400-PH, and returns its error. Other errors:
// ErrNoPort, ErrNotLink, ErrNotHIPPI.
func (d *Dataplane) onHIPPI(port string, do func(h *path.HIPPI, now wire.Time) error) (err error) {
	if failed := d.onPort(port, func(p *path.Port, now wire.Time) {
		if err = ErrNotHIPPI; p.HIPPI != nil {
			err = do(p.HIPPI, now)
		}
	}); failed != nil {
		return failed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", port, err)
	}
	return nil
}

// onLink runs f on the worker of a link port that speaks LLR, and waits until f has returned. f gets the link and the
// present time. Errors: ErrNoPort, ErrNotLink, ErrNotLLR.
func (d *Dataplane) onLink(port string, f func(l *path.Link, now wire.Time)) (err error) {
	if failed := d.onPort(port, func(p *path.Port, now wire.Time) {
		if p.Link == nil {
			err = fmt.Errorf("%s: %w", port, ErrNotLLR)
			return
		}
		f(p.Link, now)
	}); failed != nil {
		return failed
	}
	return err
}

// onPort runs f with a link port on the worker of the port, and waits for its end. Errors: ErrNoPort, ErrNotLink.
func (d *Dataplane) onPort(port string, f func(p *path.Port, now wire.Time)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, a := d.find(port)
	switch {
	case a == nil:
		return fmt.Errorf("%s: %w", port, ErrNoPort)
	case a.settings.Role != model.RoleLink:
		return fmt.Errorf("%s: %w", port, ErrNotLink)
	}
	g.worker.Do(func(now wire.Time) { f(a.port, now) })
	return nil
}
