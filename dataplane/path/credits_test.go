package path

import (
	"encoding/binary"
	"testing"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/dataplane/sched"
	"uelink/wire"
)

// credits gives links so many virtual channels, of which some are lossless, each with a limit.
func credits(o *pairOptions, vcs int, lossless uint32, limit uint16) {
	o.ports.VCs = vcs
	for i := range o.ports.QoS.Queue {
		o.ports.QoS.Queue[i] = uint8(i)
	}
	o.ports.CBFC = cbfc.Settings{
		On: true, Size: cbfc.Size{Credit: 1024}, Lossless: lossless, CCTimer: 10e6, CFMinSpacing: 6400, CFMaxSpacing: 262144,
	}
	for vc := range o.ports.CBFC.Limit {
		if lossless>>vc&1 == 1 {
			o.ports.CBFC.Limit[vc] = limit
		}
	}
}

// credited is priorities with the channels 1 and 2 under credits.
func credited(limit uint16) pairOptions {
	o := priorities(4)
	credits(&o, 4, 1<<1|1<<2, limit)
	return o
}

// phase is that of a channel's sender.
func (e *end) phase(vc int) cbfc.Phase { return e.vc(vc).Phase }

func (e *end) vc(vc int) cbfc.VCState {
	for _, v := range e.l.cbfc.State(0).VCs {
		if v.VC == vc {
			return v
		}
	}
	return cbfc.VCState{}
}

// lossless waits until both channels are under credits in both directions.
func (p *pair) lossless(t *testing.T) {
	t.Helper()
	ok := p.until(func() bool {
		for _, e := range []*end{p.a, p.b} {
			if e.phase(1) != cbfc.Lossless || e.phase(2) != cbfc.Lossless {
				return false
			}
		}
		return true
	}, time.Second)
	if !ok {
		t.Fatalf("a: %+v\nb: %+v", p.a.l.cbfc.State(p.now), p.b.l.cbfc.State(p.now))
	}
	p.pass(20e6)
}

// atRest waits until the counts of a channel are equal at both ends, S_CC = R_CC = R_CF = S_CF, for what a
// sends.
func (p *pair) atRest(t *testing.T, vc int) {
	t.Helper()
	ok := p.until(func() bool {
		s, r := p.a.vc(vc).Sender, p.b.vc(vc).Receiver
		return s.Consumed == s.Freed && s.Consumed == r.Consumed && s.Consumed == r.Freed
	}, time.Second)
	if !ok {
		t.Errorf("VC %d: %+v, there %+v", vc, p.a.vc(vc), p.b.vc(vc))
	}
}

// received counts what the host of b got, by priority, and finds out whether each came in order.
func (p *pair) received(t *testing.T, got *[8]uint32) {
	t.Helper()
	for f := p.b.host.Recv(); f != nil; f = p.b.host.Recv() {
		priority, number := f[14]>>5, binary.BigEndian.Uint32(f[18:])
		if number != got[priority] {
			t.Fatalf("priority %d: frame %d, want %d", priority, number, got[priority])
		}
		got[priority]++
	}
}

func TestChannelsComeUnderCredits(t *testing.T) {
	p := up(t, credited(16))
	p.lossless(t)
	var got [8]uint32
	for n := range uint32(400) {
		for priority := range uint8(4) {
			p.a.host.Send(tagged(priority, n))
		}
		for range 4 {
			p.round()
		}
		p.received(t, &got)
	}
	p.pass(50e6)
	p.received(t, &got)
	if got != [8]uint32{400, 400, 400, 400} {
		t.Errorf("got %v", got)
	}
	for vc := range 3 {
		p.atRest(t, vc)
	}
	if s := p.a.vc(1); s.Sender.Consumed != 400 || s.Sender.Limit != 16 || s.Counters.Repaired+s.Counters.CFIgnored != 0 {
		t.Errorf("%+v", s)
	}
}

// A channel whose far queue stands still stops alone, and nothing of it is lost.
func TestStalledChannelHoldsUpNoOther(t *testing.T) {
	p := up(t, credited(16))
	p.lossless(t)
	p.b.edge.egress.halted = 1 << 2
	var got [8]uint32
	for n := range uint32(300) {
		for priority := range uint8(4) {
			if priority != 2 || n < 40 {
				p.a.host.Send(tagged(priority, n))
			}
		}
		for range 4 {
			p.round()
		}
		p.received(t, &got)
	}
	if want := [8]uint32{300, 300, 0, 300}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	v := p.a.vc(2)
	if v.Sender.Used != 16 || v.Sender.Blocked == 0 || v.Counters.BlockedFrames == 0 || p.b.vc(2).Receiver.Held != 16 {
		t.Errorf("%+v, there %+v", v, p.b.vc(2))
	}
	p.b.edge.egress.halted = 0
	p.pass(50e6)
	if p.received(t, &got); got[2] != 40 {
		t.Errorf("%d frames of the channel that stood still", got[2])
	}
	p.atRest(t, 2)
	if v := p.a.vc(2); v.Counters.BlockedTime < 5e6 || v.Sender.Blocked != 0 {
		t.Errorf("%+v", v)
	}
	if c := p.b.l.Port.Counters; c.RxDropNoBuffer+c.RxDropLossless > 0 {
		t.Errorf("dropped for want of buffer: %+v", c)
	}
}

