package llr

import (
	"testing"

	"uelink/wire"
)

// openLink is a link with a window as in the default configuration, both ways in
// ADVANCE.
func openLink() *Link {
	p := profile()
	p.MaxOutstandingFrames, p.MaxOutstandingBytes = 4096, 8<<20
	l := NewLink(p, 0, testNonce)
	l.Rx.SetMode(true)
	l.Tx.SetMode(true, 0)
	l.ReceivedControl(0, wire.CtlOS{Type: wire.LLRInit})
	l.Poll(0, true, nil)
	l.ReceivedControl(0, wire.CtlOS{Type: wire.LLRInitEcho, InitData: testNonce})
	return l
}

// BenchmarkTx measures the cost of a frame for the sender: Admit, Push, its share of an
// LLR_ACK of 32 frames, Free.
func BenchmarkTx(b *testing.B) {
	l := openLink()
	for i := 0; b.Loop(); i++ {
		if l.Tx.Admit(1500) != Sequence {
			b.Fatal("not admitted")
		}
		seq := l.Tx.Push(uint32(i), 1500, false, wire.Time(i))
		if i%32 == 31 {
			l.ReceivedControl(wire.Time(i), wire.CtlOS{Type: wire.LLRAck, Seq: seq})
			for _, ok := l.Tx.Free(); ok; _, ok = l.Tx.Free() {
			}
		}
	}
}

// BenchmarkTxWindow is the same with 4000 frames outstanding, so that the replay
// buffer is not in the nearest cache.
func BenchmarkTxWindow(b *testing.B) {
	l := openLink()
	for i := range 4000 {
		l.Tx.Push(uint32(i), 1500, false, 0)
	}
	for i := 0; b.Loop(); i++ {
		if l.Tx.Admit(1500) != Sequence {
			b.Fatal("not admitted")
		}
		seq := l.Tx.Push(uint32(i), 1500, false, wire.Time(i))
		if i%32 == 31 {
			l.ReceivedControl(wire.Time(i), wire.CtlOS{Type: wire.LLRAck, Seq: wire.SeqAdd(seq, -4000)})
			for _, ok := l.Tx.Free(); ok; _, ok = l.Tx.Free() {
			}
		}
	}
}

// BenchmarkAdmitFull measures the verdict Wait.
func BenchmarkAdmitFull(b *testing.B) {
	l := openLink()
	for i := range 4096 {
		l.Tx.Push(uint32(i), 60, false, 0)
	}
	for b.Loop() {
		if l.Tx.Admit(60) != Wait {
			b.Fatal("admitted")
		}
	}
}

// BenchmarkReplay measures the cost of a frame that is posted again.
func BenchmarkReplay(b *testing.B) {
	l := openLink()
	for i := range 1000 {
		l.Tx.Push(uint32(i), 60, false, 0)
	}
	for b.Loop() {
		if _, ok := l.Tx.Replay(); !ok {
			l.Tx.SetCarrier(false, 0)
			l.Tx.SetCarrier(true, 0)
		}
	}
}

// BenchmarkRx measures the cost of a frame in order for the receiver.
func BenchmarkRx(b *testing.B) {
	l := openLink()
	for seq := uint32(0); b.Loop(); seq = (seq + 1) & wire.SeqMask {
		if l.Rx.Receive(seq, wire.FCSGood, 1500) != Deliver {
			b.Fatal("not delivered")
		}
	}
}

// BenchmarkRxDuplicate measures the cost of a duplicate.
func BenchmarkRxDuplicate(b *testing.B) {
	l := openLink()
	for b.Loop() {
		if l.Rx.Receive(wire.SeqMask, wire.FCSGood, 1500) != Ignore {
			b.Fatal("delivered")
		}
	}
}

// BenchmarkPoll is a turn of a worker in which nothing is due.
func BenchmarkPoll(b *testing.B) {
	l := openLink()
	out := make([]wire.CtlOS, 0, PollMax)
	l.Tx.Push(0, 60, false, 0)
	out = l.Poll(0, true, out)
	for now := wire.Time(0); b.Loop(); now = (now + 1) & 0xFFFF {
		out = l.Poll(now, false, out[:0])
		if l.Deadline() <= now {
			b.Fatal("something is due")
		}
	}
}
