package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// saysStart passes one control frame to a link, with the start id of the partner, and
// maybe more.
func saysStart(l *Link, now wire.Time, start uint32, more ...wire.CtlOS) {
	got := wire.Station{Start: start, Live: true}
	l.ReceivedControl(now, append(got.Items(nil), more...)...)
}

// linked is a link whose Tx and Rx run, to a partner with the nonce 1 and start id 7
// that expects 100 and sends 500.
func linked(t *testing.T) *Link {
	t.Helper()
	l := NewLink(profile(), 100, testNonce)
	l.Rx.SetMode(true)
	l.Tx.SetMode(true, 0)
	l.Poll(0, true, nil)
	echo := wire.CtlOS{Type: wire.LLRInitEcho, Seq: 100, InitData: testNonce}
	saysStart(l, 0, 7, initOf(500, 1), echo)
	saysStart(l, ms, 7)
	l.Poll(ms, true, nil)
	if l.Tx.State() != TxAdvance || !l.Rx.Live() {
		t.Fatalf("%v, %v", l.Tx.State(), l.Rx.State())
	}
	return l
}

// reinitOf is why a link was last initialised again.
func reinitOf(l *Link) string {
	_, reason := l.Tx.Reinits()
	return reason
}

func initOf(seq uint32, nonce byte) wire.CtlOS {
	return wire.CtlOS{Type: wire.LLRInit, Seq: seq, InitData: [2]byte{nonce}}
}

// A partner that restarts with the same nonce is noticed by its start id.
func TestRestartWithTheSameNonceIsNoticed(t *testing.T) {
	l := linked(t)
	l.Tx.Push(0, 100, false, 2*ms)
	saysStart(l, 3*ms, 8, initOf(500, 1))
	if l.Counters().PartnerRestart != 0 {
		t.Error("believed at once")
	}
	saysStart(l, 4*ms, 8, initOf(500, 1))
	if n := *l.Counters(); n.PartnerRestart != 1 || n.TxReinit != 1 || n.TxFlushedFrames != 1 {
		t.Errorf("%+v", n)
	}
	if l.Tx.State() != TxInit || !l.Rx.Live() || l.Rx.NextSeq() != 500 || reinitOf(l) != reinitRestarted {
		t.Errorf("%v, live %v, expects %d, %q", l.Tx.State(), l.Rx.Live(), l.Rx.NextSeq(), reinitOf(l))
	}
}

// A start id counts again only when some time has passed, and not when the partner has
// sent frames in order meanwhile; if it has acknowledged some, it has to come often.
func TestWhenAStartIDIsBelieved(t *testing.T) {
	for _, c := range []struct {
		name    string
		apart   time.Duration
		between func(l *Link, now wire.Time)
		want    int // the how-manieth is believed; 0 = none of 20
	}{
		{"alike, and some time apart", ms, func(*Link, wire.Time) {}, startSightings},
		{"of one moment", suspectSpacing - 1, func(*Link, wire.Time) {}, startSightings + 1},
		{"frames in order between", ms, func(l *Link, _ wire.Time) { l.Rx.Receive(l.Rx.NextSeq(), wire.FCSGood, 60) }, 0},
		{"acknowledged progress between", ms, func(l *Link, now wire.Time) {
			if l.Tx.Admit(60) == Sequence {
				l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRAck, Seq: l.Tx.Push(0, 60, false, now)})
			}
		}, startSightings * suspectDoubt},
	} {
		l := linked(t)
		got := 0
		for i := 1; i <= 20 && got == 0; i++ {
			now := wire.Time(2 * ms).Add(time.Duration(i) * c.apart)
			saysStart(l, now, 8)
			if l.Counters().PartnerRestart > 0 {
				got = i
			}
			c.between(l, now)
		}
		if got != c.want {
			t.Errorf("%s: number %d is believed, want %d", c.name, got, c.want)
		}
	}
}

// From a partner that sends its start id no LLR_INIT without the start id is accepted.
func TestInitWithoutTheStartIDIsNotTaken(t *testing.T) {
	l := linked(t)
	for i := range wire.Time(10) {
		l.ReceivedControl(2*ms+i*ms, initOf(900, 1))
		l.ReceivedControl(2*ms+i*ms, initOf(900, 2))
		saysStart(l, 2*ms+i*ms, uint32(1000+i), initOf(900, 3))
	}
	if l.Rx.NextSeq() != 500 || l.Counters().RxInitStale != 30 || !l.StationRequested() || l.StationRequested() {
		t.Errorf("expects %d; %+v", l.Rx.NextSeq(), l.Counters())
	}
	saysStart(l, 20*ms, 7, initOf(900, 1))
	if l.Rx.NextSeq() != 900 || l.Counters().PartnerRestart != 0 {
		t.Errorf("with the start id: expects %d; %+v", l.Rx.NextSeq(), l.Counters())
	}
}

