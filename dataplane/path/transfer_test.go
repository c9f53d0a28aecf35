package path

import (
	"testing"
	"time"

	"uelink/dataplane/bridge"
)

// transferred takes the ports of an end to another domain, the one that waits for most last.
func (e *end) transferred(p *pair, bridged bool) error {
	from := e.x
	to := NewDomain(from.Drain)
	ports := []*Port{e.edge, &e.l.Port}
	for _, port := range ports {
		from.Transfer(port, to, p.now)
		for _, d := range []*Domain{from, to} {
			if err := d.conserved(); err != nil {
				return err
			}
		}
	}
	e.x = to
	if bridged {
		to.Bridge = bridge.New(bridge.Settings{MaxEntries: 16, Ageing: time.Minute}, 1, p.now)
		for _, port := range ports {
			if err := to.Bridge.SetPort(port.Number, bridge.PortSettings{}); err != nil {
				return err
			}
		}
		return nil
	}
	e.edge.Other, e.l.Port.Other = &e.l.Port, e.edge
	return nil
}

// Ports are taken to other domains, of xconnects and of bridges, in the midst of traffic: each frame is delivered once
// and in order, what LLR holds goes on, and nothing is left over in either domain.
func TestPortsAreTakenToOtherDomains(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	o.profile.ReInitOnFlush, o.profile.MaxOutstandingFrames = false, 8 // the rest waits
	p := up(t, o)
	rounds, waited := 0, 0
	err := p.runWith(3000, 60*time.Second, func() {
		if rounds++; rounds%10 != 0 {
			return
		}
		for _, e := range []*end{p.a, p.b} {
			waited += e.l.Port.egress.waiting + e.edge.egress.waiting
			if err := e.transferred(p, false); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*end{p.a, p.b} {
		if c := e.l.LLR.Counters(); e.gaps != 0 || c.TxFlush+c.TxReinit+c.TxFlushedFrames != 0 {
			t.Errorf("end %s: %d frames never came; %+v", e.name, e.gaps, c)
		}
	}
	if waited < 100 {
		t.Errorf("%d rounds, and %d frames waited when ports were taken away: the test shows nothing", rounds, waited)
	}
}

// What waits for a link is taken with it, what came in by an edge that is taken away waits on, and both are counted
// when they wait for too long.
func TestWhatWaitsWhenPortsAreTaken(t *testing.T) {
	p := waiting(t, 40)
	if err := p.a.transferred(p, true); err != nil {
		t.Fatal(err)
	}
	if p.a.l.Port.egress.waiting != 40 {
		t.Fatalf("%d frames wait, want 40", p.a.l.Port.egress.waiting)
	}
	p.pass(1900e6)
	if p.a.l.Port.egress.waiting != 40 {
		t.Errorf("%d frames wait before drain_timeout is over", p.a.l.Port.egress.waiting)
	}
	p.pass(200e6)
	if n := p.a.l.Port.Counters.RxDropDetached + p.a.edge.Counters.RxDropDetached; n != 40 ||
		p.a.l.Port.egress.waiting != 0 {
		t.Errorf("%d frames are counted, %d wait", n, p.a.l.Port.egress.waiting)
	}
	if err := p.a.x.conserved(); err != nil {
		t.Error(err)
	}
}
