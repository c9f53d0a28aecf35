package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// nacks polls a receiver every 100 ns until end and returns the times at which it sends LLR_NACK.
func nacks(r *Rx, from, end wire.Time) (times []wire.Time) {
	for now := from; now < end; now += 100 {
		for _, c := range r.poll(now, false, nil) {
			if c.Type == wire.LLRNack {
				times = append(times, now)
			}
		}
	}
	return times
}

// numbering returns a receiver whose partner knows the numbers of LLR_NACK.
func numbering(t *testing.T) *Rx {
	r := initialized(t)
	r.nack.numbered = true
	return r
}

// Each LLR_NACK has a copy, and is repeated with its copy while no answer comes, each time after twice the time. SAI's
// counter has the first alone.
func TestNackIsRepeatedUntilItIsAnswered(t *testing.T) {
	r := numbering(t)
	take(r, wire.FCSGood, 124)
	got := nacks(r, 0, 20_000_000)
	want := []wire.Time{0, 1_000, 2_001_000, 2_002_000, 6_002_000, 6_003_000, 14_003_000, 14_004_000}
	if len(got) != len(want) {
		t.Fatalf("LLR_NACK at %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("LLR_NACK %d at %v, want %v", i, got[i], want[i])
		}
	}
	if r.count.TxNackCtlOS != 1 || r.count.TxNackRepeated != 7 {
		t.Errorf("%d LLR_NACK and %d repeated, want 1 and 7", r.count.TxNackCtlOS, r.count.TxNackRepeated)
	}
	take(r, wire.FCSGood, 100)
	if more := nacks(r, 20_000_000, 200_000_000); len(more) > 0 {
		t.Errorf("the expected frame is here, and LLR_NACK is sent at %v", more)
	}
}

// The wait for the first repetition follows the measured answers. An LLR_NACK that was repeated late measures nothing.
func TestNackIsRepeatedAfterTheTimeOfAnAnswer(t *testing.T) {
	r, now := numbering(t), wire.Time(0)
	for range 40 {
		take(r, wire.FCSGood, wire.SeqAdd(r.next, 1))
		nacks(r, now, now+30_000)
		take(r, wire.FCSGood, r.next)
		now += 30_000
		r.poll(now, true, nil)
	}
	if a := r.nack.answer; a < 29*time.Microsecond || a > 31*time.Microsecond {
		t.Fatalf("an answer takes %v, want 30 µs", a)
	}
	take(r, wire.FCSGood, wire.SeqAdd(r.next, 1))
	got := nacks(r, now, now+10_000_000)
	if len(got) < 3 || got[2]-now < 55_000 || got[2]-now > 75_000 {
		t.Fatalf("LLR_NACK at %v from %v on, want the third some 60 µs later", got, now)
	}
	answer := r.nack.answer
	take(r, wire.FCSGood, r.next)
	r.poll(now+10_000_000, true, nil)
	if r.nack.answer != answer {
		t.Errorf("an LLR_NACK that was repeated late has changed %v to %v", answer, r.nack.answer)
	}
}

// Without room for the answer an LLR_NACK is not repeated. With room there is another LLR_NACK.
func TestNackIsNotRepeatedWithoutRoom(t *testing.T) {
	r := numbering(t)
	take(r, wire.FCSGood, 124)
	nacks(r, 0, 100)
	r.Overflowed(100)
	if got := nacks(r, 100, 50_000_000); len(got) > 0 {
		t.Errorf("no room, and LLR_NACK at %v", got)
	}
	r.RoomAvailable()
	if got := nacks(r, 50_000_000, 50_000_500); len(got) != 1 || r.count.TxNackCtlOS != 2 {
		t.Errorf("room, and LLR_NACK at %v, %d counted", got, r.count.TxNackCtlOS)
	}
}

// A partner that does not know the numbers gets one LLR_NACK for a gap, as SAI-LLR has it.
func TestNackIsNotRepeatedToAPartnerWithoutNumbers(t *testing.T) {
	r := initialized(t)
	take(r, wire.FCSGood, 124)
	if got := nacks(r, 0, 100_000_000); len(got) != 1 {
		t.Errorf("LLR_NACK at %v", got)
	}
}

// The numbers of STATION decide: an older partner's item 2 lacks the flag, and a partner's restart forgets the flag.
func TestNackIsNumberedIfThePartnerSaysSo(t *testing.T) {
	l := NewLink(profile(), 1, testNonce)
	l.Rx.SetMode(true)
	told := func(start uint32, nacks bool) {
		s := wire.Station{Start: start, Nacks: nacks}
		for now := range wire.Time(3) {
			l.ReceivedControl(now*10_000_000, s.Items(nil)...)
		}
	}
	for i, nacks := range []bool{true, false, true} {
		if told(7, nacks); l.Rx.nack.numbered != nacks {
			t.Errorf("STATION %d says %v, believed is %v", i, nacks, l.Rx.nack.numbered)
		}
	}
	l.Rx.partnerRestarted()
	if l.Rx.nack.numbered {
		t.Error("the partner has restarted, and counts as one that knows the numbers")
	}
}

// A copy of an LLR_NACK begins no replay, however late it comes; one that asks again begins another. Both are counted
// apart from SAI's counter.
func TestCopyOfANackBeginsNoReplay(t *testing.T) {
	tx := advanced(t, profile())
	tx.patience.least = 20 * time.Microsecond
	push(t, tx, 4, 0)
	nack := wire.SeqAdd(tx.seq, -5)
	for _, c := range []struct {
		at     wire.Time
		number uint8
		again  bool
		posted int
	}{{100_000, 1, false, 4}, {101_000, 1, false, 0}, {200_000, 1, false, 0}, {300_000, 2, true, 4}, {400_000, 2, true, 0},
		{500_000, 3, false, 4}} {
		tx.receivedNack(nack, wire.Received{Nack: c.number, Again: c.again}, c.at)
		if posted := len(replayed(tx)); posted != c.posted {
			t.Errorf("at %v %d frames are posted again, want %d", c.at, posted, c.posted)
		}
	}
	if tx.count.RxNackCtlOS != 2 || tx.count.RxNackRepeated != 4 {
		t.Errorf("%d LLR_NACK and %d repeated, want 2 and 4", tx.count.RxNackCtlOS, tx.count.RxNackRepeated)
	}
}

// The copy counts if the first was lost.
func TestCopyOfALostNackBeginsAReplay(t *testing.T) {
	tx := advanced(t, profile())
	push(t, tx, 4, 0)
	nack := wire.SeqAdd(tx.seq, -3)
	tx.receivedNack(nack, wire.Received{Nack: 9}, 100_000)
	if posted := len(replayed(tx)); posted != 2 {
		t.Errorf("%d frames are posted again, want 2", posted)
	}
}
