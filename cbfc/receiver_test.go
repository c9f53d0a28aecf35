package cbfc

import (
	"testing"
	"time"

	"uelink/wire"
)

// TestCCUpdateFreesWhatWasLost is UE-LINK §4: held = R_CC − R_CF, R_CC = S_CC, R_CF = S_CC − held.
func TestCCUpdateFreesWhatWasLost(t *testing.T) {
	for _, d := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
		for _, at := range []uint32{0, 1<<15 - 7, 1<<20 - 7} {
			p := started(t, settingsOf(1, 100))
			s, r := &p.a.Tx.vc[0], &p.b.Rx.vc[0]
			s.cc, s.cf, r.cc, r.cf, r.reported = at, at, at, at, at
			for range 10 {
				p.send(0, 60)
				p.lose(0, 60)
			}
			p.b.Rx.Free(0, 3)
			p.exchange()
			p.want(0, counts{(at + 20) & 0xFFFFF, (at + 3) & 0xFFFFF, (at + 10) & 0xFFFFF, (at + 3) & 0xFFFFF})
			p.update(d)
			p.exchange()
			p.want(0, counts{(at + 20) & 0xFFFFF, (at + 13) & 0xFFFFF, (at + 20) & 0xFFFFF, (at + 13) & 0xFFFFF})
			if got := r.counters.Repaired; got != 0 && p.b.State(p.now).VCs[0].Counters.Repaired != 10 || got != 10 {
				t.Errorf("%v: %d credits repaired", d, got)
			}
			p.update(d)
			if n := r.counters.Repairs; n != 1 {
				t.Errorf("%v: %d of two CC_Updates repaired something, want 1", d, n)
			}
			p.b.Rx.Free(0, 7)
			p.exchange()
			p.rests(0)
		}
	}
}

// TestCCUpdateWins: whatever count comes, R_CC is S_CC afterwards, as far as the message carries it, and
// what is held stays. One behind what was received is counted.
func TestCCUpdateWins(t *testing.T) {
	for _, d := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
		for _, at := range []uint32{5, 1000, 1<<15 - 1, 1 << 15, 1<<19 + 5, 1<<20 - 1} {
			for _, ahead := range []int{-2000, -31, -1, 0, 1, 70, 71, 2000} {
				p := started(t, settingsOf(1, 100))
				r := &p.b.Rx.vc[0]
				r.cc, r.cf, p.b.Rx.Held = at, (at-30)&0xFFFFF, 30
				var u wire.CCUpdate
				u.VCs = 1
				mask := uint32(1)<<d.CCBits() - 1
				u.Count[0] = (at + uint32(ahead)) & mask
				p.b.ReceivedCCUpdate(&u, d)
				if r.cc&mask != u.Count[0] || r.heldCredits(standard) != 30 || r.cc > 0xFFFFF {
					t.Errorf("%v, %d%+d: R_CC %d, held %d", d, at, ahead, r.cc, r.heldCredits(standard))
				}
				if want := (at + uint32(ahead)) & 0xFFFFF; r.cc != want {
					t.Errorf("%v, %d%+d: R_CC %d, want %d", d, at, ahead, r.cc, want)
				}
				if back := r.counters.CCBackwards; ahead < 0 != (back == 1) || r.counters.Repaired != uint64(max(ahead, 0)) {
					t.Errorf("%v, %d%+d: %d backwards, %d repaired", d, at, ahead, back, r.counters.Repaired)
				}
			}
		}
	}
}

// TestLateCCUpdate: without LLR CC_Updates may come late, duplicated and in any order, further behind than the limit. A
// fresh one makes all four counts equal again, and not their low bits alone.
func TestLateCCUpdate(t *testing.T) {
	for _, at := range []uint32{0, 1<<15 - 100, 1<<20 - 100} {
		p := started(t, settingsOf(1, 100))
		s, r := &p.a.Tx.vc[0], &p.b.Rx.vc[0]
		s.cc, s.cf, r.cc, r.cf, r.reported = at, at, at, at, at
		late := []wire.CCUpdate{{VCs: 1, Count: [32]uint32{at & 0x7FFF}}}
		for range 30 {
			for _, credits := range p.fill(0, 60) {
				p.b.Rx.Free(0, credits)
			}
			p.exchange()
			late = append(late, wire.CCUpdate{VCs: 1, Count: [32]uint32{s.cc & 0x7FFF}})
		}
		for _, order := range [][]int{{0}, {0, 0}, {20, 3}, {3, 20}, {25, 0, 12, 12, 7}} {
			for _, i := range order {
				p.b.ReceivedCCUpdate(&late[i], wire.DialectSeed)
				p.exchange()
			}
			p.update(wire.DialectSeed)
			p.exchange()
			p.rests(0)
		}
	}
}

