package station

import (
	"cmp"
	"slices"

	"go.uber.org/zap"

	"uelink/internal/snapshot"
	"uelink/lldp/agent"
	"uelink/lldp/dcbnl"
)

// The states of DCBNL on a port.
const (
	dcbnlOff     = "off"
	dcbnlWaiting = "waiting" // waits for DCBX to run, or for the driver
	dcbnlApplied = "applied"
	dcbnlFailed  = "failed"
)

// NIC reads and programs NICs by DCBNL, as [dcbnl.Kernel] does. Any goroutine may call the methods.
type NIC interface {
	Read(ifname string, s dcbnl.Settings) (*dcbnl.Former, error)
	Apply(ifname string, s dcbnl.Settings, f *dcbnl.Former) error
	Restore(ifname string, f *dcbnl.Former) error
}

// program is the state of programming a port's NIC with the outcome of DCBX. A driver may be slow:
// one goroutine per port waits for the driver.
//
//	off ──► former settings are read ──► outcome is applied, again after each change ──► former settings are restored
type program struct {
	ifindex uint32         // interface for which the settings in wanted are; 0: nothing was programmed yet
	ifname  string         // name that the interface had, once it is detached
	wanted  dcbnl.Settings // latest settings
	former  *dcbnl.Former  // former settings of the NIC, never changed; nil: not read yet
	ends    bool           // the former settings must be restored
	busy    bool           // the goroutine runs
	status  string         // a state of DCBNL; empty: nothing was to be programmed yet
	problem string         // error of the last attempt
}

// programState returns a snapshot of the programming of the NIC by DCBNL: off, waiting, applied or failed.
func (p *port) programState() agent.DCBNL {
	d := agent.DCBNL{Status: p.program.status, Error: p.program.problem}
	if !p.config.DCBNL {
		d = agent.DCBNL{Status: dcbnlOff}
	} else if d.Status == "" {
		d.Status = dcbnlWaiting
	}
	return d
}

// programNIC starts programming a port's NIC if DCBNL is on, DCBX runs, and the settings or the
// interface have changed. Without DCBNL or DCBX in the configuration the NIC gets its former settings back.
// Clauses: DCBX/feature.8.
func (a *Agents) programNIC(p *port) {
	if !p.config.DCBNL || !p.exchange.on {
		a.releaseNIC(p)
		return
	}
	if !p.exchange.running() || p.socket == nil || p.program.ends {
		return
	}
	s := p.exchange.port.Snapshot()
	wanted := dcbnl.Settings{PG: s.PG.Oper.OperCfg, PFC: s.PFC.Oper.OperCfg}
	if p.exchange.ieee.Running() {
		wanted = dcbnl.Settings{IEEE: p.exchange.settings()}
	}
	if p.program.ifindex == p.link.Index && wanted.Equal(p.program.wanted) {
		return // nothing new, for example after a link reset that the programming itself has caused
	}
	p.program.ifindex, p.program.wanted, p.program.status = p.link.Index, wanted, dcbnlWaiting
	a.startProgram(p)
}

// releaseNIC starts restoring a port's NIC, if its former settings were read. Settings that wait to be programmed are
// given up.
func (a *Agents) releaseNIC(p *port) {
	g := &p.program
	if g.ends || g.former == nil && g.ifindex == 0 {
		return
	}
	g.ifindex, g.wanted, g.status, g.problem = 0, dcbnl.Settings{}, "", ""
	g.ifname = p.nicName() // the port may lose its interface before the driver is asked
	g.ends = g.former != nil
	a.startProgram(p)
}

// forgetNIC forgets the settings programmed into a NIC that is gone.
func (p *port) forgetNIC() { p.program = program{busy: p.program.busy} }

// replaceNIC hands the NIC of an ending port to the new port on the same interface, which restores the NIC later.
// Without a new port the NIC is restored now.
func (a *Agents) replaceNIC(old *port, ports []*port) {
	i := slices.IndexFunc(ports, func(p *port) bool { return p.config.Interface == old.config.Interface })
	if i < 0 {
		a.releaseNIC(old)
		return
	}
	ports[i].program.former = old.program.former
	old.program.former, old.program.ends, old.program.status = nil, false, ""
}

// nicName returns the name of the port's interface.
func (p *port) nicName() string { return cmp.Or(p.link.Name, p.program.ifname, p.config.Interface) }

// startProgram starts the goroutine that waits for the driver of a port's NIC.
func (a *Agents) startProgram(p *port) {
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

// runProgram does all work on a port's NIC, until none is left.
func (a *Agents) runProgram(p *port) {
	for work := a.nextWork(p); work != nil; work = a.nextWork(p) {
		work()
	}
}

// nextWork returns the next work on a port's NIC, nil if there is none. The caller runs the work without holding the
// lock, because a driver may be slow. Closed agents only restore.
func (a *Agents) nextWork(p *port) func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	nic, ifname, wanted, former := a.config.NIC, p.nicName(), p.program.wanted, p.program.former
	switch {
	case p.program.ends:
		return func() { a.restored(p, former, nic.Restore(ifname, former)) }
	case p.program.status != dcbnlWaiting || a.closed:
		p.program.busy = false
		return nil
	case former == nil:
		return func() {
			f, err := nic.Read(ifname, wanted)
			a.noted(p, wanted, f, err)
		}
	}
	return func() { a.programmed(p, wanted, nic.Apply(ifname, wanted, former)) }
}

// noted records f, the settings of a NIC from before its first programming, so that nothing is applied without a way
// back. s are the settings to program, and err is the driver's answer to reading f.
func (a *Agents) noted(p *port, s dcbnl.Settings, f *dcbnl.Former, err error) {
	if err != nil {
		a.programmed(p, s, err)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.program.status == dcbnlWaiting && !a.closed {
		p.program.former = f
	}
}

// restored publishes as an event whether a NIC has its former settings again; err is the driver's answer. There is no
// second attempt.
func (a *Agents) restored(p *port, f *dcbnl.Former, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p.program.former != f {
		return // another port has taken the NIC over
	}
	p.program.former, p.program.ends = nil, false
	e := agent.Event{Kind: agent.EventDCBNL, Text: "the NIC has its former settings again"}
	if err != nil {
		e.Text = err.Error()
		a.log.Warn("the NIC keeps the settings of DCBX, not the former settings", zap.String("port", p.config.Name),
			zap.Error(err))
	}
	a.emit(p, e, a.now())
}

// programmed records, and publishes as an event, whether the driver has accepted the settings s; err is the driver's
// answer.
// Clauses: DCBX/feature-tlv.16.
func (a *Agents) programmed(p *port, s dcbnl.Settings, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !s.Equal(p.program.wanted) {
		return // newer settings wait
	}
	e := agent.Event{Kind: agent.EventDCBNL, Text: "programmed: " + s.String()}
	p.program.status, p.program.problem = dcbnlApplied, ""
	if err != nil {
		p.program.status, p.program.problem = dcbnlFailed, err.Error()
		e.Text = p.program.problem
	}
	a.emit(p, e, a.now())
}

// passState saves to snapshot s, or restores from it, the settings programmed into a port's NIC, and the former
// settings. Work begun in the other process begins again.
func (g *program) passState(s *snapshot.State) {
	snapshot.Number(s, "ifindex", &g.ifindex)
	s.Struct("wanted", &g.wanted)
	s.Struct("former", &g.former)
	snapshot.Text(s, "status", &g.status)
	snapshot.Text(s, "problem", &g.problem)
	if s.Restoring() && g.status == dcbnlWaiting {
		g.ifindex = 0
	}
}
