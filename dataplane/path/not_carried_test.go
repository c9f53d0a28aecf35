package path

import (
	"bytes"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// to is a frame to an address with these octets from its EtherType on.
func to(da wire.MAC, rest ...byte) []byte {
	f := make([]byte, 100)
	copy(f, da[:])
	copy(f[wire.AddrLen:], []byte{2, 0, 0, 0, 0, 2})
	copy(f[2*wire.AddrLen:], rest)
	return f
}

var (
	unicast = wire.MAC{2, 0, 0, 0, 0, 1}
	pauseDA = wire.MAC{0x01, 0x80, 0xC2, 0, 0, 0x01}
	lacpDA  = wire.MAC{0x01, 0x80, 0xC2, 0, 0, 0x02}
	lldpDA  = wire.MAC{0x01, 0x80, 0xC2, 0, 0, 0x0E}
)

// MAC Control of an edge host is for the other end of its own link, and so is LLDP: they
// are not carried, by their address or behind tags, whether the partner is known or not.
func TestMACControlAndLLDPAreNotCarried(t *testing.T) {
	inOneGoroutine(t)
	macControl := func(c *model.PortCounters) uint64 { return c.RxMACControl }
	lldp := func(c *model.PortCounters) uint64 { return c.RxLLDP }
	for _, mode := range []model.LLRMode{model.LLRStatic, model.LLROff} {
		for _, c := range []struct {
			name    string
			frame   []byte
			counter func(*model.PortCounters) uint64
		}{
			{"PAUSE", to(pauseDA, 0x88, 0x08, 0, 1), macControl},
			{"MAC Control to one station", to(unicast, 0x88, 0x08, 0, 1), macControl},
			{"behind a priority tag", to(unicast, 0x81, 0, 0xE0, 0, 0x88, 0x08, 0, 1), macControl},
			{"another type to the address of PAUSE", to(pauseDA, 0x08, 0x00), macControl},
			{"LLDP in a priority tag", to(lldpDA, 0x81, 0, 0xE0, 0, 0x88, 0xCC), lldp},
			{"LLDP in two tags", to(unicast, 0x88, 0xA8, 0, 5, 0x81, 0, 0, 6, 0x88, 0xCC), lldp},
		} {
			o := defaults()
			o.ports.LLR.Mode = mode
			p := newPair(o, 7)
			if mode == model.LLRStatic && !p.until(p.established, time.Second) {
				t.Fatal("LLR does not come up")
			}
			if p.crosses(c.frame) {
				t.Errorf("LLR %s, %s: it was carried", mode, c.name)
			}
			if n := c.counter(&p.a.edge.Counters); n != 1 {
				t.Errorf("LLR %s, %s: its counter is %d", mode, c.name, n)
			}
			if n := p.a.l.LLR.Counters(); n.TxReplay+n.TxDiscard != 0 {
				t.Errorf("LLR %s, %s: %+v", mode, c.name, n)
			}
		}
	}
}

// A plain device on the link is not forwarded to the host with such frames either.
func TestMACControlAndLLDPOfTheLinkAreNotDelivered(t *testing.T) {
	o := defaults()
	o.ports.LLR.Mode = model.LLROff
	l := newLone(t, o)
	for _, f := range [][]byte{to(pauseDA, 0x88, 0x08, 0, 1), to(unicast, 0x81, 0, 0xE0, 0, 0x88, 0xCC)} {
		l.give(f)
		if l.host.Recv() != nil {
			t.Errorf("delivered: % x", f[:20])
		}
	}
	if n := l.l.Port.Counters.RxNativeDropped; n != 2 {
		t.Errorf("%d dropped", n)
	}
}

// A partner that carries them all the same is acknowledged, and no host is paused or told of a neighbour that is not
// its own: neither when the frame can leave at once, nor when it would have to wait.
func TestCarriedMACControlAndLLDPAreNotDelivered(t *testing.T) {
	for _, waits := range []bool{false, true} {
		l := newLone(t, defaults())
		l.meetPartner()
		l.edge.egress.shaped, l.l.Port.sources[0].spare = waits, len(l.l.Port.sources[0].chunks)/2
		frames := [][]byte{
			to(pauseDA, 0x88, 0x08, 0, 1), to(unicast, 0x81, 0, 0xE0, 0, 0x88, 0x08, 0, 1), to(pauseDA, 0x08, 0x00),
			to(lldpDA, 0x88, 0xCC), to(unicast, 0x88, 0x99, 1),
		}
		for i, f := range frames {
			b := make([]byte, 512)
			p := wire.Preamble{Seq: uint32(100 + i), Sequenced: true, FCS: true}
			l.give(b[:wire.PutData(b, f, wire.EtherTypeData, wire.DialectSeed, p, false)])
		}
		if got := l.host.Recv(); !bytes.Equal(got, frames[4]) {
			t.Errorf("waits %v: the first frame that the host gets is % x", waits, got)
		}
		if c := l.l.Port.Counters; c.RxMACControl != 3 || c.RxLLDP != 1 || l.l.LLR.Rx.NextSeq() != 105 {
			t.Errorf("waits %v: %d and %d, next %d", waits, c.RxMACControl, c.RxLLDP, l.l.LLR.Rx.NextSeq())
		}
	}
}

// Other group addresses that do not leave a link cross in a shim without a number: what
// eats them on the way would eat each replay, and has stopped links for ever.
func TestReservedGroupAddressesAreNotSequenced(t *testing.T) {
	p := up(t, defaults())
	lacp := to(lacpDA, 0x88, 0x09, 1)
	p.a.host.Send(lacp)
	p.settleRounds()
	if out := p.b.host.Recv(); !bytes.Equal(out, lacp) {
		t.Errorf("it became % x", out)
	}
	if p.a.l.Port.Counters.TxBare != 1 || p.b.l.Port.Counters.RxBare != 1 || p.a.l.LLR.Counters().TxOK != 0 {
		t.Errorf("sent unsequenced %d, sequenced %d", p.a.l.Port.Counters.TxBare, p.a.l.LLR.Counters().TxOK)
	}
	p.b.between.keeps = func(f []byte) bool { return wire.Reserved(f) && wire.EtherType(f) == wire.EtherTypeData }
	for range 100 {
		p.a.host.Send(lacp)
		p.pass(10e3)
	}
	p.carry(t, 500)
	if n := p.a.l.LLR.Counters(); n.TxReplay != 0 || p.b.between.buffered != 100 {
		t.Errorf("the wire kept %d; %d replays", p.b.between.buffered, n.TxReplay)
	}
}

// They cross also while LLR holds frames back, and while LLR is given up they do not show
// that the partner's transmitter is off.
func TestReservedGroupAddressesWhileLLRIsNotUp(t *testing.T) {
	o := defaults()
	o.profile.InitAction = llr.Block
	p := newPair(o, 7)
	p.b.setCarrier(p, false)
	p.a.host.Send(to(lacpDA, 0x88, 0x09, 1))
	p.pass(10e6)
	if p.a.l.Port.Counters.TxNative != 1 {
		t.Errorf("to a partner that is not known %d were sent", p.a.l.Port.Counters.TxNative)
	}
	p = up(t, defaults())
	s := p.a.l.Port.settings
	s.LLR.Local = false
	p.a.l.configure(s, p.o.profile, 2*time.Second, p.now)
	p.b.host.Send(to(lacpDA, 0x88, 0x09, 1))
	p.pass(10e6)
	if p.a.host.Recv() == nil || p.a.l.LLR.Rx.State() == llr.RxOff {
		t.Errorf("receiver %v", p.a.l.LLR.Rx.State())
	}
}

func (e *end) setCarrier(p *pair, up bool) {
	e.link.SetUp(up)
	e.x.SetUp(&e.l.Port, up, p.now)
}

// A control frame of a host behind tags, stripped on the way, has forged a partner.
func TestOwnEtherTypesBehindTagsAreNotSentNative(t *testing.T) {
	o := defaults()
	o.ports.LLR.Mode = model.LLROff
	p := newPair(o, 7)
	p.b.between.changes = func(f []byte) int { // a switch that strips the outer tag
		if wire.EtherType(f) != 0x8100 {
			return len(f)
		}
		return copy(f[12:], f[16:]) + 12
	}
	forged := make([]byte, wire.MaxControlLen)
	forged = forged[:wire.PutControl(forged, wire.MAC{4}, o.ports.EtherTypeControl,
		[]wire.CtlOS{{Type: wire.LLRInit, Seq: 1}})]
	for _, tags := range [][]byte{{0x81, 0, 0, 5}, {0x88, 0xA8, 0, 5, 0x81, 0, 0, 6}} {
		f := append(append(append([]byte{}, forged[:12]...), tags...), forged[12:]...)
		for range 20 {
			p.a.host.Send(f)
			p.pass(1e6)
		}
	}
	if p.b.l.Partner.Present() || p.a.edge.Counters.RxOwnEtherType != 40 {
		t.Errorf("partner known %v, %d dropped", p.b.l.Partner.Present(), p.a.edge.Counters.RxOwnEtherType)
	}
	p.carry(t, 2000)
}