// TestCCUpdateOfAChannelWithoutCredits: the partner gets UNKNOWN, and starts again.
func TestCCUpdateOfAChannelWithoutCredits(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	p.send(0, 60)
	p.restartB()
	p.a.env.Start-- // not noticed
	p.update(wire.DialectSeed)
	p.exchange()
	if n := p.b.Rx.vc[0].counters.Unknown; n != 1 || says(p.b.sent, wire.ChannelUnknown) != 1 {
		t.Errorf("%d unknown", n)
	}
	p.phase(0, Lossless)
	p.rests(0)
	if n := p.a.Tx.vc[0].counters.Starts; n != 2 {
		t.Errorf("%d starts", n)
	}
}

// TestCCUpdateOfUE1HasOtherChannels: 16 counts are there whether in use or not.
func TestCCUpdateOfUE1HasOtherChannels(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	u := wire.CCUpdate{VCs: 0xFFFF}
	p.b.ReceivedCCUpdate(&u, wire.DialectUE1)
	p.exchange()
	if says(p.b.sent, wire.ChannelUnknown) != 0 {
		t.Error("the partner is told of channels that it does not use")
	}
}

// TestCCTimer is CC_MESSAGE_TIMER: while credits are in use, and not else.
func TestCCTimer(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	if p.a.Tx.CCDue(p.now + second) {
		t.Error("due though nothing is used")
	}
	p.send(0, 60)
	for range 3 {
		if p.a.Tx.CCDue(p.now + 10*ms - 1) {
			t.Error("due too early")
		}
		if p.now += 10 * ms; !p.a.Tx.CCDue(p.now) {
			t.Error("not due")
		}
		p.update(wire.DialectSeed)
	}
	p.b.Rx.Free(0, 1)
	p.exchange()
	if p.a.Tx.CCDue(p.now + second) {
		t.Error("due though nothing is used any more")
	}
	p.a.Configure(func() Settings { s := settingsOf(1, 100); s.CCTimer = 0; return s }(), p.now)
	p.exchange()
	p.send(0, 60)
	if p.a.Tx.CCDue(p.now + second) {
		t.Error("due though the timer is off")
	}
}

// TestFrameThatCameTwice, as without LLR it may: the CF_Update that does not fit has a CC_Update sent
// although nothing is in use, which repairs the counts.
func TestFrameThatCameTwice(t *testing.T) {
	p := started(t, settingsOf(1, 100))
	credits, _ := p.send(0, 1514)
	p.b.Rx.Store(0, 1514)
	p.b.Rx.Free(0, credits)
	p.b.Rx.Free(0, credits)
	p.exchange()
	p.update(wire.DialectSeed)
	p.exchange()
	p.rests(0)
	p.b.Rx.Free(0, p.b.Rx.Store(0, 60))
	p.exchange()
	if p.a.Tx.CCDue(p.now) || p.a.Deadline() != p.now+10*ms {
		t.Errorf("due in %d ns", p.a.Deadline().Sub(p.now))
	}
	if p.now += 10 * ms; !p.a.Tx.CCDue(p.now) {
		t.Fatal("not due")
	}
	p.update(wire.DialectSeed)
	p.exchange()
	p.rests(0)
	if p.a.Tx.CCDue(p.now + second) {
		t.Error("due again")
	}
}

func TestOverrunIsCounted(t *testing.T) {
	p := started(t, settingsOf(1, 24))
	p.fill(0, 60)
	if credits := p.b.Rx.Store(0, 61); credits != 2 || p.b.Rx.vc[0].counters.Overruns != 1 {
		t.Errorf("%d credits, %d overruns", credits, p.b.Rx.vc[0].counters.Overruns)
	}
}

// cfs returns how many CF_Updates one end sends now.
func (e *end) cfs(now wire.Time) (n int) {
	for _, c := range e.say(now) {
		if c.Type == wire.CFUpdate {
			n++
		}
	}
	return n
}

