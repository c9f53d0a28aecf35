package llr

import (
	"testing"
	"time"

	"uelink/wire"
)

// exercised is a link in ADVANCE at both machines, and a call that makes one turn
// of everything a frame path does with it, in a kind of replay.
func exercised(t testing.TB, kind ReplayKind) (turn func()) {
	p := profile()
	p.Replay = kind
	p.ReInitOnFlush, p.MaxReplayCount = true, 1
	l := NewLink(p, 100, testNonce)
	l.Rx.SetMode(true)
	l.Tx.SetMode(true, 0)
	l.partnerKeeps(p.Keeps())
	out := make([]wire.CtlOS, 0, PollMax)
	var now wire.Time
	partner := uint32(500)
	return func() {
		now += 1000
		l.Tx.Reinit(now)
		l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRInit, Seq: partner, InitData: [2]byte{1}})
		out = l.Poll(now, true, out[:0])
		l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRInitEcho, Seq: l.Tx.NextSeq(), InitData: testNonce})
		for slot := range uint32(8) {
			if v := l.Tx.Admit(100); v != Sequence {
				t.Fatalf("%v in %v", v, l.Tx.State())
			}
			l.Tx.Push(slot, 100, slot == 3, now)
		}
		l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRAck, Seq: wire.SeqAdd(l.Tx.NextSeq(), -7)})
		l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRNack, Seq: wire.SeqAdd(l.Tx.NextSeq(), -5)})
		first := wire.SeqAdd(l.Tx.NextSeq(), -4)
		l.ReceivedControl(now, wire.CtlOS{Type: wire.LLRNack, Seq: wire.SeqAdd(first, -1)},
			wire.Gap(wire.GapArrived, wire.SeqAdd(first, 3), wire.SeqAdd(first, 4)),
			wire.Gap(wire.GapMissing, first, wire.SeqAdd(first, 3)))
		for _, fcs := range []wire.FCS{wire.FCSGood, wire.FCSPoisoned, wire.FCSBad} {
			for _, seq := range []uint32{partner, partner + 1, partner + 9, partner + 5} {
				if l.Rx.Receive(seq, fcs, 100) == Keep {
					l.Rx.Keep(seq, seq)
				}
			}
			l.Rx.NextKept()
			out = l.Poll(now, false, out[:0])
		}
		partner = wire.SeqAdd(partner, 20)
		l.Tx.SetCarrier(false, now)
		l.Tx.SetCarrier(true, now)
		for i := 0; i < 3; i++ {
			for l.Tx.Replaying() {
				l.Tx.Replay()
			}
			now = now.Add(time.Millisecond)
			out = l.Poll(now, true, out[:0])
			now = max(now, min(l.Deadline(), now+1000))
		}
		for ok := true; ok; {
			_, ok = l.Rx.FreeKept()
		}
		for {
			if _, ok := l.Tx.Free(); !ok {
				return
			}
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	for _, kind := range []ReplayKind{GoBackN, Auto} {
		if n := testing.AllocsPerRun(1000, exercised(t, kind)); n != 0 {
			t.Errorf("%v: %v allocations in one turn", kind, n)
		}
	}
}
