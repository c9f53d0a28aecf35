package llr

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/wire"
)

// prodded is a link that is fed whatever comes, by a caller that keeps to the
// contract: it pushes only what was admitted.
type prodded struct {
	t     *testing.T
	link  *Link
	now   wire.Time
	slots uint32   // handed out so far; each is used once
	held  []uint32 // by LLR, oldest first
	most  Profile  // the largest window there has been
	kept  map[uint32]bool
	input []byte
}

// FuzzLink feeds one end arbitrary inputs. Nothing may panic, no slot may be freed
// twice or out of turn, the window may not be exceeded, every frame received is
// counted in one class, and a poll with nothing left to do asks for a later one.
func FuzzLink(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add([]byte{8, 8, 9, 8, 2, 0, 0, 0, 5, 5, 5, 0, 2, 7, 7, 6, 5, 9, 255, 6, 1, 1, 0})
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		input := make([]byte, 500)
		for i := range input {
			input[i] = byte(rng.Uint32())
		}
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) { prod(t, input, GoBackN) })
}

// FuzzSelectiveLink feeds one end of selective replay arbitrary inputs. Besides, each kept frame comes back once, as
// the next in order or given up.
func FuzzSelectiveLink(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	rng := rand.New(rand.NewPCG(2, 1))
	for range 200 {
		input := make([]byte, 1000)
		for i := range input {
			input[i] = byte(rng.Uint32())
		}
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) { prod(t, input, Auto) })
}

// prod feeds a link of a kind of replay.
func prod(t *testing.T, input []byte, kind ReplayKind) {
	p := profile()
	p.Replay = kind
	p.MaxOutstandingFrames, p.MaxOutstandingBytes = 8, 1000
	p.DataAgeTimeout, p.PCSLostTimeout = 5*time.Millisecond, 3*time.Millisecond
	d := &prodded{t: t, link: NewLink(p, wire.SeqMask-3, testNonce), most: p, kept: map[uint32]bool{}, input: input}
	if kind != GoBackN {
		d.link.partnerKeeps(3)
	}
	d.link.Rx.SetMode(true)
	d.link.Tx.SetMode(true, 0)
	for len(d.input) > 0 {
		d.step(p)
		d.check()
	}
}

// byte takes the next octet of the input, 0 when there is none.
func (d *prodded) byte() byte {
	if len(d.input) == 0 {
		return 0
	}
	b := d.input[0]
	d.input = d.input[1:]
	return b
}

// seq is a number near to where the machines are, or any.
func (d *prodded) seq() uint32 {
	b := d.byte()
	switch b % 4 {
	case 0:
		return wire.SeqAdd(d.link.Rx.NextSeq(), int(b>>2)-16)
	case 1:
		return wire.SeqAdd(d.link.Tx.NextSeq(), int(b>>2)-32)
	case 2:
		return d.link.Tx.hello.seq
	}
	return binary.LittleEndian.Uint32([]byte{b, d.byte(), d.byte(), 0}) & wire.SeqMask
}

// nonce is one of a few.
func (d *prodded) nonce() [2]byte {
	if b := d.byte() % 4; b > 0 {
		return [2]byte{b}
	}
	return testNonce
}

func (d *prodded) step(p Profile) {
	l := d.link
	switch op := d.byte(); op % 16 {
	case 0, 1:
		d.push(op&16 != 0)
	case 2, 3:
		next := l.Rx.NextSeq()
		seq := d.seq()
		v := l.Rx.Receive(seq, wire.FCS(d.byte()%3), int(d.byte()))
		if v == Keep {
			d.keep(seq)
		}
		if moved := l.Rx.NextSeq() != next; moved != (v < Keep) {
			d.t.Fatalf("verdict %v, next_rx_seq from %d to %d", v, next, l.Rx.NextSeq())
		}
	case 4, 5, 6:
		types := [...]wire.CtlOSType{wire.LLRAck, wire.LLRNack, wire.LLRInit, wire.LLRInitEcho, wire.CFUpdate}
		list := []wire.CtlOS{{Type: types[op>>4%5], Seq: d.seq(), InitData: d.nonce()}}
		if d.most.Replay != GoBackN && op>>4%5 < 2 {
			list = append(list, wire.Gap(wire.GapArrived, d.seq(), d.seq()))
			for range d.byte() % 4 {
				list = append(list, wire.Gap(wire.GapMissing, d.seq(), d.seq()))
			}
		}
		l.ReceivedControl(d.now, list...)
		d.takeBack()
	case 7:
		if slot, ok := l.Tx.Replay(); ok && (len(d.held) == 0 || slot < d.held[0]) {
			d.t.Fatalf("replay of slot %d, held %v", slot, d.held)
		}
	case 8:
		l.Tx.SetMode(op&16 != 0, d.now)
	case 9:
		l.Rx.SetMode(op&16 != 0)
		d.takeBack()
	case 10:
		l.Tx.SetCarrier(op&16 != 0, d.now)
	case 11:
		l.Tx.Reinit(d.now)
	case 12:
		p.MaxOutstandingFrames, p.ReInitOnFlush = 1+int(op>>4), op&64 != 0
		p.InitAction, p.FlushAction = FrameAction(op>>4%3), FrameAction(op>>5%3)
		d.most.MaxOutstandingFrames = max(d.most.MaxOutstandingFrames, p.MaxOutstandingFrames)
		l.SetProfile(p)
	case 13:
		d.now = d.now.Add(time.Duration(d.byte()) * 20_000)
	case 14:
		d.free()
		d.pop(int(op >> 4))
		switch {
		case d.most.Replay == GoBackN:
		case op>>4 == 15:
			l.partnerKeeps(d.byte() % (wire.KeepsMost + 1))
		case op>>4 == 14:
			l.Rx.GiveUpKept()
			d.takeBack()
		}
	case 15:
		d.poll(op&16 != 0)
	}
}

