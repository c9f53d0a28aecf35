package cbfc

import (
	"testing"

	"uelink/wire"
)

// TestNoAllocation of all that a frame path calls, over starts, stops and restarts.
func TestNoAllocation(t *testing.T) {
	p := started(t, settingsOf(3, 100))
	other := settingsOf(1, 100)
	both := settingsOf(3, 100)
	a, b := make([]wire.CtlOS, 0, 32), make([]wire.CtlOS, 0, 32)
	if n := testing.AllocsPerRun(100, func() {
		p.now += ms
		for vc := range uint8(3) {
			credits, gate := p.a.Tx.Gate(vc, 1514)
			if gate != Open {
				p.a.Tx.Block(vc, p.now)
				continue
			}
			p.a.Tx.Charge(vc, credits, p.now)
			p.b.Rx.Free(vc, p.b.Rx.Store(vc, 1514))
		}
		if p.a.Tx.CCDue(p.now) {
			p.update(wire.DialectSeed)
		}
		switch p.now / ms % 7 {
		case 3:
			p.a.Configure(other, p.now)
		case 6:
			p.a.Configure(both, p.now)
		}
		a = p.a.Poll(p.now, &p.a.env, a[:0])
		p.b.ReceivedControl(a, &p.b.env, p.now)
		b = p.b.Poll(p.now, &p.b.env, b[:0])
		p.a.ReceivedControl(b, &p.a.env, p.now)
		p.a.Deadline()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
