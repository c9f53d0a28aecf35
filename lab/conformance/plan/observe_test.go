package plan

import (
	"testing"

	"uelink/wire"
)

// in returns a numbered frame that has come in, out a control frame with one ordered set that has gone out. An
// LLR_NACK has a number of its own, 1 to 15, by which a copy is known.
func in(seq uint32) seen { return seen{data: true, seq: seq} }

func out(kind wire.CtlOSType, seq uint32, nack uint8) seen {
	return seen{out: true, sets: []wire.CtlOS{wire.Received{Nack: nack}.Item(), {Type: kind, Seq: seq}}}
}

// The answers of a receiver that follows the rules are no faults, and each fault is one of its kind.
func TestObserve(t *testing.T) {
	nack, ack := wire.LLRNack, wire.LLRAck
	damaged := in(2)
	damaged.bad = true
	for _, c := range []struct {
		name   string
		replay string
		frames []seen
		want   answers
	}{
		{"in order", goBackN, []seen{in(1), in(2), out(ack, 2, 0), in(3), out(ack, 3, 0)}, answers{}},
		{"a gap, asked for once", goBackN,
			[]seen{in(1), in(3), out(nack, 1, 1), in(4), in(2), in(3), in(4), out(ack, 4, 1)}, answers{}},
		{"with a copy", goBackN, []seen{in(1), in(3), out(nack, 1, 1), out(nack, 1, 1), in(2), in(3), out(nack, 1, 1)}, answers{}},
		{"a damaged frame", goBackN, []seen{in(1), damaged, out(nack, 1, 1), in(2), out(ack, 2, 1)}, answers{}},
		{"kept frames", selective,
			[]seen{in(1), in(3), out(nack, 1, 1), in(4), out(ack, 1, 1), in(2), out(ack, 4, 1), in(5)}, answers{}},
		{"over the wrap", goBackN,
			[]seen{in(wire.SeqMask), in(1), out(nack, wire.SeqMask, 1), in(0), in(1), out(ack, 1, 1)}, answers{}},
		{"an LLR_ACK in the gap", goBackN,
			[]seen{in(1), in(3), out(nack, 1, 1), out(ack, 1, 1), in(2), in(3)}, answers{early: 1}},
		{"an LLR_ACK for a copy in the gap", goBackN,
			[]seen{in(1), in(3), out(nack, 1, 1), in(1), out(ack, 1, 1), in(2), in(3)}, answers{}},
		{"an LLR_NACK without a gap", goBackN, []seen{in(1), out(nack, 1, 1), in(2)}, answers{needless: 1}},
		{"an LLR_NACK of another number", goBackN, []seen{in(5), in(7), out(nack, 4, 1), in(6), in(7)}, answers{misnumbered: 1}},
		{"a gap without an LLR_NACK", goBackN, []seen{in(1), in(3), in(2), in(3)}, answers{silent: 1}},
	} {
		if got := observe(c.frames, c.replay); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// An LLR_NACK with the number of the last one is a copy; one that asks again says so.
func TestSetsKnowCopies(t *testing.T) {
	asks := seen{out: true, sets: []wire.CtlOS{wire.Received{Nack: 3, Again: true}.Item(), {Type: wire.LLRNack, Seq: 9}}}
	frames := []seen{out(wire.LLRNack, 9, 2), out(wire.LLRNack, 9, 2), asks, in(9)}
	var repeats []bool
	for _, s := range sets(frames, wire.LLRNack, true) {
		repeats = append(repeats, s.repeat)
	}
	if len(repeats) != 3 || repeats[0] || !repeats[1] || !repeats[2] {
		t.Errorf("%v", repeats)
	}
	if n := len(sets(frames, wire.LLRNack, false)); n != 0 {
		t.Errorf("%d came in", n)
	}
}
