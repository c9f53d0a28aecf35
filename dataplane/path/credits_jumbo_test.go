package path

import (
	"slices"
	"testing"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
)

// setMTU gives all ports of the pair what an MTU of their edges needs.
func (p *pair) setMTU(mtu int) {
	for _, e := range []*end{p.a, p.b} {
		e.x.SetMTU(e.edge, mtu)
		e.x.SetMTU(&e.l.Port, mtu+p.o.overhead())
	}
}

// Jumbo frames that come to be allowed while a channel is lossless, and cost more than its limit: the channel is best
// effort from then on and says why, and frames of both lengths cross. When the MTU is lowered it is lossless again.
func TestMTUThatOutgrowsALimit(t *testing.T) {
	o := credited(4) // of 1024 octets
	o.chunk, o.mtu = 4096, 9000
	p := newPair(o, 7)
	p.setMTU(1500)
	p.lossless(t)
	p.a.heard(model.EventVC)
	p.setMTU(9000)
	f, short := frametest.Long(9014), frametest.Long(1514)
	p.pass(2 * time.Second) // until it is known that such frames cross
	for range 3 {
		p.a.host.Send(f)
		p.a.host.Send(short)
		p.b.want(t, p, f, short)
	}
	const text = "VC 1: best_effort: the partner's limit of 4 credits is less than the 9 that a frame of 9018 octets costs"
	if texts := p.a.heard(model.EventVC); !slices.Contains(texts, text) {
		t.Errorf("%q", texts)
	}
	if n := p.a.l.cbfc.Count.TooLong; n != 0 || p.a.phase(1) != cbfc.BestEffort {
		t.Errorf("%d frames dropped, %v", n, p.a.phase(1))
	}
	p.setMTU(1500)
	if !p.until(func() bool { return p.a.phase(1) == cbfc.Lossless && p.a.phase(2) == cbfc.Lossless }, time.Minute) {
		t.Errorf("%+v", p.a.vc(1))
	}
	p.nothingDropped(t)
}

// A frame that costs more than the limit, though none as long is allowed, is dropped, counted and told.
func TestFrameOverItsLimitIsTold(t *testing.T) {
	o := credited(2)
	o.chunk, o.mtu = 4096, 3000
	p := newPair(o, 7)
	p.a.x.SetMTU(p.a.edge, 1500)
	p.b.x.SetMTU(p.b.edge, 1500)
	p.lossless(t)
	p.a.host.Send(frametest.Long(2500)) // the NIC lets it in
	p.pass(10 * time.Millisecond)
	texts := p.a.heard(model.EventCredits)
	if n := p.a.l.cbfc.Count.TooLong; n != 1 || len(texts) != 1 {
		t.Errorf("%d frames dropped, %q", n, texts)
	}
}