// keep keeps a frame under a handle of its own.
func (d *prodded) keep(seq uint32) {
	d.slots++
	d.kept[d.slots] = true
	d.link.Rx.Keep(seq, d.slots)
}

// pop delivers at most n kept frames.
func (d *prodded) pop(n int) {
	for range n {
		h, ok := d.link.Rx.NextKept()
		if !ok {
			break
		}
		d.back(h)
	}
}

// takeBack takes the frames that were given up.
func (d *prodded) takeBack() {
	for h, ok := d.link.Rx.FreeKept(); ok; h, ok = d.link.Rx.FreeKept() {
		d.back(h)
	}
}

// back checks that a frame was kept.
func (d *prodded) back(h uint32) {
	if !d.kept[h] {
		d.t.Fatalf("frame %d came back, %v are kept", h, d.kept)
	}
	delete(d.kept, h)
}

func (d *prodded) push(poisoned bool) {
	length := 1 + int(d.byte())*4
	if d.link.Tx.Admit(length) == Sequence {
		d.link.Tx.Push(d.slots, length, poisoned, d.now)
		d.held = append(d.held, d.slots)
		d.slots++
	}
}

func (d *prodded) free() {
	for slot, ok := d.link.Tx.Free(); ok; slot, ok = d.link.Tx.Free() {
		if len(d.held) == 0 || d.held[0] != slot {
			d.t.Fatalf("slot %d freed, held %v", slot, d.held)
		}
		d.held = d.held[1:]
	}
	if n, _ := d.link.Tx.Outstanding(); n != len(d.held) {
		d.t.Fatalf("%d outstanding, held %v", n, d.held)
	}
}

func (d *prodded) poll(idle bool) {
	if out := d.link.Poll(d.now, idle, make([]wire.CtlOS, 0, PollMax)); len(out) > PollMax {
		d.t.Fatalf("one poll gave %v", out)
	}
	if at := d.link.Deadline(); idle && at <= d.now && d.link.Tx.State() != TxReplay {
		d.t.Fatalf("polled at %d, wants to be polled at %d; %v, %v", d.now, at, d.link.Tx.State(), d.link.Rx.State())
	}
}

func (d *prodded) check() {
	frames, octets := d.link.Tx.Outstanding()
	o := &d.link.Rx.reorder
	if n := d.link.Rx.CountKept(); n < len(d.kept) || n > len(o.places) || len(o.gaps) > len(o.places)/2 {
		d.t.Fatalf("%d frames kept of %v, %d gaps in %d places", n, d.kept, len(o.gaps), len(o.places))
	}
	for i, g := range o.gaps {
		if !o.space.ahead(g.from, g.to) || o.space.behind(d.link.Rx.next, g.from) ||
			i > 0 && !o.space.ahead(o.gaps[i-1].to, g.from) {
			d.t.Fatalf("gaps %v, next is %d", o.gaps, d.link.Rx.next)
		}
	}
	if frames > d.most.MaxOutstandingFrames || frames > 1 && octets > d.most.MaxOutstandingBytes || octets < 0 ||
		(frames == 0) != (octets == 0) {
		d.t.Fatalf("outstanding: %d frames, %d octets", frames, octets)
	}
	if frames > len(d.held) {
		d.t.Fatalf("%d outstanding, %d held", frames, len(d.held))
	}
	n := d.link.Counters()
	if sum := n.RxExpectedSeqGood + n.RxExpectedSeqPoisoned + n.RxExpectedSeqBad + n.RxMissingSeq + n.RxDuplicateSeq +
		n.RxNotInitialized; sum != n.RxOK+n.RxPoisoned+n.RxBad {
		d.t.Fatalf("frames are counted in no class or in two: %+v", n)
	}
}
