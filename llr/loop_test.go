package llr

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"uelink/wire"
)

// acked has the link send n frames at one time and an LLR_ACK of them come at another.
func acked(l *Link, n int, sent, came wire.Time) {
	for i := range n {
		l.Tx.Push(uint32(i), 100, false, sent)
	}
	l.ReceivedControl(came, wire.CtlOS{Type: wire.LLRAck, Seq: wire.SeqAdd(l.Tx.NextSeq(), -1)})
	for _, ok := l.Tx.Free(); ok; _, ok = l.Tx.Free() {
	}
}

// handshaken is a link whose LLR_INIT was echoed after a time.
func handshaken(p Profile, loop time.Duration) *Link {
	l := NewLink(p, 0, testNonce)
	l.Rx.SetMode(true)
	l.Tx.SetMode(true, 0)
	l.Poll(0, true, nil)
	l.ReceivedControl(wire.Time(loop), wire.CtlOS{Type: wire.LLRInitEcho, InitData: testNonce})
	return l
}

func loopOf(t *testing.T, l *Link) LoopTime {
	t.Helper()
	loop, ok := l.Tx.LoopTime()
	if !ok {
		t.Fatal("the loop time is not known")
	}
	return loop
}

func TestLoopClassesAreAnEighthWide(t *testing.T) {
	for ns := time.Duration(0); ns < time.Minute; ns += 1 + ns/50 {
		class := loopClass(ns)
		end := loopEnd(class)
		if ns >= end || class > 0 && ns < loopEnd(class-1) {
			t.Fatalf("%d ns is in class %d, which ends at %d", ns, class, end)
		}
		if width := end - 1 - ns; ns >= 1<<(loopUnit+3) && width > ns/8 {
			t.Fatalf("%d ns: the class ends %d ns later", ns, width)
		}
	}
	if c := loopClass(math.MaxInt64); c != loopClasses-1 {
		t.Errorf("the longest time is in class %d", c)
	}
	if c := loopClass(-5); c != 0 {
		t.Errorf("a time that runs back is in class %d", c)
	}
}

// Quantiles are those of the sorted times, at most an eighth too long.
func TestLoopTimeQuantiles(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		var l loopTimes
		l.forget()
		all := make([]int64, 1+r.IntN(loopMemory-2))
		for i := range all {
			all[i] = 500 + int64(r.ExpFloat64()*1e5)
			l.add(time.Duration(all[i]))
		}
		slices.Sort(all)
		at := func(share float64) int64 { return all[int(math.Ceil(share*float64(len(all))))-1] }
		s := l.summary()
		if s.Min != all[0] {
			t.Errorf("seed %d: min %d, want %d", seed, s.Min, all[0])
		}
		for _, q := range []struct{ got, want int64 }{{s.P50, at(0.5)}, {s.P99, at(0.99)}, {s.Max, at(1)}} {
			if q.got < q.want || q.got > q.want+q.want/8 {
				t.Errorf("seed %d: %d, want %d and at most an eighth more", seed, q.got, q.want)
			}
		}
	}
}

func TestLoopTimeForgetsWhatWasLongAgo(t *testing.T) {
	var l loopTimes
	l.forget()
	l.add(time.Second)
	for range 2 * loopMemory {
		l.add(10_000)
	}
	if s := l.summary(); s.Max > 12_000 {
		t.Errorf("the longest is %d ns, after %d short ones", s.Max, 2*loopMemory)
	}
}

func TestLoopTimeOfTheHandshake(t *testing.T) {
	l := handshaken(profile(), 70_000)
	if got, want := loopOf(t, l), (LoopTime{70_000, 70_000, 70_000, 70_000}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, ok := NewLink(profile(), 0, testNonce).Tx.LoopTime(); ok {
		t.Error("it is known before LLR is up")
	}
}

// While the first echo is under way LLR_INIT is repeated: nobody knows which is echoed. The loop time is not known, but
// window and replay timer that follow it are safe: the time counts from the first LLR_INIT, up to unsureMost. That from
// the last would be too short, and a timer shorter than the loop time has every frame sent again, which measures
// nothing.
func TestLoopTimeOfAHandshakeThatWasRepeated(t *testing.T) {
	for _, loop := range []wire.Time{1_300_000, 2_000_000, 5_000_000, 15_000_000} {
		p := profile()
		p.MaxOutstandingFrames, p.MaxReplayTimer = 0, 0
		l := NewLink(p, 0, testNonce)
		l.Tx.SetMode(true, 0)
		echoed(l, loop, 0, 200_000_000)
		if got, ok := l.Tx.LoopTime(); ok || l.Tx.patience.least != forever {
			t.Errorf("loop %d: %+v, the least %v, where neither is known", loop, got, l.Tx.patience.least)
		}
		if _, timer := l.Tx.Limits(); timer <= time.Duration(loop) {
			t.Errorf("loop %d: the replay timer is %v", loop, timer)
		}
		acked(l, 1, 300_000_000, 300_000_000+loop)
		if got := loopOf(t, l); got.Max < int64(loop) || l.Tx.patience.least != time.Duration(loop) {
			t.Errorf("loop %d: %+v, the least %v", loop, got, l.Tx.patience.least)
		}
	}
}

// The partner comes after a while: LLR_INITs that nobody received make no replay timer long.
func TestLoopTimeOfAPartnerThatComesLate(t *testing.T) {
	const loop = 20_000
	for _, late := range []wire.Time{10_000_000, 120_000_000, 60_000_000_000} {
		p := profile()
		p.MaxReplayTimer = 0
		l := NewLink(p, 0, testNonce)
		l.Tx.SetMode(true, 0)
		echoed(l, 1<<60, 0, late)
		echoed(l, loop, late, late+1_000_000_000)
		if _, timer := l.Tx.Limits(); timer > timerMargin*unsureMost+timerStep+ackDelayMax {
			t.Errorf("the partner comes after %d ns, and the replay timer is %v", late, timer)
		}
	}
}

// echoed polls a link from one time to another. Each LLR_INIT is echoed after a loop time.
func echoed(l *Link, loop, from, to wire.Time) {
	var echoes []wire.Time
	for now := from; now < to; now += 100_000 {
		for len(echoes) > 0 && echoes[0] <= now {
			l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRInitEcho, InitData: testNonce})
			echoes = echoes[1:]
		}
		if len(l.Poll(now, true, nil)) > 0 {
			echoes = append(echoes, now+loop)
		}
	}
}

