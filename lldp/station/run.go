package station

import (
	"context"
	"time"

	"uelink/lldp"
	"uelink/wire"
)

// Run runs the agents until ctx ends or Close is called. It sends no shutdown LLDPDUs: Close does.
func (a *Agents) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, a.waiter.wake)
	defer stop()
	for ctx.Err() == nil {
		sleep, open := a.round()
		if !open {
			return nil
		}
		a.waiter.wait(sleep)
	}
	return nil
}

// round does all work of the agents that is due now. It returns the time in ns until more work is due (-1: none is
// planned), and whether the agents are still open.
func (a *Agents) round() (sleep time.Duration, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return 0, false
	}
	now := a.now()
	if a.links.changed(a.message[:]) {
		a.dirty = true
	}
	if a.station.refreshName() {
		a.dirty = true
	}
	if now >= a.reconcileDue() {
		// The error of an interface is recorded at its port.
		_ = a.reconcile(now)
	}
	more := false
	for _, p := range a.ports {
		if p.receive(now, a.buf[:], func(agent *lldp.Agent, events []lldp.Event) { a.report(p, agent, events, now) }) {
			more = true
		}
		a.work(p, now)
	}
	if more {
		a.waiter.clear()
		return floodPause, true
	}
	a.listen()
	return a.sleep(now), true
}

// reconcileDue returns when reconcile must run next: soon after a change, later after a failure, else wire.Never.
func (a *Agents) reconcileDue() wire.Time {
	switch {
	case a.dirty:
		return a.reconciledAt.Add(reconcileSpacing)
	case a.retry:
		return a.reconciledAt.Add(retryPeriod)
	}
	return wire.Never
}

// sleep returns the time in ns until work of the agents is due, or -1 if none is planned.
func (a *Agents) sleep(now wire.Time) time.Duration {
	at := a.reconcileDue()
	for _, p := range a.ports {
		at = min(at, p.deadline())
	}
	if at == wire.Never {
		return -1
	}
	return max(0, at.Sub(now))
}

// work runs the agents of a port, sends their frames, reports their events, and watches for other LLDP agents of
// this host.
func (a *Agents) work(p *port, now wire.Time) {
	if p.exchange.poll(now) {
		p.localChange()
	}
	for _, agent := range p.agents {
		for range 4 { // at most: a shutdown LLDPDU, a frame, and frames that follow from their events
			out, events := agent.Poll(now, nil, nil)
			p.send(out)
			a.report(p, agent, events, now)
			if agent.Deadline() > now {
				break
			}
		}
	}
	a.reportNegotiation(p, now)
	a.reportDCBX(p, now)
	if p.socket == nil {
		return
	}
	p.tap.run(int(p.link.Index), now)
	a.reportOther(p, p.tap.lastOfOthers(a.buf[:], framesPerRound, p.ours), now)
}

// listen sets the file descriptors that wake Run: of the kernel's messages about interfaces, of the host name, and of
// the ports' sockets.
func (a *Agents) listen() {
	a.waiter.clear()
	a.waiter.add(a.links.fd)
	a.waiter.addChange(a.host)
	for _, p := range a.ports {
		if p.socket != nil {
			a.waiter.add(p.socket.fd)
		}
		if p.tap.socket != nil {
			a.waiter.add(p.tap.socket.fd)
		}
	}
}
