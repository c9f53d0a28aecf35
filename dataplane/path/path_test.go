package path

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/frame/frametest"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/partner"
	"uelink/llr"
	"uelink/wire"
)

func up(t testing.TB, o pairOptions) *pair {
	t.Helper()
	p := newPair(o, 7)
	if !p.until(p.established, time.Second) {
		t.Fatalf("LLR does not come up\na: %v\nb: %v", p.a, p.b)
	}
	return p
}

func TestFramesCrossOnceInOrder(t *testing.T) {
	inOneGoroutine(t)
	for name, change := range map[string]func(*pairOptions){
		"seed dialect":     func(*pairOptions) {},
		"ue1 dialect":      func(o *pairOptions) { o.ports.Dialect = wire.DialectUE1 },
		"without FCS":      func(o *pairOptions) { o.ports.FCS = false },
		"window of one":    func(o *pairOptions) { o.profile.MaxOutstandingFrames = 1 },
		"other EtherTypes": func(o *pairOptions) { o.ports.EtherTypeData, o.ports.EtherTypeControl = 0x9abc, 0x9abd },
		"bad wire": func(o *pairOptions) {
			o.wire = fault.Config{Loss: 0.02, Corrupt: 0.01, Duplicate: 0.01, Reorder: 0.01}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := defaults()
			change(&o)
			up(t, o).carry(t, 2000)
		})
	}
}

// TestEverySizeCrossesUntouched: frames of every size that the MTU allows come
// out as they went in, but for padding to the least size of Ethernet.
func TestEverySizeCrossesUntouched(t *testing.T) {
	inOneGoroutine(t)
	t.Run("in one chunk", func(t *testing.T) { everySize(t, defaults()) })
	t.Run("MTU of 9000", func(t *testing.T) { everySize(t, jumbo(4096, 9000)) })
	t.Run("MTU of 4200", func(t *testing.T) { everySize(t, jumbo(4096, 4200)) })
	t.Run("small chunks", func(t *testing.T) { everySize(t, jumbo(2048, 5000)) })
}

// jumbo is a pair of an MTU whose frames take several chunks.
func jumbo(chunk, mtu int) pairOptions {
	o := defaults()
	o.chunk, o.mtu = chunk, mtu
	return o
}

func everySize(t *testing.T, o pairOptions) {
	p := up(t, o)
	for size := wire.HeaderLen; size <= p.o.mtu+netif.Slack; size++ {
		in := bytes.Repeat([]byte{byte(size)}, size)
		in[12], in[13] = 0x81, 0x00
		if !p.a.host.Send(in) {
			t.Fatalf("size %d: the edge port does not take it", size)
		}
		var out []byte
		if !p.until(func() bool { out = p.b.host.Recv(); return out != nil }, time.Second) {
			t.Fatalf("size %d: lost", size)
		}
		want := append(bytes.Clone(in), make([]byte, max(0, wire.MinFrameLen-size))...)
		if !bytes.Equal(out, want) {
			t.Fatalf("size %d: %x became %x", size, in, out)
		}
	}
	p.nothingDropped(t)
}

// nothingDropped demands that no device has dropped a frame, and that nothing is lost or there twice.
func (p *pair) nothingDropped(t *testing.T) {
	t.Helper()
	for _, e := range []*end{p.a, p.b} {
		for _, q := range []*Port{e.edge, &e.l.Port} {
			if s, err := q.device().Stats(); err != nil || s != (frame.Stats{}) {
				t.Errorf("%s: %+v, %v", q.settings.Name, s, err)
			}
		}
		if err := e.invariant(); err != nil {
			t.Error(err)
		}
	}
}

func TestTooLongForTheLinkIsCounted(t *testing.T) {
	p := up(t, defaults())
	p.a.host.Send(make([]byte, p.o.mtu+netif.Slack+1))
	p.settleRounds()
	if got := p.a.edge.Counters.RxOversized; got != 1 {
		t.Errorf("RxOversized = %d, want 1", got)
	}
	const cure = "port link0 carries only shorter ones (rx_oversized): lower the MTU of their senders"
	if s := p.a.edge.State(p.now); !p.a.reports(model.EventDrops, cure) || !strings.Contains(s.Fault, cure) || s.Dropping {
		t.Errorf("no event, or not the fault %q", s.Fault)
	}
}

// settleRounds runs until nothing is going on any more.
func (p *pair) settleRounds() {
	for end := p.now + 20e6; p.now < end; {
		p.round()
	}
}

func TestUnknownPartnerGetsNativeFrames(t *testing.T) {
	o := defaults()
	o.ports.LLR.Mode = model.LLROff
	p := newPair(o, 7)
	p.carry(t, 300)
	a := p.a.l
	if a.Port.Counters.TxNative != 300 || a.Port.Counters.TxBare != 0 || a.Port.Counters.RxNative != 300 {
		t.Errorf("native sent %d, received %d, in a shim %d; want 300, 300, 0", a.Port.Counters.TxNative,
			a.Port.Counters.RxNative,
			a.Port.Counters.TxBare)
	}
	for _, etherType := range []uint16{o.ports.EtherTypeData, o.ports.EtherTypeControl} {
		f := frametest.Numbered(make([]byte, 256), 300)
		f[12], f[13] = byte(etherType>>8), byte(etherType)
		p.a.host.Send(f)
	}
	p.settleRounds()
	if got := p.a.edge.Counters.RxOwnEtherType; got != 2 {
		t.Errorf("RxOwnEtherType = %d, want 2: a host's frame must not look like one of the link's", got)
	}
	if f := p.b.host.Recv(); f != nil {
		t.Errorf("it was delivered: %x", f)
	}
}

