package agent

import (
	"context"

	"uelink/lldp"
)

// Run lets the agents work until ctx ends or Close is called. The agents stay as
// they are then: Close says good-bye.
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

// round does everything that is to be done now. It returns for how long there will
// be nothing to do (-1: for ever) and whether the agents are still open.
func (a *Agents) round() (sleep int64, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return 0, false
	}
	now := a.now()
	if a.links.changed(a.message[:]) {
		a.dirty = true
	}
	if now >= a.reconcileDue() {
		// What goes wrong with one interface is that port's trouble.
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

// reconcileDue is when the interfaces are to be looked at.
func (a *Agents) reconcileDue() int64 {
	switch {
	case a.dirty:
		return a.reconciledAt + reconcileSpacing
	case a.retry:
		return a.reconciledAt + retryPeriod
	}
	return never
}

// sleep is how long there is nothing to do.
func (a *Agents) sleep(now int64) int64 {
	at := a.reconcileDue()
	for _, p := range a.ports {
		at = min(at, p.deadline())
	}
	if at == never {
		return -1
	}
	return max(0, at-now)
}

// work lets the machines of a port run and watches for other agents.
func (a *Agents) work(p *port, now int64) {
	for _, agent := range p.agents {
		for range 4 { // a good-bye, a frame, and what that leads to
			out, events := agent.Poll(now, nil, nil)
			p.send(out)
			a.report(p, agent, events, now)
			if agent.Deadline() > now {
				break
			}
		}
	}
	a.tellNegotiation(p, now)
	a.tellDCBX(p, now)
	if p.socket == nil {
		return
	}
	p.tap.run(int(p.link.Index), now)
	a.tellOther(p, p.tap.lastOfOthers(a.buf[:], framesPerRound, p.ours), now)
}

// listen makes the list of what wakes Run.
func (a *Agents) listen() {
	a.waiter.clear()
	a.waiter.add(a.links.fd)
	for _, p := range a.ports {
		if p.socket != nil {
			a.waiter.add(p.socket.fd)
		}
		if p.tap.socket != nil {
			a.waiter.add(p.tap.socket.fd)
		}
	}
}
