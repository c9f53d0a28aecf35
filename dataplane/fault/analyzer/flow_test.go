package analyzer

import (
	"testing"
	"time"

	"uelink/dataplane/fault/rule"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// bed is an analyzer with its clock, and what a link sends over its wire. Frames of way 0 come from a.
type bed struct {
	t testing.TB
	*Analyzer
	now wire.Time
}

func newBed(t testing.TB) *bed { return &bed{t: t, Analyzer: New(Settings{}), now: 1000} }

var (
	here  = wire.MAC{2, 0, 0, 0, 0, 1}
	there = wire.MAC{2, 0, 0, 0, 0, 2}
)

// form is how a data frame may look.
type form struct {
	dialect         wire.Dialect
	addressed, bare bool // bare: without an FCS image
	etherType       uint16
}

func (f form) data(seq uint32) []byte {
	b := make([]byte, 300)
	carried := make([]byte, 80)
	a := wire.AddressesOf(there, here)
	copy(carried, a[:])
	p := wire.Preamble{Seq: seq, Sequenced: true, FCS: !f.bare}
	if f.addressed {
		return b[:wire.PutAddressed(b, carried, &a, f.etherType, f.dialect, p, false)]
	}
	return b[:wire.PutData(b, carried, f.etherType, f.dialect, p, false)]
}

var seed = form{etherType: wire.EtherTypeData}

func data(seq uint32) []byte { return seed.data(seq) }

func control(list ...wire.CtlOS) []byte {
	b := make([]byte, wire.MaxControlLen)
	return b[:wire.PutControl(b, here, wire.EtherTypeControl, list)]
}

func ack(seq uint32) []byte { return control(wire.CtlOS{Type: wire.LLRAck, Seq: seq}) }

// nack returns an LLR_NACK; its copies have the same label.
func nack(seq uint32, label uint8) []byte {
	return control(wire.Received{Nack: label}.Item(), wire.CtlOS{Type: wire.LLRNack, Seq: seq})
}

// pass lets frames of a way cross, which takes no time, 100 ns apart.
func (b *bed) pass(way int, frames ...[]byte) {
	for _, f := range frames {
		b.now += 100
		b.Arrived(way, f, b.now)
		b.Left(way, f, b.now)
	}
}

// drop lets frames arrive that do not leave.
func (b *bed) drop(way int, frames ...[]byte) {
	for _, f := range frames {
		b.now += 100
		b.Arrived(way, f, b.now)
		b.Lost(way, f, b.now)
	}
}

func (b *bed) wait(d time.Duration) { b.now = b.now.Add(d) }

// counts compares the counts of the data from a.
func (b *bed) counts(want Counts) {
	b.t.Helper()
	got := b.Report().Ways[0].LLR.Counts
	want.Octets, want.ResentOctets = got.Octets, got.ResentOctets
	if got != want {
		b.t.Errorf("counts\n%+v, want\n%+v", got, want)
	}
}

// only reports an error unless a histogram has exactly these times.
func only(t testing.TB, name string, got Times, want ...time.Duration) {
	t.Helper()
	var h Histogram
	for _, d := range want {
		h.Add(d)
	}
	if w := h.Times(); got.Count != w.Count || got.Min != w.Min || got.Max != w.Max || got.Mean != w.Mean {
		t.Errorf("%s: %d times, %v to %v, mean %v; want %v", name, got.Count, got.Min, got.Max, got.Mean, want)
	}
}

func TestDataToAck(t *testing.T) {
	for name, f := range map[string]form{"seed": seed, "ue1": {dialect: wire.DialectUE1, etherType: wire.EtherTypeData},
		"addressed": {addressed: true, etherType: wire.EtherTypeData}, "without check": {bare: true,
			etherType: wire.EtherTypeData}} {
		b := newBed(t)
		b.pass(0, f.data(7), f.data(8), f.data(9))
		b.wait(time.Microsecond)
		b.pass(1, ack(8)) // covers 7 and 8
		b.wait(time.Microsecond)
		b.pass(1, ack(8), ack(9))
		r := b.Report()
		only(t, name, r.Ways[0].LLR.DataToAck, 1300, 1200, 2300)
		only(t, name+": between LLR_ACKs", r.Ways[1].Spacing["ack"], 1100, 100)
		b.counts(Counts{Frames: 3})
	}
}

func TestFramesSentTwiceAreNotMeasured(t *testing.T) {
	b := newBed(t)
	b.pass(0, data(1), data(2), data(2), data(3))
	b.pass(1, ack(3))
	only(t, "data to LLR_ACK", b.Report().Ways[0].LLR.DataToAck, 400, 100)
	b.counts(Counts{Frames: 3, Resent: 1})
	b.pass(0, data(3))
	b.counts(Counts{Frames: 3, Resent: 2, Twice: 1})
}

// A frame is dropped, the receiver asks, and the sender goes back.
func TestLostFrame(t *testing.T) {
	b := newBed(t)
	b.pass(0, data(1))
	b.drop(0, data(2)) // at 1200
	b.pass(0, data(3))
	b.wait(time.Microsecond)
	b.pass(1, nack(1, 1), nack(1, 1)) // at 2400; a copy
	b.counts(Counts{Frames: 3, Lost: 1, Unrepaired: 1, Nacks: 2})
	b.wait(time.Microsecond)
	b.drop(0, data(2)) // at 3600: lost again
	b.pass(0, data(3))
	b.pass(1, nack(1, 1)) // a late copy
	b.pass(1, nack(1, 2)) // at 3900
	b.pass(0, data(2), data(3))
	b.pass(1, ack(3))
	f := b.Report().Ways[0].LLR
	only(t, "LLR_NACK to resent", f.NackToResent, 1200, 100)
	only(t, "lost to its good copy", f.LostToGood, 2800)
	b.counts(Counts{Frames: 3, Resent: 4, Lost: 2, Nacks: 4})
}

// A request that does not reach the sender starts no measurement.
func TestDroppedNack(t *testing.T) {
	b := newBed(t)
	b.drop(0, data(1))
	b.pass(0, data(2))
	b.drop(1, nack(0, 1))
	b.wait(time.Millisecond)
	b.pass(0, data(1), data(2))
	f := b.Report().Ways[0].LLR
	only(t, "LLR_NACK to resent", f.NackToResent)
	only(t, "lost to its good copy", f.LostToGood, time.Millisecond+300)
}

func TestFalseNacks(t *testing.T) {
	b := newBed(t)
	b.pass(0, data(1), data(2), data(3))
	b.pass(1, nack(1, 1)) // 2 has left whole
	b.counts(Counts{Frames: 3, Nacks: 1, FalseNacks: 1})
	// 4 is held, and 5 leaves first: no wonder that the receiver asks for 4, also a little later.
	b.Arrived(0, data(4), b.now)
	b.pass(0, data(5))
	b.pass(1, nack(3, 2))
	b.Left(0, data(4), b.now)
	b.pass(1, nack(3, 2))
	b.counts(Counts{Frames: 5, Nacks: 3, FalseNacks: 1, Skipped: 1})
	b.pass(1, nack(5, 3)) // 6 has not been sent
	b.counts(Counts{Frames: 5, Nacks: 4, FalseNacks: 1, Skipped: 1})
	// 6 was lost before the wire, and comes late.
	b.pass(0, data(7))
	b.counts(Counts{Frames: 6, Nacks: 4, FalseNacks: 1, Skipped: 1, Missing: 1})
	b.pass(0, data(6), data(7))
	b.pass(1, nack(5, 4))
	b.counts(Counts{Frames: 7, Resent: 1, Nacks: 5, FalseNacks: 1, Skipped: 1})
}

// A receiver that goes back N asks for frames that have left whole behind a gap, when their next copy is lost or late.
func TestNacksBehindAGap(t *testing.T) {
	b := newBed(t)
	b.drop(0, data(1))
	b.pass(0, data(2), data(3))
	b.pass(1, nack(0, 1))
	b.pass(0, data(1))
	b.drop(0, data(2))
	b.pass(1, nack(1, 2)) // 2 was not kept
	b.pass(0, data(2))
	b.Arrived(0, data(3), b.now) // held
	b.pass(0, data(4))
	b.pass(1, nack(2, 3))
	b.Left(0, data(3), b.now)
	b.pass(1, ack(3))
	b.counts(Counts{Frames: 4, Resent: 4, Lost: 2, Nacks: 3})
	only(t, "lost to its good copy", b.Report().Ways[0].LLR.LostToGood, 400, 200)
}

// A receiver that keeps frames behind a gap acknowledges what it has: the loss of a needless copy is none.
func TestLossOfAKeptFrame(t *testing.T) {
	b := newBed(t)
	b.drop(0, data(1))
	b.pass(0, data(2), data(1))
	b.drop(0, data(2))
	b.counts(Counts{Frames: 2, Resent: 2, Lost: 2, Unrepaired: 1})
	b.pass(1, ack(2))
	b.counts(Counts{Frames: 2, Resent: 2, Lost: 2})
}

func TestFalseAcks(t *testing.T) {
	b := newBed(t)
	b.pass(0, data(1))
	b.drop(0, data(2))
	b.pass(0, data(3))
	b.pass(1, ack(3), ack(3))
	b.counts(Counts{Frames: 3, Lost: 1, Unrepaired: 1, FalseAcks: 1})
	b.pass(1, ack(500_000))
	b.counts(Counts{Frames: 3, Lost: 1, Unrepaired: 1, FalseAcks: 1, Strays: 1})
}

// A number that is lost when the numbers begin again gets no good copy any more: it counts as unrepaired, and no longer
// after the counts are cleared.
func TestLossesEndWithTheirNumbers(t *testing.T) {
	b := newBed(t)
	b.pass(0, data(1))
	b.drop(0, data(2))
	b.Clear()
	b.counts(Counts{Unrepaired: 1}) // a copy may come
	b.pass(0, control(wire.CtlOS{Type: wire.LLRInit, Seq: 100}), data(100))
	b.counts(Counts{Frames: 1, Unrepaired: 1, Restarts: 1})
	b.Clear()
	b.counts(Counts{})
}

// Damage is found by the check, and a frame that comes damaged has no number.
func TestDamage(t *testing.T) {
	b := newBed(t)
	bad := data(2)
	bad[40] ^= 1
	b.pass(0, data(1))
	b.now += 100
	b.Arrived(0, data(2), b.now)
	b.Left(0, bad, b.now)
	b.wait(time.Microsecond)
	b.pass(0, bad, data(2))
	only(t, "lost to its good copy", b.Report().Ways[0].LLR.LostToGood, 1200)
	b.counts(Counts{Frames: 2, Resent: 1, Lost: 2})
	if n := b.Report().Ways[0].Damaged; n != 1 {
		t.Errorf("%d arrived damaged", n)
	}
	b.pass(0, control()[:20])
	b.pass(0, nil, []byte{1}, make([]byte, 14))
	if n := b.Report().Ways[0].Damaged; n != 2 {
		t.Errorf("%d arrived damaged", n)
	}
}

// Numbers wrap, jump, and begin again by LLR_INIT; the repetition of an LLR_INIT begins nothing.
func TestNumbersGoRound(t *testing.T) {
	b := newBed(t)
	start := func(seq uint32, n byte) []byte {
		return control(wire.CtlOS{Type: wire.LLRInit, Seq: seq, InitData: [2]byte{n, 0}})
	}
	b.pass(0, start(wire.SeqMask-1, 1), start(wire.SeqMask-1, 1))
	for i := range 4 {
		b.pass(0, data(wire.SeqAdd(wire.SeqMask-1, i)))
	}
	b.pass(1, ack(1))
	b.counts(Counts{Frames: 4})
	b.pass(0, start(wire.SeqMask-1, 2), data(wire.SeqMask-1))
	b.counts(Counts{Frames: 5, Restarts: 1})
	b.pass(0, data(300_000), data(300_001))
	b.pass(1, ack(300_001))
	b.counts(Counts{Frames: 7, Restarts: 2})
	if n := b.Report().Ways[0].LLR.DataToAck.Count; n != 6 {
		t.Errorf("%d frames measured", n)
	}
	b.Clear()
	b.counts(Counts{})
	b.pass(0, data(300_001))
	b.counts(Counts{Resent: 1, Twice: 1})
}

// A whole round of numbers, with a loss in it, has no end and no false copy.
func TestARoundOfNumbers(t *testing.T) {
	b := newBed(t)
	const n = 1<<wire.SeqBits + 5000
	for i := range uint32(n) {
		if i%1000 == 7 {
			b.drop(0, data(i&wire.SeqMask))
		}
		b.pass(0, data(i&wire.SeqMask))
		if i%16 == 0 {
			b.pass(1, ack(i&wire.SeqMask))
		}
	}
	b.counts(Counts{Frames: n, Resent: (n + 992) / 1000, Lost: (n + 992) / 1000})
}

func TestEtherTypes(t *testing.T) {
	b := newBed(t)
	b.Analyzer = New(Settings{Data: 0x88F0, Control: 0x88F1})
	b.pass(0, data(1), control(wire.CtlOS{Type: wire.LLRAck, Seq: 1}))
	b.counts(Counts{})
	b.pass(0, form{etherType: 0x88F0}.data(1))
	b.counts(Counts{Frames: 1})
}

func TestSpacingByKind(t *testing.T) {
	b := newBed(t)
	cf := wire.CtlOS{Type: wire.CFUpdate, CF: [2]wire.Credit{{VC: 1, Count: 2}, {VC: 1, Count: 2}}}
	for range 3 {
		b.pass(0, control(cf, cf))
		b.wait(time.Microsecond)
	}
	r := b.Report()
	only(t, "cf_update", r.Ways[0].Spacing["cf_update"], 1100, 1100)
	only(t, "control", r.Ways[0].Spacing["control"], 1100, 1100)
	if len(r.Ways[1].Spacing) > 0 {
		t.Errorf("from b: %v", r.Ways[1].Spacing)
	}
}

// micropackets returns a frame of micropackets with these numbers, that acknowledge one.
func micropackets(rseq uint8, list ...uint8) []byte {
	b := make([]byte, micropacket.FrameLen(len(list), true))
	for i, seq := range list {
		kind := micropacket.Data
		if seq == micropacket.NoSeq {
			kind = micropacket.Null
		}
		m := micropacket.Micropacket{Control: micropacket.Fields{Type: kind, TSEQ: seq, RSEQ: rseq}.Control()}
		m.Seal()
		m.Put(micropacket.At(b, i))
	}
	outer := wire.AddressesOf(there, here)
	micropacket.PutFrame(b, &outer, wire.EtherTypeData,
		micropacket.FrameHead{N: uint8(len(list)), FCS: true, Number: 1, From: 1, To: 2})
	return b
}

func TestMicropackets(t *testing.T) {
	const none = micropacket.NoSeq
	b := newBed(t)
	b.pass(0, micropackets(none, 253, 254))
	b.drop(0, micropackets(none, 0, 1))
	b.pass(1, micropackets(254, none))
	b.wait(time.Microsecond)
	b.pass(0, micropackets(none, 0), micropackets(none, 1))
	b.pass(1, micropackets(1, none))
	f := b.Report().Ways[0].HIPPI
	if f == nil || f.Frames != 4 || f.Resent != 2 || f.ResentOctets != 80 || f.Lost != 2 || f.Unrepaired != 0 {
		t.Fatalf("%+v", f)
	}
	only(t, "data to RSEQ", f.DataToAck, 200, 200)
	only(t, "lost to good", f.LostToGood, 1200, 1300)
	for round := range 4 { // with 200 numbers on the way
		for i := range 255 {
			seq := uint8((2 + 255*round + i) % 255)
			b.pass(0, micropackets(none, seq))
			b.pass(1, micropackets(uint8((int(seq)+255-200)%255), none))
		}
	}
	if f := b.Report().Ways[0].HIPPI; f.Frames != 4+4*255 || f.Resent != 2 || f.Missing != 0 {
		t.Errorf("%+v", f.Counts)
	}
	if n := b.Report().Ways[1].Spacing[rule.HippiNull.String()].Count; n == 0 {
		t.Error("no spacing of Null")
	}
}