// TestOwnEtherTypesCrossInAShim: to a partner that is known every frame goes in
// a shim, so what an edge host sends is never taken for the link's own.
func TestOwnEtherTypesCrossInAShim(t *testing.T) {
	p := up(t, defaults())
	in := make([]byte, wire.MaxControlLen)
	in = in[:wire.PutControl(in, wire.MAC{4}, wire.EtherTypeControl, []wire.CtlOS{{Type: wire.LLRInit, Seq: 1}})]
	before := p.b.l.LLR.Counters().RxInitCtlOS
	p.a.host.Send(in)
	p.settleRounds()
	if out := p.b.host.Recv(); !bytes.Equal(in, out) {
		t.Errorf("%x became %x", in, out)
	}
	if p.b.l.LLR.Counters().PartnerRestart != 0 || p.b.l.LLR.Counters().RxInitCtlOS != before {
		t.Error("the carried control frame was acted on")
	}
}

func TestFrameActionsWhileThePartnerIsAbsent(t *testing.T) {
	for _, c := range []struct {
		action  llr.FrameAction
		native  uint64
		discard uint64
		queued  int
	}{{llr.Discard, 0, 5, 0}, {llr.Block, 0, 0, 5}, {llr.BestEffort, 5, 0, 0}} {
		o := defaults()
		o.profile.InitAction = c.action
		p := newPair(o, 7)
		p.b.x.SetUp(&p.b.l.Port, false, p.now)
		for range 5 {
			p.a.offer(5)
		}
		p.settleRounds()
		l := p.a.l
		if l.Port.Counters.TxNative != c.native || l.LLR.Counters().TxDiscard != c.discard ||
			l.Port.egress.waiting != c.queued {
			t.Errorf("action %d: native %d, discarded %d, held %d; want %d, %d, %d", c.action,
				l.Port.Counters.TxNative, l.LLR.Counters().TxDiscard, l.Port.egress.waiting, c.native, c.discard, c.queued)
		}
	}
}

// TestFullQueueStallsTheEdge: while the link is down its frames fill the queue, then
// the edge's ring, where the worker need not wait for more; when it is up all go on.
func TestFullQueueStallsTheEdge(t *testing.T) {
	p := up(t, defaults())
	p.a.link.SetUp(false)
	p.a.x.SetUp(&p.a.l.Port, false, p.now)
	stalled := func() bool {
		p.a.offer(math.MaxUint64)
		return p.a.edge.stalled
	}
	if !p.until(stalled, time.Second) {
		t.Fatal("the edge is not stalled")
	}
	p.a.link.SetUp(true)
	p.a.x.SetUp(&p.a.l.Port, true, p.now)
	p.carry(t, p.a.sent+100)
	if p.a.edge.stalled {
		t.Error("the edge is still stalled")
	}
}

// TestPartnerForgotten: a partner that says nothing for 3 s is forgotten, and
// known again as soon as it speaks.
func TestPartnerForgotten(t *testing.T) {
	o := defaults()
	o.profile.MaxReplayCount = 2
	p := up(t, o)
	p.b.link.SetUp(false)
	p.b.x.SetUp(&p.b.l.Port, false, p.now)
	p.a.offer(4)
	if !p.until(func() bool { return !p.a.l.Partner.Present() }, 4*time.Second) {
		t.Fatal("the partner is still known after 4 s of silence")
	}
	if p.a.l.Partner.Problem() != partner.Silent {
		t.Errorf("problem %q, want that it is silent", p.a.l.remedy().Text)
	}
	p.b.link.SetUp(true)
	p.b.x.SetUp(&p.b.l.Port, true, p.now)
	if !p.until(p.established, time.Second) {
		t.Fatal("LLR does not come up again")
	}
	if text := p.a.l.remedy().Text; text != "" {
		t.Errorf("problem %q is still reported", text)
	}
}

// TestSilentPartnerIsToldThoughReplaysGoOn: without a replay limit LLR stays in
// ADVANCE for ever; that nobody answers is reported all the same.
func TestSilentPartnerIsToldThoughReplaysGoOn(t *testing.T) {
	p := up(t, defaults())
	p.b.x.SetUp(&p.b.l.Port, false, p.now)
	p.b.x.Detach(&p.b.l.Port, p.now)
	p.b.linkIn = nil
	p.a.offer(4)
	silent := func() bool { return p.a.l.Partner.Problem() == partner.Silent }
	if !p.until(silent, 4*time.Second) {
		t.Fatalf("not reported after 4 s\na: %v", p.a)
	}
	if s := p.a.l.LLR.Tx.State(); s != llr.TxAdvance && s != llr.TxReplay || !p.a.l.Partner.Present() {
		t.Errorf("tx_status %v, partner known %v; want ADVANCE or REPLAY, true", s, p.a.l.Partner.Present())
	}
}
