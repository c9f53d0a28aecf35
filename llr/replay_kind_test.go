package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// changeKind gives a station another kind of replay, as a reload does, and has it say so.
func (s *station) changeKind(k ReplayKind) {
	s.link.SetReplay(k)
	s.announcer.keeps = s.link.Rx.keepsLog
	s.wake = s.net.now
}

// Under load, over a wire that loses frames, both directions change the kind of replay once both ends want the same,
// and change it back when one end does not. No frame is lost, though frames in INIT were to be discarded. (That frames
// arrive once and in order is checked by station.)
func TestKindOfReplayChangesWithoutALoss(t *testing.T) {
	net, a, b := badWire{loss: 0.02, delay: 100_000, window: 64}.ends(t, 1)
	for _, s := range []*station{a, b} {
		p := s.link.Tx.profile
		p.InitAction, p.FlushAction = Discard, Discard
		s.link.SetProfile(p)
	}
	load := func(d time.Duration) {
		for end := net.now.Add(d); net.now < end; net.run(net.now + ms) {
			a.offered, b.offered = a.offered+20, b.offered+20
			a.wake, b.wake = net.now, net.now
		}
	}
	for i, c := range []struct{ a, b, want ReplayKind }{
		{Auto, GoBackN, GoBackN}, {Auto, Selective, Selective}, {GoBackN, Selective, GoBackN},
		{Selective, Selective, Selective}, {GoBackN, GoBackN, GoBackN},
	} {
		load(20 * ms)
		a.changeKind(c.a)
		load(time.Duration(i) * ms) // the other end hears of it, or not yet
		b.changeKind(c.b)
		load(50 * ms)
		for _, s := range []*station{a, b} {
			if tx, rx := s.link.Tx.Replays(), s.link.Rx.Replays(); tx != c.want || rx != c.want {
				t.Errorf("%v and %v: %s sends by %v and receives by %v", c.a, c.b, s.name, tx, rx)
			}
		}
	}
	for limit := net.now.Add(time.Second); !(a.done() && b.done()) && net.now < limit; {
		net.run(net.now + ms)
	}
	for _, s := range []*station{a, b} {
		n := s.link.Counters()
		if !s.done() || n.TxFlushedFrames+n.TxDiscard > 0 || s.peer.got != s.offered || n.TxInitCtlOS < 4 {
			t.Errorf("%s: %d of %d frames have arrived: %+v", s.name, s.peer.got, s.offered, *n)
		}
		if reinits, reason := s.link.Tx.Reinits(); reinits != 4 || reason != reinitKind {
			t.Errorf("%s: LLR was initialised again %d times: %s", s.name, reinits, reason)
		}
	}
}

// New frames wait while what was sent before is outstanding. If the ends want the former kind again, they go on.
func TestFramesWaitForTheOtherKind(t *testing.T) {
	l := linked(t)
	l.Tx.Push(0, 60, false, 2*ms)
	p := l.Tx.profile
	p.Replay = Auto
	l.SetProfile(p)
	if v := l.Tx.Admit(60); v != Sequence {
		t.Errorf("the partner keeps no frames: %v", v)
	}
	l.partnerKeeps(4)
	if v := l.Tx.Admit(60); v != Wait || l.Tx.Replays() != GoBackN {
		t.Errorf("both ends keep frames: %v", v)
	}
	l.partnerKeeps(0)
	if v := l.Tx.Admit(60); v != Sequence {
		t.Errorf("the partner keeps none any more: %v", v)
	}
	l.partnerKeeps(4)
	l.ReceivedControl(3*ms, wire.CtlOS{Type: wire.LLRAck, Seq: l.Tx.acked() + 1})
	wantTx(t, l.Tx, TxAdvance)
	if d := l.Deadline(); d > 3*ms {
		t.Errorf("nothing is outstanding: deadline %d", d)
	}
	l.Poll(3*ms, true, nil)
	wantTx(t, l.Tx, TxInit)
	if v := l.Tx.Admit(60); v != Wait || l.Counters().TxFlushedFrames != 0 {
		t.Errorf("%v, %+v", v, *l.Counters())
	}
}

// A partner that wants selective replay and sends no reports gets go-back-N until the next LLR_INIT, and LLR does not
// begin again and again.
func TestPartnerWithoutReportsIsNotInitialisedAgain(t *testing.T) {
	tx := selecting(t)
	push(t, tx, 2, loop)
	frame := []wire.CtlOS{{Type: wire.LLRAck, Seq: 100}}
	if tx.receivedReport(100, frame, 2*loop) {
		t.Fatal("a report")
	}
	tx.receivedAck(101, 2*loop)
	tx.checkKind()
	tx.poll(3*loop, nil)
	wantTx(t, tx, TxAdvance)
	if tx.Replays() != GoBackN {
		t.Error("selective replay without reports")
	}
}
