package path

import (
	"testing"
	"time"

	"uelink/cbfc"
	"uelink/wire"
)

// isCCUpdate reports whether a frame of the link carries one to the partner.
func isCCUpdate(f []byte) bool {
	pre, fault := wire.ParseData(f, wire.DialectSeed)
	return wire.EtherType(f) == wire.EtherTypeData && fault == wire.NoFault && pre.Partner
}

// A CC_Update that is due while LLR's window is full goes when the window opens, and not when the next one is due.
func TestCCUpdateGoesWhenTheWindowOpens(t *testing.T) {
	o := credited(16)
	o.profile.MaxOutstandingFrames = 4
	o.ports.CBFC.CCTimer = 500e6
	p := up(t, o)
	p.lossless(t)
	p.a.between.keeps = func([]byte) bool { return true } // a hears nothing: no LLR_ACK, no CF_Update
	for n := range uint32(8) {
		p.a.host.Send(tagged(1, n))
	}
	p.pass(700e6)
	if n, _ := p.a.l.LLR.Tx.Outstanding(); n != 4 || !p.a.l.cbfc.Tx.CCDue(p.now) || p.a.l.cbfc.Count.CCUpdateTx != 0 {
		t.Fatalf("%d outstanding, due: %v, %d sent", n, p.a.l.cbfc.Tx.CCDue(p.now), p.a.l.cbfc.Count.CCUpdateTx)
	}
	p.a.between.keeps = nil
	p.pass(50e6)
	if p.a.l.cbfc.Count.CCUpdateTx != 1 || p.b.l.cbfc.Count.CCUpdateRx != 1 {
		t.Errorf("%d CC_Updates were sent when the window opened, %d arrived", p.a.l.cbfc.Count.CCUpdateTx,
			p.b.l.cbfc.Count.CCUpdateRx)
	}
	p.atRest(t, 1)
}

// A START waits for a CC_Update that is not acknowledged: LLR might bring it behind the start, and its counts are those
// of before.
func TestStartWaitsForACCUpdate(t *testing.T) {
	p := up(t, credited(16))
	p.lossless(t)
	p.b.edge.egress.halted = 1 << 1
	for n := range uint32(10) {
		p.a.host.Send(tagged(1, n))
	}
	p.b.between.keeps = isCCUpdate
	lost := func() bool { n, _ := p.a.l.LLR.Tx.Outstanding(); return p.b.between.buffered > 0 && n == 1 }
	if !p.until(lost, time.Second) {
		t.Fatalf("no CC_Update is lost: %+v", p.a.l.cbfc.State(p.now))
	}
	set := func(lossless bool) {
		if err := p.a.l.SetVC(2, lossless, p.now); err != nil {
			t.Fatal(err)
		}
	}
	set(false)
	p.pass(5e6)
	set(true)
	p.pass(200e6)
	if got := p.a.phase(2); got != cbfc.Draining {
		t.Errorf("with a CC_Update outstanding the channel is %v", got)
	}
	if n, _ := p.a.l.LLR.Tx.Outstanding(); n != 1 {
		t.Errorf("%d frames are outstanding", n)
	}
	p.b.between.keeps = nil
	p.b.edge.egress.halted = 0
	p.lossless(t)
	for vc := 1; vc <= 2; vc++ {
		p.atRest(t, vc)
	}
	if v := p.b.vc(2).Counters; v.CCBackwards+v.Repaired != 0 {
		t.Errorf("%+v", v)
	}
}
