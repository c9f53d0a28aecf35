package path

import (
	"testing"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/wire"
)

// plugEdge gives the edge port of an end another interface, and host.
func (e *end) plugEdge(p *pair) {
	dev, host := p.edgeWire(frame.Geometry{RX: 2 * p.o.ring, Spare: p.o.ring, TX: p.o.ring})
	e.host = mem.NewHost(host)
	e.x.Attach(e.edge, []frame.Device{dev}, wire.MAC{2}, p.o.mtu)
	e.x.SetUp(e.edge, true, p.now)
}

// waiting is a pair with so many frames of a that wait for its link, whose carrier is away.
func waiting(t *testing.T, n uint64) *pair {
	t.Helper()
	p := up(t, defaults())
	p.setCarrier(false)
	for p.a.sent < n {
		p.a.offer(n)
		p.round()
	}
	if p.a.l.Port.egress.waiting != int(n) {
		t.Fatalf("%d frames wait, want %d", p.a.l.Port.egress.waiting, n)
	}
	return p
}

// What has been received and waits is sent although the interface that it came in by has
// gone: before what comes in by the next one.
func TestWhatWaitsOutlivesItsIngress(t *testing.T) {
	p := waiting(t, 40)
	dev := p.a.edge.device().(*mem.Device)
	p.a.x.Detach(p.a.edge, p.now)
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.a.x.conserved(); err != nil {
		t.Fatal(err)
	}
	p.a.plugEdge(p)
	p.setCarrier(true)
	p.carry(t, 100)
	if n := p.a.edge.Counters.RxDropDetached; n != 0 {
		t.Errorf("%d frames were dropped", n)
	}
	if err := p.a.invariant(); err != nil {
		t.Error(err)
	}
}

// It has until drain_timeout is over; then it is dropped and counted, once.
func TestWhatWaitsOfAnIngressIsDroppedInTheEnd(t *testing.T) {
	p := waiting(t, 40)
	p.a.x.Detach(p.a.edge, p.now)
	p.pass(1900e6)
	if p.a.l.Port.egress.waiting != 40 {
		t.Errorf("%d frames wait before drain_timeout is over", p.a.l.Port.egress.waiting)
	}
	p.pass(200e6)
	if c := p.a.edge.Counters.RxDropDetached; c != 40 || p.a.l.Port.egress.waiting != 0 {
		t.Errorf("%d frames were dropped, %d wait", c, p.a.l.Port.egress.waiting)
	}
	if err := p.a.x.conserved(); err != nil {
		t.Error(err)
	}
	p.a.plugEdge(p)
	p.setCarrier(true)
	if !p.until(p.established, time.Second) || !p.crosses(sized(100, 9)) {
		t.Error("the next interface's frames do not cross")
	}
}

// What waits for an edge that goes down, or away, is dropped and counted.
func TestWhatWaitsForAnEdgeThatGoesDown(t *testing.T) {
	for name, goes := range map[string]func(p *pair){
		"down": func(p *pair) { p.b.x.SetUp(p.b.edge, false, p.now) },
		"away": func(p *pair) { p.b.x.Detach(p.b.edge, p.now) },
	} {
		t.Run(name, func(t *testing.T) {
			p := up(t, defaults())
			p.b.holdEdge().hold = true
			for p.b.edge.egress.waiting < 20 {
				p.a.offer(1000)
				p.round()
			}
			waited := uint64(p.b.edge.egress.waiting)
			goes(p)
			if c := p.b.edge.Counters.TxDropDown; c != waited || p.b.edge.egress.waiting != 0 {
				t.Errorf("%d of %d frames were dropped, %d wait", c, waited, p.b.edge.egress.waiting)
			}
			if err := p.b.x.conserved(); err != nil {
				t.Error(err)
			}
		})
	}
}