// An LLR_INIT that was forged before the partner spoke does not keep it out.
func TestPartnerIsTakenAfterAForgedInit(t *testing.T) {
	l := NewLink(profile(), 100, testNonce)
	l.Rx.SetMode(true)
	l.ReceivedControl(0, initOf(77, 66))
	for i := range wire.Time(3) {
		saysStart(l, (i+1)*ms, 7, initOf(500, 1))
	}
	if l.Rx.NextSeq() != 500 {
		t.Errorf("expects %d", l.Rx.NextSeq())
	}
}

// A forged LLR_INIT with the right nonce, taken before the partner had said its start id,
// has moved next_rx_seq ahead. The partner's own is behind that, and is taken when it has
// come often enough; one that comes once, out of the past, is not.
func TestPartnerIsTakenThoughItsNumbersAreBehind(t *testing.T) {
	l := linked(t)
	saysStart(l, 2*ms, 7, initOf(50_000, 1))
	if l.Rx.NextSeq() != 50_000 {
		t.Fatalf("it expects %d", l.Rx.NextSeq())
	}
	for i := range wire.Time(initSightings) {
		if l.Rx.NextSeq() != 50_000 {
			t.Errorf("taken after %d times", i)
		}
		saysStart(l, (3+i)*ms, 7, initOf(510, 1))
	}
	if n := l.Counters(); l.Rx.NextSeq() != 510 || n.PartnerRestart != 0 || n.TxReinit != 0 {
		t.Errorf("it expects %d; %+v", l.Rx.NextSeq(), n)
	}
	for i := range wire.Time(20) {
		l.Rx.Receive(l.Rx.NextSeq(), wire.FCSGood, 60)
		saysStart(l, (10+i)*ms, 7, initOf(505, 1))
	}
	if l.Rx.NextSeq() != 530 {
		t.Errorf("an old one among frames was taken: it expects %d", l.Rx.NextSeq())
	}
}

// A partner that becomes an older one says no start id any more: after a while its LLR_INIT
// are weighed as an older one's.
func TestPartnerThatBecomesAnOlderOne(t *testing.T) {
	l := linked(t)
	now := wire.Time(2 * ms)
	for range 5 {
		now += ms
		l.ReceivedControl(now, initOf(900, 9))
	}
	if l.Rx.NextSeq() != 500 {
		t.Fatalf("expects %d", l.Rx.NextSeq())
	}
	now = now.Add(stationTimeout)
	for range initSightings {
		now += ms
		l.ReceivedControl(now, initOf(900, 9))
	}
	if l.Rx.NextSeq() != 900 || l.Counters().PartnerRestart != 1 {
		t.Errorf("expects %d; %+v", l.Rx.NextSeq(), l.Counters())
	}
}

// The partner says twice, a loop time apart, that its receiver is not initialised.
func TestReceiverThatIsNotLiveIsInitialisedAgain(t *testing.T) {
	says := func(l *Link, now wire.Time, live bool) {
		got := wire.Station{Start: 7, Live: live}
		l.ReceivedControl(now, got.Items(nil)...)
	}
	l := linked(t)
	says(l, 2*ms, false)
	says(l, wire.Time(2*ms+apartLeast-1), false)
	wantTx(t, l.Tx, TxAdvance)
	says(l, wire.Time(2*ms+apartLeast), false)
	wantTx(t, l.Tx, TxInit)

	l = linked(t)
	l.Tx.Push(0, 60, false, 2*ms)
	says(l, 2*ms, false)
	says(l, wire.Time(2*ms+apartLeast), false)
	wantTx(t, l.Tx, TxAdvance) // it may be an old one: the frame may yet be acknowledged
	l.Poll(4*ms, true, nil)
	replayed(l.Tx)
	says(l, 4*ms, false)
	wantTx(t, l.Tx, TxInit)
	if reinitOf(l) != reinitNotLive || l.Counters().TxReinit != 1 {
		t.Errorf("%q, %+v", reinitOf(l), l.Counters())
	}

	l = linked(t)
	says(l, 2*ms, false)
	l.ReceivedControl(3*ms, wire.CtlOS{Type: wire.LLRAck, Seq: l.Tx.Push(0, 60, false, 2*ms)})
	says(l, 4*ms, false)
	wantTx(t, l.Tx, TxAdvance) // progress in between
	says(l, 5*ms, true)
	says(l, 6*ms, false)
	wantTx(t, l.Tx, TxAdvance)
}

