package agent

import "uelink/lldp/dcbnl"

// The states of DCBNL on a port.
const (
	dcbnlOff     = "off"
	dcbnlWaiting = "waiting" // for DCBX to run, or for the driver
	dcbnlApplied = "applied"
	dcbnlFailed  = "failed"
)

// program is the programming of a port's NIC by what DCBX has come to. A driver
// may take its time: a goroutine of its own waits for it, one for each port.
type program struct {
	ifname  string         // never changes
	ifindex uint32         // that wanted is of; 0: nothing has been programmed
	wanted  dcbnl.Settings // the latest
	busy    bool           // the goroutine works
	status  string
	problem string
}

// programState is a snapshot of the programming.
func (p *port) programState() DCBNL {
	d := DCBNL{Status: p.program.status, Error: p.program.problem}
	if !p.config.DCBNL {
		d = DCBNL{Status: dcbnlOff}
	} else if d.Status == "" {
		d.Status = dcbnlWaiting
	}
	return d
}

// programNIC has the NIC of a port programmed, if that is wanted and the settings
// are not those that it has been given already.
func (a *Agents) programNIC(p *port) {
	if !p.config.DCBNL || !p.exchange.on || !p.exchange.port.Running() || p.socket == nil {
		return
	}
	s := p.exchange.port.Snapshot()
	wanted := dcbnl.Settings{PG: s.PG.Oper.OperCfg, PFC: s.PFC.Oper.OperCfg}
	if p.program.ifindex == p.link.Index && wanted == p.program.wanted {
		return // also after a reset that the programming has led to
	}
	p.program.ifindex, p.program.wanted, p.program.status = p.link.Index, wanted, dcbnlWaiting
	if !p.program.busy {
		p.program.busy = true
		a.programs.Go(func() { a.runProgram(p) })
	}
}

// runProgram gives the driver the wanted settings until there are no others.
func (a *Agents) runProgram(p *port) {
	for settings, apply := a.nextProgram(p); apply != nil; settings, apply = a.nextProgram(p) {
		a.programmed(p, settings, apply(p.program.ifname, settings))
	}
}

// nextProgram is what is still to be given, and how; nil if there is nothing.
func (a *Agents) nextProgram(p *port) (dcbnl.Settings, func(string, dcbnl.Settings) error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.program.busy = p.program.status == dcbnlWaiting && !a.closed
	if !p.program.busy {
		return dcbnl.Settings{}, nil
	}
	return p.program.wanted, a.config.Apply
}

// programmed takes the driver's answer.
func (a *Agents) programmed(p *port, s dcbnl.Settings, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s != p.program.wanted {
		return // there are others already
	}
	e := Event{Kind: EventDCBNL, Text: "programmed: PG " + s.PG.String() + ", PFC " + s.PFC.String()}
	p.program.status, p.program.problem = dcbnlApplied, ""
	if err != nil {
		p.program.status, p.program.problem = dcbnlFailed, err.Error()
		e.Text = p.program.problem
	}
	a.emit(p, e, a.now())
}