// TestCFUpdateSpacing: at an eighth of the limit after the minimum, at anything after the maximum, and
// at once when the link is idle.
func TestCFUpdateSpacing(t *testing.T) {
	p := started(t, settingsOf(1, 80))
	b := p.b
	p.fill(0, 60)
	b.env.Idle = false
	at := b.Rx.at
	for _, c := range []struct {
		free   int
		octets uint64
		idle   bool
		want   int
	}{
		{9, 799, false, 0}, {0, 800, false, 0}, {1, 801, false, 1}, // since the last: 801 octets, 10 credits
		{10, 801 + 799, false, 0}, {0, 801 + 800, false, 1},
		{1, 1601 + 65535, false, 0}, {0, 1601 + 65536, false, 1},
		{0, 1601 + 2*65536, false, 0}, {1, 1601 + 2*65536, true, 1}, {0, 1601 + 2*65536, true, 0},
	} {
		b.Rx.Free(0, c.free)
		b.env.Octets, b.env.Idle = at+c.octets, c.idle
		if got := b.cfs(p.now); got != c.want {
			t.Errorf("%+v: %d CF_Updates", c, got)
		}
	}
}

func TestCFUpdateAfterEveryCCUpdate(t *testing.T) {
	p := started(t, settingsOf(1, 80))
	p.b.env.Idle = false
	p.b.env.Octets += 800
	p.update(wire.DialectSeed)
	if n := p.b.cfs(p.now); n != 1 {
		t.Errorf("%d CF_Updates", n)
	}
}

// TestCFUpdateIsSaidAgain: after 10 ms, twice as long each time up to a second, which repairs
// one that was lost; from 10 ms on again when something is freed.
func TestCFUpdateIsSaidAgain(t *testing.T) {
	p := started(t, settingsOf(1, 80))
	p.fill(0, 60)
	for range 2 {
		p.b.Rx.Free(0, 1)
		p.b.say(p.now)
		for _, wait := range []time.Duration{10, 20, 40, 80, 160, 320, 640, 1000, 1000} {
			if got := p.b.Deadline().Sub(p.now); got != wait*ms {
				t.Fatalf("said again in %d ns, want %d ms", got, wait)
			}
			if p.b.cfs(p.now.Add(wait*ms)-1) != 0 {
				t.Error("too early")
			}
			if p.now = p.now.Add(wait * ms); p.b.cfs(p.now) != 1 {
				t.Error("not said again")
			}
		}
	}
}

func TestLostCFUpdateIsRepaired(t *testing.T) {
	p := started(t, settingsOf(1, 80))
	p.fill(0, 60)
	p.b.Rx.Free(0, 80)
	p.b.cuts = cutsCF
	p.exchange()
	p.b.cuts = nil
	p.pass(refreshFirst)
	p.rests(0)
}

// TestTwoChannelsInACFUpdate: 32 channels fill 16 of them; an odd one is there twice.
func TestTwoChannelsInACFUpdate(t *testing.T) {
	p := started(t, settingsOf(1<<VCs-1, 80))
	for n := range VCs + 1 {
		for vc := range uint8(n) {
			p.send(vc, 60)
			p.b.Rx.Free(vc, 1)
		}
		if got := p.b.cfs(p.now); got != (n+1)/2 {
			t.Errorf("%d channels: %d CF_Updates", n, got)
		}
		p.a.ReceivedControl(p.b.sent, &p.a.env, p.now)
		for vc := range uint8(n) {
			p.rests(vc)
		}
	}
}

// TestCFUpdatesBeyondAControlFrame: those without room are sent by the next Poll, at the same moment.
func TestCFUpdatesBeyondAControlFrame(t *testing.T) {
	for room := 1; room < 20; room++ {
		p := newPair(t, settingsOf(1<<VCs-1, 80))
		p.a.room, p.b.room = room, room
		p.exchange()
		p.pass(underWay)
		p.b.env.Idle = false
		for vc := range uint8(VCs) {
			p.fill(vc, 60)
			p.b.Rx.Free(vc, 80)
		}
		p.b.env.Octets += 800
		p.exchange()
		for vc := range uint8(VCs) {
			p.rests(vc)
		}
	}
}