// Another station's word does not count.
func TestNotLiveOfAnotherStartIsPassedOver(t *testing.T) {
	l := linked(t)
	for i := range wire.Time(10) {
		got := wire.Station{Start: uint32(100 + i)}
		l.ReceivedControl(2*ms+i*ms, got.Items(nil)...)
		l.ReceivedControl(2*ms+i*ms, got.Items(nil)[1])
	}
	wantTx(t, l.Tx, TxAdvance)
}

// The same acknowledgement outside the window three times, half a replay timer apart, while frames get no answer after
// the replay timer.
func TestAcknowledgementThatNeverFitsInitialisesAgain(t *testing.T) {
	for _, typ := range []wire.CtlOSType{wire.LLRNack, wire.LLRAck} {
		l := linked(t)
		l.Tx.Push(0, 60, false, 2*ms)
		expireTimer(l.Tx)
		at := l.Tx.now
		for i := range wire.Time(misfitsMax) {
			wantTx(t, l.Tx, TxAdvance)
			for range 5 { // of one moment on the wire
				l.ReceivedControl(at+i*wire.Time(l.Tx.limits.timeout/2), wire.CtlOS{Type: typ, Seq: 50})
			}
		}
		wantTx(t, l.Tx, TxInit)
		if reinitOf(l) != reinitMisfit {
			t.Errorf("%q", reinitOf(l))
		}
	}
}

// expireTimer lets the replay timer expire, and posts the replay.
func expireTimer(tx *Tx) {
	tx.poll(tx.replayAt(), nil)
	replayed(tx)
}

// A flood of one stale acknowledgement starts nothing while the partner acknowledges frames, however late, nor while
// nothing is outstanding: it may be forged, or a copy from long ago.
func TestStaleAcknowledgementsAreNoLostNumbers(t *testing.T) {
	l := linked(t)
	now := wire.Time(2 * ms)
	flood := func(until wire.Time) {
		for ; now < until; now += wire.Time(apartLeast) / 4 {
			l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRAck, Seq: 50})
		}
	}
	flood(20 * ms)
	for range 10 {
		seq := l.Tx.Push(0, 60, false, now)
		flood(l.Tx.replayAt()) // no answer for as long as that
		l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRAck, Seq: seq})
		freed(l.Tx)
	}
	seq := l.Tx.Push(0, 60, false, now)
	flood(l.Tx.replayAt())
	expireTimer(l.Tx)
	l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRAck, Seq: seq}) // the answer to the replay
	flood(now + 20*ms)
	wantTx(t, l.Tx, TxAdvance)
	if n := l.Counters(); n.TxReinit != 0 || n.RxAckNackSeqError < 100 {
		t.Errorf("%+v", n)
	}
}

// A wire that holds frames back brings acknowledgements from before the last progress, the same one many times, until
// after the replay timer has expired.
func TestHeldAcknowledgementsAreNoLostNumbers(t *testing.T) {
	l := linked(t)
	seq := l.Tx.Push(0, 60, false, 2*ms)
	l.Tx.Push(1, 60, false, 2*ms)
	l.ReceivedControl(3*ms, wire.CtlOS{Type: wire.LLRAck, Seq: seq})
	late := func(until wire.Time) {
		for at := l.Tx.now; at < until; at += wire.Time(apartLeast) / 4 {
			l.ReceivedControl(at, wire.CtlOS{Type: wire.LLRNack, Seq: seq - 1})
		}
	}
	late(l.Tx.replayAt())
	expireTimer(l.Tx)
	late(l.Tx.now + wire.Time(l.Tx.limits.timeout) - 1)
	wantTx(t, l.Tx, TxAdvance)
	if n := l.Counters(); n.TxReinit != 0 || n.RxAckNackSeqError < 10 {
		t.Errorf("%+v", n)
	}
}

func TestAcknowledgementsThatDiffer(t *testing.T) {
	l := linked(t)
	for i := range uint32(100) { // random ones
		l.ReceivedControl(2*ms+wire.Time(i)*ms, wire.CtlOS{Type: wire.LLRNack, Seq: 1000 + i%2})
	}
	wantTx(t, l.Tx, TxAdvance)
	for i := range wire.Time(100) { // the same, but the partner goes on
		now := 200*ms + i*ms
		l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRNack, Seq: 50})
		l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRAck, Seq: l.Tx.Push(0, 60, false, now)})
		freed(l.Tx)
	}
	wantTx(t, l.Tx, TxAdvance)
}

