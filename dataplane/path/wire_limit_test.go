package path

import (
	"strings"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/partner"
	"uelink/llr"
	"uelink/wire"
)

// sized is an ordinary frame of n octets with a number.
func sized(n int, number byte) []byte {
	f := make([]byte, n)
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x90, 0x01, number})
	return f
}

// crosses sends a frame from a to b and tells whether it arrives.
func (p *pair) crosses(f []byte) bool {
	if !p.a.host.Send(f) {
		return false
	}
	return p.until(func() bool { return p.b.host.Recv() != nil }, 500*time.Millisecond)
}

// limited is a pair, up, over a wire that carries frames of up to n octets.
func limited(t *testing.T, n int, change func(*pairOptions)) *pair {
	t.Helper()
	o := defaults()
	o.profile.MaxReplayCount = 100
	change(&o)
	p := newPair(o, 7)
	p.both(func(e *end) { e.between.keeps = longerThan(n) })
	if !p.until(p.established, time.Second) {
		t.Fatalf("LLR does not come up\na: %v\nb: %v", p.a, p.b)
	}
	return p
}

// A wire that carries less than neither end's MTU shows is found by probes before it
// hurts: it is told, and what is too long for it is refused at the intake and counted.
func TestWireThatCarriesLessIsFound(t *testing.T) {
	inOneGoroutine(t)
	for _, limit := range []int{100, 300, 527, 531} { // frames of up to 532 octets may be sent
		p := limited(t, limit, func(*pairOptions) {})
		p.pass(4e9)
		l := p.a.l
		if l.Partner.Problem() != partner.WireLimit || !strings.Contains(l.remedy().Text,
			"the wire carries link frames of up to") {
			t.Fatalf("limit %d: %q", limit, l.remedy().Text)
		}
		if l.Lengths.Carries > limit || l.Lengths.Carries < limit-2 {
			t.Errorf("limit %d: frames of %d octets are sent", limit, l.Lengths.Carries)
		}
		fits := wire.CarriedLen(l.Lengths.Carries, true)
		if !p.crosses(sized(fits, 1)) {
			t.Errorf("limit %d: a frame of %d octets does not cross", limit, fits)
		}
		if p.crosses(sized(fits+1, 2)) || p.a.edge.Counters.RxOversized != 1 {
			t.Errorf("limit %d: a frame that is too long was not refused: %d", limit, p.a.edge.Counters.RxOversized)
		}
		if n := l.LLR.Counters(); n.TxFlush != 0 || n.TxReplay != 0 {
			t.Errorf("limit %d: %+v", limit, n)
		}
		if !p.a.reports(model.EventPartner, "the wire carries") {
			t.Errorf("limit %d: no event tells of it", limit)
		}
	}
}

// A wire that carries a few octets less than a link may send, those of a VLAN tag for example, is found exactly by the
// first search, a second after the start: no frame that fits the wire is refused, also if none was acknowledged before.
func TestWireThatCarriesAFewOctetsLessIsFoundExactly(t *testing.T) {
	inOneGoroutine(t)
	for _, less := range []int{1, 4, 7, 30} {
		o := defaults()
		o.mtu, o.chunk = 1500, 2048
		p := newPair(o, 7)
		limit := p.a.l.Port.iface.maxFrame - less
		p.both(func(e *end) { e.between.keeps = longerThan(limit) })
		if !p.until(func() bool { return p.a.l.Lengths.Carries < p.a.l.Port.iface.maxFrame }, 2*time.Second) {
			t.Fatalf("%d octets less: no limit is found", less)
		}
		if p.a.l.Lengths.Carries != limit {
			t.Errorf("%d octets less: frames of more than %d octets are refused after %v, the wire carries %d", less,
				p.a.l.Lengths.Carries, time.Duration(p.now), limit)
		}
	}
}

