package llr

import (
	"slices"
	"testing"

	"uelink/wire"
)

// keeping returns a receiver that expects 100, of a profile and a partner that keep 16 frames behind a gap.
func keeping(t *testing.T) *Rx {
	t.Helper()
	p := profile()
	p.Replay = Auto
	r := NewRx(p)
	r.SetMode(true)
	r.partner.keeps = 4
	r.receivedInit(wire.CtlOS{Type: wire.LLRInit, Seq: 100, InitData: [2]byte{1, 1}}, false, 0, 0)
	r.poll(0, true, nil)
	return r
}

// arrive passes frames of 100 octets to the receiver, and keeps them under their numbers as it says. It returns the
// verdicts.
func arrive(r *Rx, fcs wire.FCS, numbers ...uint32) (verdicts []RxVerdict) {
	for _, seq := range numbers {
		v := r.Receive(seq, fcs, 100)
		if v == Keep {
			r.Keep(seq, seq)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// popped returns the handles of the kept frames whose turn has come.
func popped(r *Rx) (handles []uint32) {
	for h, ok := r.NextKept(); ok; h, ok = r.NextKept() {
		handles = append(handles, h)
	}
	return handles
}

// reports polls, and returns the LLR_ACK or LLR_NACK and the numbers of GAP.
func reports(t *testing.T, r *Rx) (ack wire.CtlOS, arrived gap, missing []gap) {
	t.Helper()
	for _, c := range r.poll(0, true, nil) {
		if from, to, ok := c.Gap(wire.GapMissing); ok {
			missing = append(missing, gap{from, to})
		}
		if last, high, ok := c.Gap(wire.GapArrived); ok {
			arrived = gap{last, high}
		}
		if c.Type == wire.LLRAck || c.Type == wire.LLRNack {
			ack = c
		}
	}
	return ack, arrived, missing
}

// wantReport polls and compares.
func wantReport(t *testing.T, r *Rx, typ wire.CtlOSType, seq uint32, arrived gap, missing ...gap) {
	t.Helper()
	c, a, m := reports(t, r)
	if c.Type != typ || c.Seq != seq || a != arrived || !slices.Equal(m, missing) {
		t.Errorf("%v %d, arrived %v, missing %v; want %v %d, %v, %v", c.Type, c.Seq, a, m, typ, seq, arrived, missing)
	}
}

// Frames behind a gap are kept, and go on in order when the missing frame is here. The gap has an LLR_NACK, the popped
// frames an LLR_ACK at once.
func TestFramesBehindAGapAreKept(t *testing.T) {
	r := keeping(t)
	if got := arrive(r, wire.FCSGood, 100, 102, 103); !slices.Equal(got, []RxVerdict{Deliver, Keep, Keep}) {
		t.Fatalf("verdicts %v", got)
	}
	wantReport(t, r, wire.LLRNack, 100, gap{103, 104}, gap{101, 102})
	wantRx(t, r, RxNackSent, 101)
	if got := popped(r); got != nil {
		t.Fatalf("%v were popped before 101", got)
	}
	if got := arrive(r, wire.FCSGood, 101); got[0] != Deliver {
		t.Fatalf("101: %v", got)
	}
	if got := popped(r); !slices.Equal(got, []uint32{102, 103}) {
		t.Fatalf("popped %v", got)
	}
	wantReport(t, r, wire.LLRAck, 103, gap{101, 104})
	wantRx(t, r, RxSendAcks, 104)
	if arrive(r, wire.FCSGood, 104); !r.inOrder {
		t.Error("the short path is shut after the gap")
	}
	wantReport(t, r, wire.LLRAck, 104, gap{104, 105})
}

// RX_OK stays the sum of expected, missing and duplicate frames: a kept frame counts as missing once, when it arrives.
func TestKeptFramesCountOnce(t *testing.T) {
	r := keeping(t)
	arrive(r, wire.FCSGood, 100, 102, 103, 102, 105, 101, 101, 99)
	popped(r)
	arrive(r, wire.FCSGood, 104)
	popped(r)
	c := r.count
	if c.RxOK != 9 || c.RxExpectedSeqGood != 3 || c.RxMissingSeq != 3 || c.RxDuplicateSeq != 3 || c.RxKept != 3 {
		t.Errorf("%+v", *c)
	}
	wantRx(t, r, RxSendAcks, 106)
}

// A frame whose place is as far ahead as the ring is long is not kept, and is not missing.
func TestRingBoundsWhatIsKept(t *testing.T) {
	r := keeping(t)
	if got := arrive(r, wire.FCSGood, 115, 116); !slices.Equal(got, []RxVerdict{Keep, Ignore}) {
		t.Fatalf("verdicts %v", got)
	}
	wantReport(t, r, wire.LLRNack, 99, gap{115, 116}, gap{100, 115})
}

// The number of a damaged frame is believed if it is the next after the highest, or missing; another is not.
func TestNumberOfADamagedFrame(t *testing.T) {
	r := keeping(t)
	arrive(r, wire.FCSGood, 100, 103)
	reports(t, r)
	arrive(r, wire.FCSBad, 102)
	wantReport(t, r, wire.LLRNack, 100, gap{102, 104}, gap{101, 103})
	arrive(r, wire.FCSBad, 104)
	wantReport(t, r, wire.LLRNack, 100, gap{104, 105}, gap{101, 103}, gap{104, 105})
	for _, seq := range []uint32{107, 103, 99, 100 + 1<<18} {
		arrive(r, wire.FCSBad, seq)
	}
	if _, _, missing := reports(t, r); len(missing) > 2 {
		t.Errorf("missing %v", missing)
	}
	if r.reorder.last != 104 || r.reorder.high != 105 {
		t.Errorf("last %d, high %d", r.reorder.last, r.reorder.high)
	}
}

// A poisoned frame behind a gap is kept as a good one: it takes its number, and the caller drops it when its turn
// comes.
func TestPoisonedFrameBehindAGap(t *testing.T) {
	r := keeping(t)
	if got := arrive(r, wire.FCSPoisoned, 101); got[0] != Keep {
		t.Errorf("%v", got)
	}
	arrive(r, wire.FCSGood, 102, 100)
	if h, ok := r.PeekKept(); h != 101 || !ok {
		t.Errorf("peek: %d, %v", h, ok)
	}
	if got := popped(r); !slices.Equal(got, []uint32{101, 102}) || r.NextSeq() != 103 {
		t.Errorf("popped %v, next is %d", got, r.NextSeq())
	}
	if r.CountKept() != 0 || r.count.RxKept != 2 {
		t.Errorf("%d are kept, %d counted", r.CountKept(), r.count.RxKept)
	}
}

// More gaps than a report has room for take turns; the oldest and the newest are in every report.
func TestGapsTakeTurns(t *testing.T) {
	p := profile()
	p.Replay, p.MaxOutstandingFrames = Selective, 128
	r := keeping(t)
	r.SetProfile(p)
	r.receivedInit(wire.CtlOS{Type: wire.LLRInit, Seq: 200, InitData: [2]byte{1, 1}}, false, 0, 0)
	r.poll(0, true, nil)
	for seq := uint32(201); seq < 281; seq += 2 {
		arrive(r, wire.FCSGood, seq)
	}
	named := map[gap]int{}
	for range 7 {
		arrive(r, wire.FCSGood, 201) // an LLR_ACK is owed
		_, _, missing := reports(t, r)
		if len(missing) != gapsMax || missing[0] != (gap{200, 201}) || missing[gapsMax-1] != (gap{278, 279}) {
			t.Fatalf("missing %v", missing)
		}
		for _, g := range missing {
			named[g]++
		}
	}
	if len(named) != 40 || named[gap{202, 203}] != 7 || named[gap{268, 269}] != 7 {
		t.Errorf("of 40 gaps %d were named: %v", len(named), named)
	}
}

// Frames that the caller refused for want of room are missing when there is room, not before.
func TestRefusedFramesAreMissingOnceThereIsRoom(t *testing.T) {
	r := keeping(t)
	arrive(r, wire.FCSGood, 100)
	r.Overflowed(101)
	r.Overflowed(102)
	wantReport(t, r, wire.LLRAck, 100, gap{100, 101})
	r.RoomAvailable()
	wantReport(t, r, wire.LLRNack, 100, gap{102, 103}, gap{101, 103})
}

// What is kept comes back once at an LLR_INIT, a restart of the partner, and when the mode is off; nothing is kept
// before the caller has taken it.
func TestKeptFramesAreGivenUp(t *testing.T) {
	for name, end := range map[string]func(r *Rx){
		"LLR_INIT": func(r *Rx) {
			r.receivedInit(wire.CtlOS{Type: wire.LLRInit, Seq: 300, InitData: [2]byte{1, 1}}, false, 0, 0)
		},
		"restart": (*Rx).partnerRestarted,
		"mode":    func(r *Rx) { r.SetMode(false) },
	} {
		r := keeping(t)
		arrive(r, wire.FCSGood, 102, 104)
		end(r)
		if name == "LLR_INIT" {
			if v := r.Receive(302, wire.FCSGood, 100); v != Ignore {
				t.Errorf("%s: %v before the frames are taken back", name, v)
			}
		}
		var given []uint32
		for h, ok := r.FreeKept(); ok; h, ok = r.FreeKept() {
			given = append(given, h)
		}
		if slices.Sort(given); !slices.Equal(given, []uint32{102, 104}) || r.CountKept() != 0 || popped(r) != nil {
			t.Errorf("%s: %v came back, %d are kept", name, given, r.CountKept())
		}
	}
}

// A receiver that loses what it keeps asks for all of it again, takes it again, and acknowledges nothing of it before.
func TestReceiverThatLosesWhatItKeeps(t *testing.T) {
	r := keeping(t)
	r.GiveUpKept()
	wantRx(t, r, RxSendAcks, 100)
	arrive(r, wire.FCSGood, 100, 102, 103, 105)
	reports(t, r)
	r.GiveUpKept()
	var given []uint32
	for h, ok := r.FreeKept(); ok; h, ok = r.FreeKept() {
		given = append(given, h)
	}
	if slices.Sort(given); !slices.Equal(given, []uint32{102, 103, 105}) || r.CountKept() != 0 {
		t.Errorf("%v came back, %d are kept", given, r.CountKept())
	}
	wantReport(t, r, wire.LLRNack, 100, gap{105, 106}, gap{101, 106})
	again := arrive(r, wire.FCSGood, 101, 102, 104, 103)
	if !slices.Equal(again, []RxVerdict{Deliver, Deliver, Keep, Deliver}) {
		t.Errorf("verdicts %v", again)
	}
	if got := popped(r); !slices.Equal(got, []uint32{104}) {
		t.Errorf("popped %v", got)
	}
	wantReport(t, r, wire.LLRAck, 104, gap{103, 106}, gap{105, 106})
	arrive(r, wire.FCSGood, 105)
	wantRx(t, r, RxSendAcks, 106)
	if c := r.count; c.RxOK != 9 || c.RxExpectedSeqGood+c.RxMissingSeq+c.RxDuplicateSeq != 9 || c.RxKept != 1 {
		t.Errorf("%+v", *c)
	}
}

// The kind of replay changes at an LLR_INIT, and never for a partner that does not keep frames.
func TestKindOfReplayChangesAtInit(t *testing.T) {
	r := initialized(t)
	r.keepsLog, r.partner.keeps = 4, 4
	if v := arrive(r, wire.FCSGood, 101)[0]; v != Ignore {
		t.Errorf("before an LLR_INIT: %v", v)
	}
	for _, c := range []struct {
		own, partner uint8
		want         RxVerdict
	}{{4, 4, Keep}, {4, 0, Ignore}, {0, 4, Ignore}, {4, 9, Keep}} {
		r.keepsLog, r.partner.keeps = c.own, c.partner
		seq := r.next + 500
		r.receivedInit(wire.CtlOS{Type: wire.LLRInit, Seq: seq, InitData: [2]byte{1, 1}}, false, 0, 0)
		if v := arrive(r, wire.FCSGood, seq+1)[0]; v != c.want {
			t.Errorf("%+v: %v", c, v)
		}
		for _, ok := r.FreeKept(); ok; _, ok = r.FreeKept() {
		}
	}
}

// Frames that come late by so many others are duplicates, or have no place, as long as window, places and lateness are
// fewer than the sequence numbers together; in go-back-N as long as the lateness is. So no late frame is taken for a
// new one, whatever the number of the next frame.
func TestLateFramesAreNotTakenForNewOnes(t *testing.T) {
	const numbers = wire.SeqMask + 1
	for kind, places := range map[ReplayKind]int{GoBackN: 0, Auto: SelectiveFramesMax} {
		p := profile()
		p.Replay, p.MaxOutstandingFrames = kind, SelectiveFramesMax
		for _, next := range []uint32{0, 1, SelectiveFramesMax, numbers / 2, numbers - 1} {
			rx := NewRx(p)
			rx.partner.keeps = 18
			rx.SetMode(true)
			rx.receivedInit(initOf(next, 1), false, 0, 0)
			if n := len(rx.reorder.places); rx.reorder.on != (places > 0) || n != places {
				t.Fatalf("%v: room for %d frames", kind, n)
			}
			most := numbers - max(1, places)
			for _, late := range []int{1, SelectiveFramesMax, numbers/2 - 1, numbers / 2, numbers/2 + 1, most} {
				if v := rx.Receive(rx.space.add(next, -late), wire.FCSGood, 100); v != Ignore || rx.NextSeq() != next {
					t.Errorf("%v, next %d: a frame late by %d: %v", kind, next, late, v)
				}
			}
		}
	}
}
