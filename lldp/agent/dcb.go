package agent

import "uelink/lldp/dcbx"

// DCB is what DCBX has come to on a port. The zero value is that of a port on which it does not
// run.
type DCB struct {
	Running bool
	PG      Feature[dcbx.PG]
	PFC     Feature[dcbx.PFC]
}

// Feature is the last call of SetCfg of a feature (DCBX, 2.4.3.3).
type Feature[C any] struct {
	// Set is the second parameter. With FALSE a port goes by its own priority groups (DCBX,
	// 3.1.4) and without PFC (3.2.4), which is what Config says then.
	Set    bool
	Config C // OperCfg: what the port operates by
}

// dcb is what DCBX has come to.
func (e *exchange) dcb() DCB {
	if !e.port.Running() {
		return DCB{}
	}
	pg, pfc := e.port.Settings()
	return DCB{
		Running: true,
		PG:      Feature[dcbx.PG]{Set: pg.Apply, Config: pg.Oper},
		PFC:     Feature[dcbx.PFC]{Set: pfc.Apply, Config: pfc.Oper},
	}
}

// tellDCB tells what DCBX has come to on a port, if that is new.
func (a *Agents) tellDCB(p *port) {
	if d := p.exchange.dcb(); d != p.dcb {
		p.dcb = d
		a.config.DCB(p.config.Name, d)
	}
}
