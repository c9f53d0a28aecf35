package path

import (
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/wire"
)

// heldFrames returns the data frames that an end's LLR holds, by their sequence numbers' distance from the oldest.
func (e *end) heldFrames(t *testing.T, oldest uint32) map[uint32][]byte {
	t.Helper()
	list := map[uint32][]byte{}
	for slot := range e.l.Port.Slots.state {
		if !e.l.Port.Slots.state[slot].unacked {
			continue
		}
		f := e.l.slotFrame(uint32(slot))
		p, fault := wire.ParseData(f, e.l.Port.settings.Dialect)
		if fault != wire.NoFault {
			t.Fatalf("slot %d holds no data frame: %v", slot, fault)
		}
		list[p.Seq-oldest] = f
	}
	return list
}

// A frame kept for a replay changes in memory while the wire is out. It alone is lost, is counted at both ends, and is
// told; all others arrive once and in order, and LLR does not flush.
func TestFrameThatChangesInMemoryIsPoisoned(t *testing.T) {
	inOneGoroutine(t)
	for _, c := range []struct {
		name   string
		change func(f []byte)
		ports  func(s *model.PortSettings)
	}{
		{"payload", func(f []byte) { f[40] ^= 4 }, func(*model.PortSettings) {}},
		{"FCS image", func(f []byte) { f[len(f)-1] ^= 0x80 }, func(*model.PortSettings) {}},
		{"EtherType", func(f []byte) { f[12] ^= 1 }, func(*model.PortSettings) {}},
		{"sequence number", func(f []byte) { f[18] ^= 1 }, func(*model.PortSettings) {}},
		{"all", func(f []byte) { clear(f) }, func(*model.PortSettings) {}},
		{"sequence number, ue1", func(f []byte) { f[17] ^= 1 }, func(s *model.PortSettings) { s.Dialect = wire.DialectUE1 }},
		{"all, addressed", func(f []byte) { clear(f) }, func(s *model.PortSettings) { s.Encapsulation = model.Addressed }},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := defaults()
			o.profile.ReInitOnFlush = false
			c.ports(&o.ports)
			p := up(t, o)
			p.carry(t, 100)
			oldest := p.a.l.LLR.Tx.NextSeq()
			p.b.between.keeps = func([]byte) bool { return true }
			p.until(func() bool { p.a.offer(110); return p.a.sent == 110 }, time.Second)
			p.until(func() bool { return false }, 10*time.Millisecond)
			frames := p.a.heldFrames(t, oldest)
			if len(frames) < 8 {
				t.Fatalf("%d frames are held", len(frames))
			}
			c.change(frames[3])
			p.b.between.keeps = nil
			if err := p.run(200, 10*time.Second); err != nil {
				t.Fatal(err)
			}
			tx, rx := p.a.l.LLR.Counters(), p.b.l.LLR.Counters()
			if p.b.gaps != 1 || p.a.gaps != 0 || p.a.l.Port.Counters.TxDropChanged != 1 || tx.TxPoisoned == 0 ||
				tx.TxFlush != 0 ||
				rx.RxExpectedSeqPoisoned != 1 {
				t.Errorf("%d and %d frames never came; changed %d, %+v; partner %+v", p.a.gaps, p.b.gaps,
					p.a.l.Port.Counters.TxDropChanged, tx, rx)
			}
			p.until(func() bool { return false }, 2*time.Millisecond)
			if !p.a.reports(model.EventDrops, changedText) {
				t.Error("no event tells it")
			}
		})
	}
}
