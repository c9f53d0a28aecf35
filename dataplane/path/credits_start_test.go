package path

import (
	"slices"
	"testing"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/fault"
	"uelink/dataplane/model"
)

func TestPartnerWithoutCBFC(t *testing.T) {
	o := credited(16)
	p := newPairOf(o, 7, func(s *model.PortSettings) { s.CBFC = cbfc.Settings{} })
	if !p.until(p.established, time.Second) {
		t.Fatal("LLR does not come up")
	}
	p.pass(50e6)
	if v := p.a.vc(1); v.Phase != cbfc.BestEffort || v.Failure != cbfc.NotByPartner {
		t.Errorf("%+v", v)
	}
	if !p.crosses(tagged(1, 0)) {
		t.Error("lost")
	}
}

func TestEndsThatCountOtherwise(t *testing.T) {
	o := credited(16)
	p := newPairOf(o, 7, func(s *model.PortSettings) { s.CBFC.Size.Credit = 512 })
	if !p.until(p.established, time.Second) {
		t.Fatal("LLR does not come up")
	}
	p.pass(50e6)
	if v := p.a.vc(1); v.Phase != cbfc.BestEffort || v.Failure != cbfc.OtherSize {
		t.Errorf("%+v", v)
	}
	if !p.crosses(tagged(1, 0)) {
		t.Error("lost")
	}
}

// A partner that is another start has new counts; what waits goes on.
func TestCreditsWithPartnerThatRestarts(t *testing.T) {
	o := credited(16)
	o.wire = fault.Config{Loss: 0.01}
	p := up(t, o)
	p.lossless(t)
	p.b.edge.egress.halted = 1 << 1
	for n := range uint32(30) {
		p.a.host.Send(tagged(1, n))
		p.round()
	}
	p.pass(5e6)
	if v := p.a.vc(1); v.Sender.Used != 16 {
		t.Fatalf("%+v", v)
	}
	p.restart(p.b)
	p.lossless(t)
	p.pass(50e6)
	if v := p.a.vc(1); v.Sender.Used != 0 || v.Counters.Starts != 2 {
		t.Errorf("%+v", v)
	}
}

// A channel that begins anew while the far edge stands still waits for what the partner holds of it, however
// long: nothing leaves without credits, and nothing is lost. The others go on.
func TestStartWaitsForAFarEdgeThatStandsStill(t *testing.T) {
	inOneGoroutine(t)
	for name, c := range map[string]struct {
		reset bool
		want  int // a sender that restarts takes the frames with it that waited for credits
	}{"the sender restarts": {false, 16 + 16}, "credit_timeout_action reset": {true, 20 + 16}} {
		t.Run(name, func(t *testing.T) {
			o := credited(16)
			o.ports.CBFC.Timeout, o.ports.CBFC.Reset = 50e6, c.reset
			p := up(t, o)
			p.lossless(t)
			p.b.edge.egress.halted = 1 << 1
			for n := range uint32(20) {
				p.a.host.Send(tagged(1, n))
				p.round()
			}
			if p.pass(5e6); !c.reset {
				p.restart(p.a)
			}
			p.pass(100e6)
			for n := range uint32(16) {
				p.a.host.Send(tagged(1, 20+n))
				if p.pass(500e6); !p.crosses(tagged(0, n)) {
					t.Fatal("another channel does not go on")
				}
			}
			if v := p.a.vc(1); v.Phase != cbfc.Asking || v.Failure != cbfc.StillHeld {
				t.Errorf("%+v", v)
			}
			p.b.edge.egress.halted = 0
			p.lossless(t)
			p.pass(50e6)
			got := 0
			for ; p.b.host.Recv() != nil; got++ {
			}
			if got != c.want {
				t.Errorf("%d frames, want %d", got, c.want)
			}
			texts := p.a.heard(model.EventVC)
			if !slices.Contains(texts, "VC 1: asking: the partner still holds frames sent to it earlier on this channel") {
				t.Errorf("%q", texts)
			}
		})
	}
}

// A channel leaves its credits and comes under them again while the others, and itself, carry frames: none
// is lost. The host waits while a channel whose question was lost has much in its queue.
func TestChannelStopsAndStartsUnderLoad(t *testing.T) {
	o := credited(16)
	o.wire = fault.Config{Loss: 0.01, Corrupt: 0.001}
	p := up(t, o)
	p.lossless(t)
	var got [8]uint32
	sent := uint32(0)
	for turn := range 20 {
		s := o.ports.CBFC
		if turn%2 == 0 {
			s.Lossless = 1 << 1
		}
		p.a.l.cbfc.Configure(s, p.now)
		want := cbfc.Lossless
		if turn%2 == 0 {
			want = cbfc.BestEffort
		}
		until := p.now + 500e6
		for rounds := 0; p.a.phase(2) != want || rounds < 100; rounds++ {
			if rounds%4 == 0 && p.a.l.Port.egress.queues[2].length < 16 {
				for _, priority := range []uint8{1, 2} {
					for !p.a.host.Send(tagged(priority, sent)) {
						p.round()
					}
				}
				sent++
			}
			p.round()
			p.received(t, &got)
			if p.now > until {
				t.Fatalf("turn %d: %+v", turn, p.a.vc(2))
			}
		}
	}
	p.pass(100e6)
	if p.received(t, &got); got[1] != sent || got[2] != sent {
		t.Errorf("got %v of %d", got, sent)
	}
	p.atRest(t, 1)
	p.atRest(t, 2)
}
