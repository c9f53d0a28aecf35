package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// A link's time is in exactly one state of each machine, and what a wire loses shows in REPLAY and NACK_SENT.
func TestStateTimes(t *testing.T) {
	const us = wire.Time(1000)
	l := NewLink(profile(), 7, [2]byte{1, 2})
	at := 100 * us
	l.Poll(at, false, nil)
	l.Tx.SetMode(true, at)
	l.Rx.SetMode(true)
	l.Poll(at+10*us, false, nil) // LLR_INIT leaves
	l.ReceivedControl(at+30*us, wire.CtlOS{Type: wire.LLRInitEcho, Seq: 7, InitData: [2]byte{1, 2}},
		wire.CtlOS{Type: wire.LLRInit, Seq: 5})
	if l.Tx.State() != TxAdvance {
		t.Fatalf("%v", l.Tx.State())
	}
	for i := range uint32(3) {
		l.Tx.Push(i, 100, false, at+30*us)
	}
	l.ReceivedControl(at+50*us, wire.CtlOS{Type: wire.LLRNack, Seq: 6}) // the first is lost
	l.Tick(at + 80*us)
	for l.Tx.Replaying() {
		l.Tx.Replay()
	}
	l.Rx.Receive(6, wire.FCSGood, 100) // 5 is lost
	l.Poll(at+100*us, false, nil)      // LLR_NACK leaves
	l.Rx.Receive(5, wire.FCSGood, 100)
	l.Poll(at+130*us, true, nil)
	got := l.StateTimes()
	var tx, rx time.Duration
	for _, d := range l.timeline.tx {
		tx += d
	}
	for _, d := range l.timeline.rx {
		rx += d
	}
	want := StateTimes{TxInitTime: 30 * 1000, TxAdvanceTime: 70 * 1000, TxReplayTime: 30 * 1000,
		RxSendAcksTime: 110 * 1000, RxSendNackTime: 20 * 1000}
	if got != want || tx != 130*1000 || rx != 130*1000 {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if c := l.Counters(); c.TxReplayedFrames != 3 || c.TxReplayedOctets != 300 {
		t.Errorf("%d frames, %d octets sent again", c.TxReplayedFrames, c.TxReplayedOctets)
	}
	l.Clear()
	if got := l.StateTimes(); got != (StateTimes{}) {
		t.Errorf("cleared: %+v", got)
	}
	l.Tick(at + 140*us)
	if got := l.StateTimes(); got.TxAdvanceTime != 10*1000 {
		t.Errorf("after clear: %+v", got)
	}
}

// The times between acknowledgements are those of both directions, without the first.
func TestAckSpacing(t *testing.T) {
	l := NewLink(profile(), 7, [2]byte{1, 2})
	for i, at := range []wire.Time{1000, 3000, 9000} {
		l.ReceivedControl(at, wire.CtlOS{Type: wire.LLRAck})
		if _, received, sentOK, ok := l.AckSpacing(); ok != (i > 0) || sentOK || ok && received.Min != 2000 {
			t.Errorf("%d: %+v, %v, %v", i, received, sentOK, ok)
		}
	}
	if _, received, _, _ := l.AckSpacing(); received.Max < 6000 || received.Max > 6000*9/8 {
		t.Errorf("%+v", received)
	}
	l.Clear()
	if _, _, _, ok := l.AckSpacing(); ok {
		t.Error("cleared")
	}
}
