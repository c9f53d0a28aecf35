package path

import (
	"testing"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/dataplane/place"
)

// TestPartnerRestart: the partner starts anew under load; both directions go on
// by themselves, and nothing comes twice or out of order.
func TestPartnerRestart(t *testing.T) {
	p := up(t, defaults())
	if err := p.run(500, time.Second); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		p.a.offer(p.a.sent + 8)
		p.b.offer(p.b.sent + 8)
		p.round()
	}
	p.restart(p.b)
	restarted := p.now
	if !p.until(p.established, time.Second) {
		t.Fatalf("LLR does not come up again\na: %v\nb: %v", p.a, p.b)
	}
	if took := p.now.Sub(restarted); took > 50*time.Millisecond {
		t.Errorf("it took %v to come up again", took)
	}
	n := max(p.a.sent, p.b.sent) + 1000
	if err := p.run(n, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if got := p.a.l.LLR.Counters().PartnerRestart; got != 1 {
		t.Errorf("partner_restart = %d, want 1", got)
	}
}

// restart replaces an end's uelink by a new one at the same wire and host: what
// it held is lost.
func (p *pair) restart(e *end) { p.restartAt(e, nil) }

// restartAt is restart with the place that the new uelink finds; nil: it finds none.
func (p *pair) restartAt(e *end, at *place.Place) {
	fresh := newPair(p.o, uint64(p.now)+99).b
	edge, wireIn := e.edge.device(), e.l.Port.device()
	drain(e)
	fresh.x.Attach(fresh.edge, []frame.Device{edge}, e.edge.iface.mac, p.o.mtu)
	fresh.x.Attach(&fresh.l.Port, []frame.Device{wireIn}, e.l.Port.iface.mac, p.o.mtu+p.o.overhead())
	fresh.x.SetUp(&fresh.l.Port, true, p.now)
	if at != nil {
		fresh.l.Bookmark.Set(at)
	}
	e.x, e.edge, e.l = fresh.x, fresh.edge, fresh.l
}

// drain takes every posting back from the devices of an end that is to go, and
// gives its chunks back.
func drain(e *end) {
	e.x.dropQueued(&e.l.Port)
	e.x.dropQueued(e.edge)
	for e.l.Port.Slots.Posted+e.edge.Slots.Posted > 0 {
		e.x.flush()
		e.l.Port.complete()
		e.edge.complete()
	}
}

// TestInterfaceDeletedAndCreatedAgain: the link port loses its device with
// frames outstanding and gets a new one.
func TestInterfaceDeletedAndCreatedAgain(t *testing.T) {
	p := up(t, defaults())
	for range 20 {
		p.a.offer(p.a.sent + 8)
		p.round()
	}
	p.a.x.Detach(&p.a.l.Port, p.now)
	p.b.x.Detach(&p.b.l.Port, p.now)
	p.a.linkIn, p.b.linkIn = nil, nil
	for range 100 {
		p.a.offer(p.a.sent + 8)
		p.round()
	}
	g := p.o.cut(frame.Geometry{RX: 2 * p.o.ring, Spare: p.o.ring,
		TX: p.o.ring + p.o.profile.MaxOutstandingFrames}, p.o.mtu+p.o.overhead())
	a, b := mem.NewPair(g, g, p.o.ring)
	p.a.plug(p, a, 11)
	p.b.plug(p, b, 12)
	if !p.until(p.established, time.Second) {
		t.Fatalf("LLR does not come up again\na: %v\nb: %v", p.a, p.b)
	}
	if err := p.run(p.a.sent+500, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if p.b.gaps == 0 {
		t.Log("nothing was outstanding when the device went")
	}
}

// TestCarrierFlapLosesNothing: frames wait for the carrier.
func TestCarrierFlapLosesNothing(t *testing.T) {
	p := up(t, defaults())
	for range 20 {
		p.a.offer(p.a.sent + 8)
		p.b.offer(p.b.sent + 8)
		p.round()
	}
	p.setCarrier(false)
	for range 200 {
		p.a.offer(p.a.sent + 8)
		p.round()
	}
	p.setCarrier(true)
	p.carry(t, max(p.a.sent, p.b.sent)+500)
}

func TestEdgeDownDropsAndCounts(t *testing.T) {
	p := up(t, defaults())
	p.b.x.SetUp(p.b.edge, false, p.now)
	p.a.offer(8)
	p.settleRounds()
	if got := p.b.edge.Counters.TxDropDown; got != 8 {
		t.Errorf("TxDropDown = %d, want 8", got)
	}
	if frames, _ := p.a.l.LLR.Tx.Outstanding(); frames != 0 {
		t.Errorf("%d frames stay unacknowledged because the partner's edge is down", frames)
	}
}
