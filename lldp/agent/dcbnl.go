package agent

import (
	"cmp"

	"uelink/lldp/dcbnl"
)

// The states of DCBNL on a port.
const (
	dcbnlOff     = "off"
	dcbnlWaiting = "waiting" // for DCBX to run, or for the driver
	dcbnlApplied = "applied"
	dcbnlFailed  = "failed"
)

// program is the state of programming a port's NIC with the outcome of DCBX. A driver may be slow:
// one goroutine per port waits for the driver.
type program struct {
	ifindex uint32         // the interface of wanted; 0: nothing programmed yet
	wanted  dcbnl.Settings // latest settings
	busy    bool           // the goroutine runs
	status  string
	problem string
}

// programState returns a snapshot of the programming of the NIC by DCBNL: off, waiting, applied or failed.
func (p *port) programState() DCBNL {
	d := DCBNL{Status: p.program.status, Error: p.program.problem}
	if !p.config.DCBNL {
		d = DCBNL{Status: dcbnlOff}
	} else if d.Status == "" {
		d.Status = dcbnlWaiting
	}
	return d
}

// programNIC starts programming a port's NIC if DCBNL is on, DCBX runs, and the settings or the
// interface have changed.
func (a *Agents) programNIC(p *port) {
	if !p.config.DCBNL || !p.exchange.on || !p.exchange.running() || p.socket == nil {
		return
	}
	s := p.exchange.port.Snapshot()
	wanted := dcbnl.Settings{PG: s.PG.Oper.OperCfg, PFC: s.PFC.Oper.OperCfg}
	if p.exchange.ieee.Running() {
		wanted = dcbnl.Settings{IEEE: p.exchange.settings()}
	}
	if p.program.ifindex == p.link.Index && wanted.Equal(p.program.wanted) {
		return // also after a link reset caused by the programming
	}
	p.program.ifindex, p.program.wanted, p.program.status = p.link.Index, wanted, dcbnlWaiting
	if !p.program.busy {
		p.program.busy = true
		a.programs.Go(func() { a.runProgram(p) })
	}
}

// settings returns the outcome of IEEE DCBX for a NIC. PFC without an agreement stays as configured.
func (e *exchange) settings() *dcbnl.IEEE {
	s := e.ieee.Snapshot()
	all := &dcbnl.IEEE{ETS: s.Own.ETS, Recommendation: s.Own.Recommendation, PFC: s.Own.PFC, App: s.Oper.App}
	all.ETS.ETS, all.PFC.Enable = s.Oper.ETS, s.Oper.PFC
	return all
}

// runProgram passes the port's DCBX settings to the NIC's driver by DCBNL, until no newer settings wait.
func (a *Agents) runProgram(p *port) {
	for ifname, settings, apply := a.nextProgram(p); apply != nil; ifname, settings, apply = a.nextProgram(p) {
		a.programmed(p, settings, apply(ifname, settings))
	}
}

// nextProgram returns the name of the NIC, the settings to program into it, and the function that does so; the function
// is nil if nothing waits.
func (a *Agents) nextProgram(p *port) (ifname string, s dcbnl.Settings, apply func(string, dcbnl.Settings) error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.program.busy = p.program.status == dcbnlWaiting && !a.closed
	if !p.program.busy {
		return "", dcbnl.Settings{}, nil
	}
	return cmp.Or(p.link.Name, p.config.Interface), p.program.wanted, a.config.Apply
}

// programmed records, and publishes as an event, whether the driver has accepted the settings s; err is its
// answer.
func (a *Agents) programmed(p *port, s dcbnl.Settings, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !s.Equal(p.program.wanted) {
		return // newer settings wait
	}
	e := Event{Kind: EventDCBNL, Text: "programmed: " + s.String()}
	p.program.status, p.program.problem = dcbnlApplied, ""
	if err != nil {
		p.program.status, p.program.problem = dcbnlFailed, err.Error()
		e.Text = p.program.problem
	}
	a.emit(p, e, a.now())
}