// One frame that can never cross has stopped a link for ever: under load from the first
// moment on the link goes on, with all that fits the wire.
func TestFrameThatNeverCrossesDoesNotStopTheLink(t *testing.T) {
	inOneGoroutine(t)
	for _, count := range []uint8{8, 100, llr.NoReplayLimit} {
		p := limited(t, 300, func(o *pairOptions) { o.profile.MaxReplayCount = count })
		short, got := 0, 0
		for end := p.now + 6e9; p.now < end+2e9; p.pass(1e6) {
			if p.now < end {
				p.a.host.Send(sized(400, 0))
			}
			if p.now > end-1e9 && p.now < end && p.a.host.Send(sized(100, 1)) {
				short++
			}
			for f := p.b.host.Recv(); f != nil; f = p.b.host.Recv() {
				got++
			}
		}
		n := p.a.l.LLR.Counters()
		t.Logf("REPLAY_COUNT_MAX %d: %d short frames, %d arrived; refused %d, %d frames sent, FLUSH %d times",
			count, short, got, p.a.edge.Counters.RxOversized, n.TxOK, n.TxFlush)
		if got < short || short == 0 || p.a.edge.Counters.RxOversized == 0 {
			t.Errorf("REPLAY_COUNT_MAX %d: %d of %d frames that fit arrived in the end; %d refused", count, got, short,
				p.a.edge.Counters.RxOversized)
		}
		if n.TxFlush == 0 || n.TxOK > uint64(3*short+20_000) {
			t.Errorf("REPLAY_COUNT_MAX %d: FLUSH %d times, %d frames sent", count, n.TxFlush, n.TxOK)
		}
		if !p.a.reports(model.EventLLRTxStatus, "a frame of 400 octets from 02:00:00:00:00:02 to 02:00:00:00:00:01 was "+
			"not acknowledged") {
			t.Errorf("REPLAY_COUNT_MAX %d: no event names the frame", count)
		}
		s := p.a.l.Port.State(0)
		if !strings.Contains(s.ErrorText, "400 octets from 02:00:00:00:00:02") || s.ErrorStatus[0] != "llr_tx_flush" ||
			s.LLR.FlushFrame == "" {
			t.Errorf("REPLAY_COUNT_MAX %d: error_status %v, %q, flush_frame %q", count, s.ErrorStatus, s.ErrorText,
				s.LLR.FlushFrame)
		}
	}
}

// Without any replay limit, and before the wire is known, a note says which frame stalls
// the link.
func TestStalledLinkNamesTheFrame(t *testing.T) {
	o := defaults()
	p := up(t, o)
	p.b.between.keeps = func(f []byte) bool { return len(f) == wire.DataLen(200, true) }
	p.a.host.Send(sized(200, 0))
	if !p.until(func() bool { return p.a.l.Port.State(0).LLR.Stalled != "" }, time.Second) {
		t.Fatal("no note")
	}
	text := p.a.l.Port.State(0).LLR.Stalled
	if !strings.Contains(text, "a frame of 200 octets from 02:00:00:00:00:02 to 02:00:00:00:00:01 is not acknowledged") {
		t.Errorf("the note is %q", text)
	}
	if !p.a.reports(model.EventLLRStalled, "200 octets") {
		t.Error("no event")
	}
	p.b.between.keeps = nil
	p.pass(100e6)
	if p.a.l.Port.State(0).LLR.Stalled != "" || p.b.host.Recv() == nil {
		t.Errorf("the wire is good again: %q", p.a.l.Port.State(0).LLR.Stalled)
	}
	if !p.a.reports(model.EventLLRStalled, "over: the partner acknowledges this port's frames as before") {
		t.Error("no event of the end")
	}
}