// A partner that waits for credits sends nothing. It gets them all the same, before the queue here is
// empty: an edge that is slow sends all the time.
func TestCreditsComeBackThoughNothingIsReceived(t *testing.T) {
	inOneGoroutine(t)
	o := credited(128)
	o.ring = 512
	p := newPair(o, 7)
	p.b.edge.settings.Scheduler = sched.Settings{Rate: 2.5e9, Burst: 4000} // some 20 frames in a round
	p.b.edge.Set(p.b.edge.settings, p.now)
	if !p.until(p.established, time.Second) {
		t.Fatal("LLR does not come up")
	}
	p.lossless(t)
	var got [8]uint32
	sent, empty := uint32(0), 0
	for range 4000 {
		for n := 0; n < 32 && sent-got[1] < 250 && p.a.host.Send(tagged(1, sent)); n++ {
			sent++
		}
		p.round()
		p.received(t, &got)
		if got[1] > 250 && p.b.edge.egress.waiting == 0 {
			empty++
		}
	}
	if empty > 0 || got[1] < 60_000 {
		t.Errorf("the edge had nothing to send in %d rounds; %d frames", empty, got[1])
	}
}

// Without LLR a loss leaks credits, until a CC_Update repairs it.
func TestCreditsThatLeakComeBack(t *testing.T) {
	o := credited(16)
	o.ports.LLR = model.LLRSettings{}
	p := newPair(o, 3)
	p.lossless(t)
	counts := true
	lost := 0
	p.b.between.keeps = func(f []byte) bool {
		pre, fault := wire.ParseData(f, wire.DialectSeed)
		if wire.EtherType(f) != wire.EtherTypeData || fault != wire.NoFault {
			return false
		}
		if pre.Partner {
			return counts
		}
		lost++
		return lost <= 10
	}
	for n := range uint32(10) {
		p.a.host.Send(tagged(1, n))
	}
	p.pass(100e6)
	if v := p.a.vc(1); v.Sender.Used != 10 {
		t.Errorf("10 frames were lost: %+v", v)
	}
	counts = false
	p.pass(100e6)
	p.atRest(t, 1)
	if v := p.b.vc(1); v.Counters.Repaired != 10 {
		t.Errorf("%+v", v)
	}
}

// A poisoned frame is accepted and dropped: its credits come back at once, not by a CC_Update.
func TestPoisonedFrameGivesItsCreditsBack(t *testing.T) {
	o := credited(16)
	o.ports.CBFC.CCTimer = 0
	p := up(t, o)
	p.lossless(t)
	p.b.between.keeps = func(f []byte) bool {
		if pre, fault := wire.ParseData(f, wire.DialectSeed); wire.EtherType(f) == wire.EtherTypeData &&
			fault == wire.NoFault && pre.VC == 1 {
			for i := len(f) - wire.FCSLen; i < len(f); i++ {
				f[i] ^= 0xFF
			}
		}
		return false
	}
	for n := range uint32(10) {
		p.a.host.Send(tagged(1, n))
	}
	p.pass(50e6)
	p.atRest(t, 1)
	if v, c := p.b.vc(1), p.b.l.LLR.Counters(); v.Receiver.Consumed != 10 || v.Counters.Repaired != 0 ||
		c.RxExpectedSeqPoisoned != 10 {
		t.Errorf("%+v, %d poisoned", v, c.RxExpectedSeqPoisoned)
	}
}

// A frame that is not carried was received all the same: its credits come back at once, not by a CC_Update, whether it
// could have left at once or would have had to wait.
func TestFrameThatIsNotCarriedGivesItsCreditsBack(t *testing.T) {
	for _, waits := range []bool{false, true} {
		o := credited(16)
		o.ports.CBFC.CCTimer = 0
		p := up(t, o)
		p.lossless(t)
		p.b.edge.egress.shaped = waits
		for _, f := range [][]byte{to(pauseDA, 0x88, 0x08, 0, 1), to(lldpDA, 0x81, 0, 0xE0, 0, 0x88, 0xCC)} {
			for range 5 {
				if got := p.a.l.send(f, 1, p.a.edge, p.now); got != sent {
					t.Fatalf("waits %v: the frame was not sent: %v", waits, got)
				}
				p.round()
			}
		}
		p.pass(50e6)
		p.atRest(t, 1)
		v, c := p.b.vc(1), p.b.l.Port.Counters
		if v.Receiver.Consumed != 10 || v.Counters.Repaired != 0 || c.RxMACControl != 5 || c.RxLLDP != 5 {
			t.Errorf("waits %v: %+v, %d and %d not carried", waits, v, c.RxMACControl, c.RxLLDP)
		}
	}
}