// A partner that has gone while nothing was outstanding: what takes its place gets frames
// as in INIT.
func TestSilentPartner(t *testing.T) {
	l := linked(t)
	l.Tx.Push(0, 60, false, 2*ms)
	l.Tx.PartnerSilent(3 * ms)
	wantTx(t, l.Tx, TxAdvance)
	l.ReceivedControl(4*ms, wire.CtlOS{Type: wire.LLRAck, Seq: 100})
	l.Tx.PartnerSilent(5 * ms)
	wantTx(t, l.Tx, TxInit)
	if n, reason := l.Tx.Reinits(); n != 1 || reason != reinitSilent {
		t.Errorf("%d, %q", n, reason)
	}
}

// One LLR_INIT of this start that comes again, with the start id, does not move next_rx_seq once its number is ahead
// again: after 2^19 frames and more, when frames have gone round, nor if it is that of a handshake before the last.
func TestReplayedInitOfThisStartIsNotBelieved(t *testing.T) {
	l := linked(t)
	accept := func(n int) {
		for range n {
			if l.Rx.Receive(l.Rx.NextSeq(), wire.FCSGood, 60) != Deliver {
				t.Fatal("a frame in order is not taken")
			}
		}
	}
	now := wire.Time(2 * ms)
	replayed := func(seq uint32) {
		t.Helper()
		next, stale := l.Rx.NextSeq(), l.Counters().RxInitStale
		now += ms
		if saysStart(l, now, 7, initOf(seq, 1)); l.Rx.NextSeq() != next || l.Counters().RxInitStale != stale+1 {
			t.Errorf("LLR_INIT %d: next_rx_seq goes from %d to %d", seq, next, l.Rx.NextSeq())
		}
	}
	accept(600_000)
	replayed(500)
	accept(wire.SeqMask + 1 - 600_000 - 1)
	replayed(500) // the very next number
	accept(1000)
	if saysStart(l, now+ms, 7, initOf(1510, 1)); l.Rx.NextSeq() != 1510 {
		t.Errorf("a handshake that counts on is not taken: %d", l.Rx.NextSeq())
	}
	accept(600_000)
	replayed(500)
	replayed(1510)
}

// An LLR_INIT whose number is far ahead, or that of the last handshake, is believed when it comes initSightings times
// and nothing else: a transmitter in INIT repeats it.
func TestRepeatedInitFarAheadIsBelieved(t *testing.T) {
	for _, seq := range []uint32{500, 500 + 300_000} {
		l := linked(t)
		for range wire.SeqMask {
			l.Rx.Receive(l.Rx.NextSeq(), wire.FCSGood, 60)
		}
		for i := range wire.Time(initSightings) {
			if l.Rx.NextSeq() != 499 {
				t.Errorf("LLR_INIT %d is believed after %d times", seq, i)
			}
			saysStart(l, (2+i)*ms, 7, initOf(seq, 1))
		}
		if l.Rx.NextSeq() != seq || l.Counters().PartnerRestart != 0 {
			t.Errorf("LLR_INIT %d is not believed: next_rx_seq %d, %d restarts", seq, l.Rx.NextSeq(),
				l.Counters().PartnerRestart)
		}
	}
}

// Of a partner that has restarted no frame is taken before its next LLR_INIT, whatever its number, and none is
// acknowledged: it would be one of the start that is over.
func TestNothingOfARestartedPartnerBeforeItsInit(t *testing.T) {
	l := linked(t)
	l.Rx.Receive(500, wire.FCSGood, 60)
	saysStart(l, 3*ms, 8)
	if saysStart(l, 4*ms, 8); l.Counters().PartnerRestart != 1 {
		t.Fatal("the restart is not noticed")
	}
	l.Poll(4*ms, true, nil)
	for seq := uint32(499); seq < 504; seq++ {
		if v := l.Rx.Receive(seq, wire.FCSGood, 60); v != Ignore {
			t.Errorf("frame %d: %v", seq, v)
		}
	}
	for _, c := range l.Poll(5*ms, true, nil) {
		if c.Type == wire.LLRAck || c.Type == wire.LLRNack {
			t.Errorf("it sends %v", c)
		}
	}
	if n := l.Counters().RxNotInitialized; n != 5 || l.Rx.Live() {
		t.Errorf("rx_not_initialized %d, live %v", n, l.Rx.Live())
	}
	saysStart(l, 6*ms, 8, initOf(502, 2))
	if v := l.Rx.Receive(502, wire.FCSGood, 60); v != Deliver {
		t.Errorf("after its LLR_INIT: %v", v)
	}
}
