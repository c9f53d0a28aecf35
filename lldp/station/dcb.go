package station

import (
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
)

// DCB is the outcome of DCBX on a port. The zero value is that of a port without running DCBX.
type DCB struct {
	Running bool
	PG      Feature[dcbx.PG]
	PFC     Feature[dcbx.PFC]
	App     ieee.Classification // by IEEE's Application table; empty in CEE
}

// Feature is the last call of SetCfg of a feature (DCBX, 2.4.3.3).
// Clauses: DCBX/pg.12, DCBX/pfc.11.
type Feature[C any] struct {
	// Set is the second parameter. With FALSE the port uses its own priority groups (DCBX, 3.1.4)
	// and no PFC (3.2.4); Config holds them.
	Set    bool
	Config C // OperCfg: the configuration in operation
}

// dcb returns the outcome of DCBX for the data plane: whether DCBX runs, and the PG and PFC settings to use.
func (e *exchange) dcb() DCB {
	if e.ieee.Running() {
		return e.ieeeDCB()
	}
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

// ieeeDCB returns the outcome of IEEE DCBX for the data plane. Traffic classes appear as priority groups. Without an
// agreement about PFC no priority has PFC, as in CEE: frames of a priority that only one end pauses can be lost.
func (e *exchange) ieeeDCB() DCB {
	o := e.ieee.Outcome()
	d := DCB{
		Running: true,
		PG:      Feature[dcbx.PG]{Set: o.ETSAdopted, Config: o.ETS.Groups(e.ieee.Snapshot().Own.ETS.MaxTCs)},
		PFC:     Feature[dcbx.PFC]{Set: o.PFCAgreed, Config: dcbx.PFC{NumTCs: e.ieee.Snapshot().Own.PFC.Cap}},
		App:     ieee.Classify(o.App),
	}
	if o.PFCAgreed {
		d.PFC.Config.Enable = o.PFC
	}
	return d
}

// reportDCB passes a changed outcome of DCBX on a port to Config.DCB.
func (a *Agents) reportDCB(p *port) {
	if d := p.exchange.dcb(); d != p.dcb {
		p.dcb = d
		a.config.DCB(p.config.Name, d)
	}
}