// A late frame's time is that of the last frame that an acknowledgement covers.
func TestLoopTimeOfFrames(t *testing.T) {
	l := handshaken(profile(), 500_000)
	l.Tx.Push(0, 100, false, 1_000_000)
	acked(l, 3, 1_040_000, 1_050_000)
	s := loopOf(t, l)
	if s.Min != 10_000 || s.Max < 10_000 || s.Max > 11_250 {
		t.Errorf("%+v, want 10 µs", s)
	}
}

func TestFramesThatWereSentAgainDoNotCount(t *testing.T) {
	l := handshaken(profile(), 500_000)
	l.Tx.Push(0, 100, false, 1_000_000)
	l.ReceivedControl(1_100_000, wire.CtlOS{Type: wire.LLRNack, Seq: wire.SeqMask})
	if _, ok := l.Tx.Replay(); !ok {
		t.Fatal("nothing is sent again")
	}
	l.ReceivedControl(1_110_000, wire.CtlOS{Type: wire.LLRAck, Seq: 0})
	if n, _ := l.Tx.Outstanding(); n != 0 {
		t.Fatalf("%d frames outstanding", n)
	}
	if s := loopOf(t, l); s.Max != 500_000 {
		t.Errorf("%+v, want the handshake's alone", s)
	}
}

// What a partner lets wait that has said BUSY is no loop time.
func TestFramesOfABusyPartnerDoNotCount(t *testing.T) {
	l := handshaken(profile(), 500_000)
	l.Tx.partnerBusy(true, 1_000_000)
	acked(l, 1, 1_010_000, 50_000_000)
	l.Tx.partnerBusy(false, 50_000_000)
	if s := loopOf(t, l); s.Max != 500_000 {
		t.Errorf("%+v, want the handshake's alone", s)
	}
	acked(l, 1, 60_000_000, 60_020_000)
	if s := loopOf(t, l); s.Min != 20_000 {
		t.Errorf("%+v, want 20 µs", s)
	}
}

func TestLoopTimeIsForgottenWithTheHandshake(t *testing.T) {
	l := handshaken(profile(), 10_000)
	acked(l, 1, 20_000, 30_000)
	l.Tx.Reinit(40_000)
	if s, ok := l.Tx.LoopTime(); ok {
		t.Errorf("%+v while LLR is initialised again", s)
	}
}

// BenchmarkLoopTime is what an acknowledgement costs more for it.
func BenchmarkLoopTime(b *testing.B) {
	l := handshaken(profile(), 10_000)
	for i := wire.Time(0); b.Loop(); i = (i + 1) & 0xFFFF {
		l.Tx.addLoopTime(0, i<<4)
	}
}

// Frames that were sent before a replay, and not again, are acknowledged late because the replay came late. Their wait
// is no loop time: a replay timer that follows the loop time would lengthen itself.
func TestFramesThatWaitedForAReplayDoNotCount(t *testing.T) {
	l := handshaken(profile(), 10_000)
	for slot := range uint32(10) {
		l.Tx.Push(slot, 100, false, 1_000_000)
	}
	l.Poll(l.Deadline(), true, nil)
	for l.Tx.Replaying() {
		l.Tx.Replay()
	}
	l.ReceivedControl(50_000_000, wire.CtlOS{Type: wire.LLRAck, Seq: wire.SeqAdd(l.Tx.NextSeq(), -1)})
	if n, _ := l.Tx.Outstanding(); n != 0 || l.Counters().TxReplay != 1 {
		t.Fatalf("%d frames outstanding, %d replays", n, l.Counters().TxReplay)
	}
	if s := loopOf(t, l); s.Max != 10_000 {
		t.Errorf("%+v, want the handshake's alone", s)
	}
}
