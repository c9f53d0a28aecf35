package cbfc

import (
	"testing"

	"uelink/wire"
)

// TestPartnerThatIsAnotherStart, seen by its start id: all begins at 0 again, whatever it held.
func TestPartnerThatIsAnotherStart(t *testing.T) {
	p := started(t, settingsOf(3, 100))
	p.fills(0, 1)
	p.restartB()
	p.exchange()
	p.pass(underWay)
	for vc := range uint8(2) {
		p.phase(vc, Lossless)
		p.rests(vc)
		if n := p.fill(vc, 60); len(n) != 100 {
			t.Errorf("VC %d: %d frames", vc, len(n))
		}
	}
}

// TestSenderThatIsAnotherStart: its transactions have other numbers, and what is held of the start
// before does not count.
func TestSenderThatIsAnotherStart(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	for range 20 { // transaction 21, and the new start begins with 1
		p.a.Configure(settingsOf(0, 100), p.now)
		p.exchange()
		p.a.Configure(settingsOf(1, 100), p.now)
		p.exchange()
	}
	p.pass(underWay)
	p.fill(0, 60)
	p.restartA()
	p.exchange()
	p.phase(0, Asking)
	if p.b.Rx.Store(0, 60) != 0 {
		t.Error("a frame of a start that has asked for nothing is counted")
	}
	p.b.Rx.Free(0, 100)
	p.exchange()
	p.phase(0, Lossless)
	p.pass(underWay)
	p.fill(0, 60)
	p.want(0, counts{100, 0, 100, 0})
}

// TestSenderThatIsAnotherStartWithoutTheChannel: its frames are stored without credits.
func TestSenderThatIsAnotherStartWithoutTheChannel(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.restartA()
	p.a.Configure(settingsOf(0, 100), p.now)
	p.exchange()
	if !p.b.Rx.Off() || p.b.Rx.Store(0, 60) != 0 {
		t.Error("frames without credits are counted")
	}
}

// TestPartnerThatIsAnotherStartAfterSilence: it had been given up before it came back.
func TestPartnerThatIsAnotherStartAfterSilence(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	for range 20 {
		p.a.Configure(settingsOf(0, 100), p.now)
		p.exchange()
		p.a.Configure(settingsOf(1, 100), p.now)
		p.exchange()
	}
	p.send(0, 60)
	p.b.Rx.Free(0, 1)
	p.b.PartnerLost()
	p.b.env.Known = false
	p.b.say(p.now)
	p.restartA()
	p.b.env.Known = true
	p.pass(askInterval)
	p.phase(0, Lossless)
	p.rests(0)
}

// TestPartnerThatIsTheSameAfterSilence has kept its counts; the channel starts at 0 at both ends.
func TestPartnerThatIsTheSameAfterSilence(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.fill(0, 60)
	p.a.PartnerLost()
	p.a.env.Known = false
	p.now += 5 * second
	p.a.say(p.now)
	if credits, gate := p.a.Tx.Gate(0, 60); credits != 0 || gate != Open || p.a.Moving() != 0 {
		t.Fatalf("without a partner: %d credits, gate %d", credits, gate)
	}
	p.b.Rx.Free(0, 100)
	p.a.env.Known = true
	p.pass(underWay)
	p.phase(0, Lossless)
	p.rests(0)
}

// TestWithoutAPartnerNothingStarts, however long that lasts.
func TestWithoutAPartnerNothingStarts(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.a.PartnerLost()
	p.a.env.Known, p.b.cuts = false, cutsAll
	for range 100 {
		p.now += second
		p.a.Configure(settingsOf(1, 100), p.now)
		if list := p.a.say(p.now); len(list) != 0 {
			t.Fatalf("it says %v", list)
		}
		if _, gate := p.a.Tx.Gate(0, 60); gate != Open {
			t.Fatalf("gate %d", gate)
		}
	}
}

// TestPartnerWithoutCBFC is asked for nothing; when it has it, it is.
func TestPartnerWithoutCBFC(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.a.env.CBFC = false
	p.pass(5 * second)
	p.phase(0, BestEffort)
	p.failure(0, NotByPartner)
	p.a.Configure(settingsOf(3, 100), p.now)
	p.failure(0, NotByPartner)
	p.failure(1, NotByPartner)
	if s := p.a.State(p.now); s.Partner || s.VCs[0].Retry != 0 {
		t.Errorf("%+v", s)
	}
	p.a.env.CBFC = true
	p.exchange()
	p.phase(0, Lossless)
	p.failure(0, NoFailure)
	p.fill(0, 60)
	p.a.env.CBFC = false
	p.exchange()
	p.phase(0, BestEffort)
	p.failure(0, NotByPartner)
	if p.a.Tx.Used != 0 {
		t.Errorf("%d used", p.a.Tx.Used)
	}
}

// TestPartnerRestartsInEveryPhase of a start and of a stop.
func TestPartnerRestartsInEveryPhase(t *testing.T) {
	for _, lossless := range []uint32{0, 1} {
		for _, cut := range []wire.ChannelOp{wire.ChannelStart, wire.ChannelStarted, wire.ChannelStop, wire.ChannelStopped} {
			for _, both := range []bool{false, true} {
				p := newPair(t, settingsOf(1, 100))
				if cut == wire.ChannelStop || cut == wire.ChannelStopped {
					p.exchange()
				}
				p.a.Configure(settingsOf(lossless, 100), p.now)
				p.a.cuts, p.b.cuts = cutsOp(cut), cutsOp(cut)
				p.pass(25 * ms)
				p.restartB()
				if both {
					p.restartA()
				}
				p.a.cuts, p.b.cuts = nil, nil
				p.pass(2 * askInterval)
				p.phase(0, Phase(lossless)*Lossless)
				if on := p.b.Rx.on; on != lossless {
					t.Errorf("%v lost, both %v: channels that are counted: %b", cut, both, on)
				}
				p.rests(0)
			}
		}
	}
}

// TestStartOfAPartnerThatIsNotKnownYet: LLR takes a while to believe a new start id. If the new start has
// begun before, with the number that the old one used, it does not get the counts of the old one.
func TestStartOfAPartnerThatIsNotKnownYet(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	for range 50 {
		_, ok := p.send(0, 60)
		if !ok {
			t.Fatal("no credits")
		}
	}
	p.b.Rx.Free(0, 50)
	p.exchange()
	p.restartA()
	p.b.env.Start -= 1000 // not noticed
	p.exchange()
	if p.a.Tx.vc[0].channel.phase == Lossless {
		p.want(0, counts{})
	}
	p.b.env.Start += 1000
	p.pass(2 * askInterval)
	p.phase(0, Lossless)
	p.want(0, counts{})
	p.pass(underWay)
	p.fill(0, 60)
	p.want(0, counts{100, 0, 100, 0})
}

// TestNewStartThatHasBegunBeforeItWasKnown: it gets UNKNOWN, because its credits do not count.
func TestNewStartThatHasBegunBeforeItWasKnown(t *testing.T) {
	p := newPair(t, settingsOf(1, 100))
	p.exchange()
	p.b.env.Start += 1000
	p.pass(askInterval)
	p.phase(0, Lossless)
	if n := p.a.Tx.vc[0].counters.Starts; n != 2 || p.b.Rx.Off() {
		t.Errorf("%d starts", n)
	}
}
