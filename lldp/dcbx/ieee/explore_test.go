package ieee

import (
	"fmt"
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/lldp/dcbx"
)

// move is an input of one of the two ends in the exploration.
type move func(a, b *end)

// moves are the inputs of A from B's present TLVs, by their kind; the same moves go the other way.
var moves = []move{
	func(a, b *end) { a.hears(b) },
	func(a, b *end) { a.port.Receive(1, b.mac, nil, &a.out) },
	func(a, b *end) { a.port.Receive(1, b.mac, b.without(SubtypePFC), &a.out) },
	func(a, b *end) { a.port.Receive(1, b.mac, b.without(SubtypeRecommendation), &a.out) },
	func(a, b *end) {
		a.port.Receive(1, b.mac, append(b.port.AppendTLVs(nil), TLV{SubtypePFC, []byte{0x80, 0xff}}), &a.out)
	},
	func(a, b *end) {
		a.port.Receive(1, b.mac, append(b.without(SubtypePFC), TLV{SubtypePFC, []byte{1}}), &a.out)
	},
	func(a, b *end) { a.port.Receive(2, b.mac, b.port.AppendTLVs(nil), &a.out) },
	func(a, _ *end) { a.port.Gone(true, 0, &a.out) },
	func(a, _ *end) { l := a.port.local; l.PFC.Willing = !l.PFC.Willing; a.port.SetLocal(l, &a.out) },
	func(a, _ *end) { l := a.port.local; l.ETS.Willing = !l.ETS.Willing; a.port.SetLocal(l, &a.out) },
	func(a, _ *end) { l := a.port.local; l.PFC.Enable ^= 1 << 6; a.port.SetLocal(l, &a.out) },
	func(a, _ *end) { a.port.SetRunning(!a.port.running, &a.out) },
}

// copied returns an end with the same state.
func (e *end) copied(t *testing.T) *end {
	t.Helper()
	c := &end{port: NewPort(e.port.local), mac: e.mac}
	if err := snapshottest.Renew(e.port, c.port); err != nil {
		t.Fatal(err)
	}
	return c
}

// key identifies the state of both ends, without counters.
func key(a, b *end) string {
	text := ""
	for _, e := range []*end{a, b} {
		p := *e.port
		text += fmt.Sprintf("%+v %v %v %v %v|", p.local, p.running, p.peer, p.lost, p.outcome)
		for _, part := range []any{p.remote.Configuration, p.remote.Recommendation, p.remote.PFC} {
			switch v := part.(type) {
			case *Configuration:
				text += fmt.Sprint(v != nil)
				if v != nil {
					text += fmt.Sprint(*v)
				}
			case *ETS:
				text += fmt.Sprint(v != nil)
				if v != nil {
					text += fmt.Sprint(*v)
				}
			case *PFC:
				text += fmt.Sprint(v != nil)
				if v != nil {
					text += fmt.Sprint(*v)
				}
			}
		}
	}
	return text
}

// Every state that up to depth moves of either end reach, and from each of them the end: once LLDPDUs come through,
// two ends settle within three rounds and stay, and they have the same PFC unless none is willing.
func TestTwoEndsSettleFromEveryState(t *testing.T) {
	const depth = 3
	seen := map[string]bool{}
	type pair struct{ a, b *end }
	frontier := []pair{{newEnd(0x0a, first(true)), newEnd(0x0b, second(true))}}
	for range depth {
		var next []pair
		for _, p := range frontier {
			for i := range 2 * len(moves) {
				a, b := p.a.copied(t), p.b.copied(t)
				if i < len(moves) {
					moves[i](a, b)
				} else {
					moves[i-len(moves)](b, a)
				}
				if k := key(a, b); !seen[k] {
					seen[k] = true
					next = append(next, pair{a, b})
					endsWell(t, a.copied(t), b.copied(t))
				}
			}
		}
		frontier = next
	}
	if len(seen) < 1000 {
		t.Errorf("%d states", len(seen))
	}
	t.Logf("%d states", len(seen))
}

// endsWell makes LLDPDUs come through from now on, and checks where both ends arrive.
func endsWell(t *testing.T, a, b *end) {
	t.Helper()
	if !a.port.running || !b.port.running {
		return
	}
	if rounds := settle(a, b); rounds > 3 {
		t.Errorf("%d rounds: %s", rounds, key(a, b))
	}
	a.out.Reset()
	b.out.Reset()
	b.hears(a)
	a.hears(b)
	if a.out.Changed || b.out.Changed || len(a.out.Events)+len(b.out.Events) > 0 {
		t.Errorf("no rest: %v %v", a.out, b.out)
	}
	oa, ob := a.port.Outcome(), b.port.Outcome()
	willing := a.port.local.PFC.Willing || b.port.local.PFC.Willing
	if willing && oa.PFC != ob.PFC || (oa.PFC == ob.PFC) != oa.PFCAgreed || oa.PFCAgreed != ob.PFCAgreed {
		t.Errorf("PFC %v and %v, agreed %v and %v", oa.PFC, ob.PFC, oa.PFCAgreed, ob.PFCAgreed)
	}
	if oa.ETSAdopted != a.port.local.ETS.Willing || ob.ETSAdopted != b.port.local.ETS.Willing {
		t.Errorf("ETS adopted %v and %v", oa.ETSAdopted, ob.ETSAdopted)
	}
}

// A peer that flips its willing bit each second, and 10,000 stations.
func TestRestlessPeers(t *testing.T) {
	la, lb := first(true), second(false)
	a, b := newEnd(1, la), newEnd(2, lb)
	for i := range 100 {
		lb.PFC.Willing = i%2 == 0
		b.port.SetLocal(lb, &b.out)
		a.hears(b)
		b.hears(a)
		if oa, ob := a.port.Outcome(), b.port.Outcome(); oa.PFC != ob.PFC {
			t.Fatalf("round %d: PFC %d and %d", i, oa.PFC, ob.PFC)
		}
	}
	a.out.Reset()
	for i := range 10000 {
		a.port.Receive(2+i, MAC{byte(i >> 8), byte(i)}, b.port.AppendTLVs(nil), &a.out)
	}
	if len(a.out.Events) > 3 {
		t.Errorf("%d events of 10000 stations", len(a.out.Events))
	}
	if o := a.port.Outcome(); o.PFCAgreed || o.PFC != la.PFC.Enable {
		t.Errorf("%+v", o)
	}
}

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine {
		local := Of(dcbx.Default())
		local.App = []AppEntry{{1, 1, 1}}
		p := NewPort(local)
		var out Output
		p.SetRunning(true, &out)
		p.Receive(1, MAC{1}, []TLV{{SubtypeETS, make([]byte, etsLen)}, {SubtypeRecommendation, make([]byte, etsLen)},
			{SubtypePFC, make([]byte, 2)}, {SubtypeApp, make([]byte, 4)}}, &out)
		return p
	}, "local.*", "outcome.*")
}