// A frame that only a busy partner keeps waiting, for less than stallNoticed, is no stall: no event, no note.
func TestShortWaitIsNoStall(t *testing.T) {
	o := defaults()
	p := up(t, o)
	p.b.between.keeps = func(f []byte) bool { return len(f) == wire.DataLen(200, true) }
	p.a.host.Send(sized(200, 0))
	waits := func() bool { _, replays := p.a.l.Port.Link.LLR.Tx.Stalled(); return replays > 0 }
	if !p.until(waits, time.Second) {
		t.Fatal("no replay")
	}
	p.pass(stallNoticed / 2)
	if s := p.a.l.Port.State(0).LLR.Stalled; s != "" || !waits() {
		t.Errorf("after half of the time the note is %q", s)
	}
	p.b.between.keeps = nil
	p.pass(100e6)
	if p.a.reports(model.EventLLRStalled, "") || p.b.host.Recv() == nil {
		t.Error("there is an event")
	}
}

// A wire that is mended carries everything again, and one that gets worse is noticed.
func TestWireThatChanges(t *testing.T) {
	inOneGoroutine(t)
	p := limited(t, 300, func(*pairOptions) {})
	p.pass(4e9)
	p.both(func(e *end) { e.between.keeps = nil })
	p.pass(4e9)
	if p.a.l.remedy().Text != "" || !p.crosses(sized(500, 1)) {
		t.Errorf("mended: %q", p.a.l.remedy().Text)
	}
	p.both(func(e *end) { e.between.keeps = longerThan(400) })
	p.pass(8e9)
	if c := p.a.l.Lengths.Carries; c > 400 || c < 398 {
		t.Errorf("worse: frames of %d octets are sent; %q", c, p.a.l.remedy().Text)
	}
}

// A partner that takes shorter frames says so: that is told at once, and kept to.
func TestPartnerThatTakesLess(t *testing.T) {
	p := newPair(defaults(), 7)
	p.b.x.SetMTU(&p.b.l.Port, 400)
	if !p.until(p.established, time.Second) {
		t.Fatalf("LLR does not come up\na: %v\nb: %v", p.a, p.b)
	}
	p.pass(10e6)
	if p.a.l.Partner.Problem() != partner.Largest || p.a.l.Lengths.Carries != 418 {
		t.Errorf("%q, frames of %d octets are sent", p.a.l.remedy().Text, p.a.l.Lengths.Carries)
	}
	if p.crosses(sized(wire.CarriedLen(419, true), 1)) || p.a.edge.Counters.RxOversized != 1 ||
		!p.crosses(sized(wire.CarriedLen(418, true), 2)) {
		t.Errorf("refused: %d", p.a.edge.Counters.RxOversized)
	}
}

// Losses alone are not taken for a limit.
func TestBadWireIsNotTakenForAShortOne(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	o.wire.Loss, o.wire.Corrupt = 0.2, 0.05
	for seed := range uint64(3) {
		p := newPair(o, 7+seed)
		for range 40 {
			p.pass(1e9)
			if c := p.a.l.Lengths.Carries; c != p.a.l.Port.iface.maxFrame {
				t.Fatalf("seed %d: frames of more than %d octets are refused: %s", seed, c, p.a.l.remedy().Text)
			}
		}
	}
}

// An older partner says nothing: nothing is probed, nothing refused.
func TestOlderPartnerIsNotProbed(t *testing.T) {
	inOneGoroutine(t)
	p := newPair(defaults(), 7)
	p.both(func(e *end) { e.between.changes = withoutStation })
	if !p.until(p.established, time.Second) {
		t.Fatalf("LLR does not come up\na: %v\nb: %v", p.a, p.b)
	}
	p.pass(5e9)
	l := p.a.l
	if l.Partner.SendsStation() || l.Lengths.Carries != l.Port.iface.maxFrame || l.remedy().Text != "" ||
		l.Port.Counters.TxControl > 20 {
		t.Errorf("speaks %v, carries %d, %q, %d control frames", l.Partner.SendsStation(), l.Lengths.Carries, l.remedy().Text,
			l.Port.Counters.TxControl)
	}
	p.carry(t, 2000)
}
