package ieee

import (
	"flag"
	"hash/maphash"
	"slices"
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/lldp/dcbx"
)

var whole = flag.Bool("ieee.whole", false, "explore two ends with all moves")

// move is an input of end A; B's present TLVs are on the wire. The same moves go the other way.
type move func(a, b *end)

// sharedMoves are those of a peer that appears and vanishes, and of an exchange that begins and ends.
var sharedMoves = []move{
	func(a, b *end) { a.hears(b) },
	func(a, b *end) { a.port.Receive(1, b.mac, nil, &a.out) },
	func(a, b *end) { a.port.Receive(2, b.mac, b.port.AppendTLVs(nil), &a.out) },
	func(a, _ *end) { a.port.NeighborDeleted(true, 0, &a.out) },
	func(a, _ *end) { a.port.NeighborDeleted(false, 0, &a.out) },
	func(a, _ *end) { a.port.SetRunning(!a.port.running, &a.out) },
}

// flowMoves are about PFC: a TLV that is missing, twice or too short, and changes of the configuration. The first few
// are enough for a short exploration.
var flowMoves = []move{
	func(a, _ *end) { a.configured(func(l *Local) { l.PFC.Willing = !l.PFC.Willing }) },
	func(a, _ *end) { a.configured(func(l *Local) { l.PFC.Enable ^= 1 << 6 }) },
	func(a, b *end) { a.port.Receive(1, b.mac, b.without(SubtypePFC), &a.out) },
	func(a, b *end) {
		a.port.Receive(1, b.mac, append(b.port.AppendTLVs(nil), TLV{SubtypePFC, []byte{0x80, 0xff}}), &a.out)
	},
	func(a, b *end) {
		a.port.Receive(1, b.mac, append(b.without(SubtypePFC), TLV{SubtypePFC, []byte{1}}), &a.out)
	},
	func(a, _ *end) { a.configured(func(l *Local) { l.WithoutPFC = !l.WithoutPFC }) },
}

// sharingMoves are the same about ETS, and a recommendation that nobody can use.
var sharingMoves = []move{
	func(a, _ *end) { a.configured(func(l *Local) { l.ETS.Willing = !l.ETS.Willing }) },
	func(a, _ *end) {
		a.configured(func(l *Local) {
			shares := &l.Recommendation.Bandwidth
			shares[0], shares[1] = shares[1], shares[0]
		})
	},
	func(a, b *end) { a.port.Receive(1, b.mac, b.without(SubtypeRecommendation), &a.out) },
	func(a, b *end) { a.port.Receive(1, b.mac, b.without(SubtypeETS), &a.out) },
	func(a, b *end) {
		a.port.Receive(1, b.mac, append(b.port.AppendTLVs(nil), TLV{SubtypeRecommendation, make([]byte, etsLen)}), &a.out)
	},
	func(a, b *end) {
		unusable := shares(80)
		unusable.Bandwidth[1] = 60
		a.port.Receive(1, b.mac, append(b.without(SubtypeRecommendation),
			TLV{SubtypeRecommendation, unusable.append([]byte{0})}), &a.out)
	},
	func(a, _ *end) { a.configured(func(l *Local) { l.WithoutETS = !l.WithoutETS }) },
}

// configured changes the configuration of an end.
func (e *end) configured(change func(*Local)) {
	l := e.port.local
	change(&l)
	e.port.SetLocal(l, &e.out)
}

// copied returns an end with the same state. Inputs replace what a Port points to, and change nothing there.
func (e *end) copied() *end {
	p := *e.port
	return &end{port: &p, mac: e.mac}
}

// state is the state of an end without counters: two ends of equal states go on alike.
type state struct {
	etsWilling, pfcWilling, withoutETS, withoutPFC, running bool
	enable, recommends                                      uint8
	peer                                                    dcbx.PeerStatus
	lost, fault                                             dcbx.Reason
	configuration                                           Configuration
	recommendation                                          ETS
	pfc                                                     PFC
	there                                                   [3]bool
	source                                                  MAC
	operates                                                ETS // follows from the others
	enabled                                                 uint8
}

func (e *end) state() state {
	p := e.port
	s := state{etsWilling: p.local.ETS.Willing, pfcWilling: p.local.PFC.Willing, withoutETS: p.local.WithoutETS,
		withoutPFC: p.local.WithoutPFC, running: p.running, enable: p.local.PFC.Enable,
		recommends: p.local.Recommendation.Bandwidth[0], peer: p.peer, lost: p.lost, fault: p.fault, source: p.remoteMAC,
		operates: p.outcome.ETS, enabled: p.outcome.PFC}
	r := &p.remote
	s.there = [3]bool{r.Configuration != nil, r.Recommendation != nil, r.PFC != nil}
	if s.there[0] {
		s.configuration = *r.Configuration
	}
	if s.there[1] {
		s.recommendation = *r.Recommendation
	}
	if s.there[2] {
		s.pfc = *r.PFC
	}
	return s
}

// few is the number of flowMoves and of sharingMoves in a short exploration.
const few = 5

// Every state that any moves of the two ends reach, in every order and to the end, and from each of them the end: once
// LLDPDUs come through, both settle within three rounds and stay, with the same PFC unless none is willing. ETS and PFC
// share only sharedMoves, so each has its own exploration. -ieee.whole takes all moves, and explores ETS and PFC
// together with the first moves of each: 35,200, 100,800 and 402,432 states.
func TestTwoEndsSettleFromEveryState(t *testing.T) {
	explorations := map[string][]move{"PFC": slices.Concat(sharedMoves, flowMoves[:few]),
		"ETS": slices.Concat(sharedMoves, sharingMoves[:few])}
	if *whole {
		explorations = map[string][]move{"PFC": slices.Concat(sharedMoves, flowMoves),
			"ETS":         slices.Concat(sharedMoves, sharingMoves),
			"PFC and ETS": slices.Concat(sharedMoves, flowMoves[:2], sharingMoves[:2])}
	}
	for about, moves := range explorations {
		t.Run(about, func(t *testing.T) { explore(t, moves) })
	}
}

// explore visits all states that the moves reach, breadth first.
func explore(t *testing.T, moves []move) {
	type pair struct{ a, b *end }
	seed := maphash.MakeSeed()
	seen := map[[2]uint64]struct{}{}
	var frontier []pair
	visit := func(a, b *end) {
		key := [2]uint64{maphash.Comparable(seed, a.state()), maphash.Comparable(seed, b.state())}
		if _, ok := seen[key]; ok {
			return
		}
		seen[key] = struct{}{}
		frontier = append(frontier, pair{a, b})
		if endsWell(t, a.copied(), b.copied()); t.Failed() {
			t.Fatalf("from\n%+v\n%+v", a.state(), b.state())
		}
	}
	visit(newEnd(0x0a, first(true)), newEnd(0x0b, second(true)))
	depth := 0
	for ; len(frontier) > 0; depth++ {
		present := frontier
		frontier = nil
		for _, p := range present {
			for _, m := range moves {
				a, b := p.a.copied(), p.b.copied()
				m(a, b)
				visit(a, p.b)
				a, b = p.a.copied(), p.b.copied()
				m(b, a)
				visit(p.a, b)
			}
		}
	}
	t.Logf("%d states, all of them, the last after %d moves", len(seen), depth-1)
}

// endsWell makes LLDPDUs come through from now on, and checks where both ends arrive. An end beside one that does not
// run arrives at its own settings.
func endsWell(t *testing.T, a, b *end) {
	t.Helper()
	if rounds := settle(a, b); rounds > 3 {
		t.Errorf("%d rounds: %v %v", rounds, a, b)
	}
	a.out.Reset()
	b.out.Reset()
	b.hears(a)
	a.hears(b)
	if a.out.Changed || b.out.Changed || len(a.out.Events)+len(b.out.Events) > 0 {
		t.Errorf("no rest: %v %v", a.out, b.out)
	}
	for _, ends := range [][2]*end{{a, b}, {b, a}} {
		ends[0].hasAnOutcome(t, ends[1])
	}
	la, lb := &a.port.local, &b.port.local
	if !a.port.running || !b.port.running || la.WithoutPFC || lb.WithoutPFC {
		return
	}
	oa, ob := a.port.Outcome(), b.port.Outcome()
	if (la.PFC.Willing || lb.PFC.Willing) && oa.PFC != ob.PFC || (oa.PFC == ob.PFC) != oa.PFCAgreed ||
		oa.PFCAgreed != ob.PFCAgreed {
		t.Errorf("PFC %v and %v, agreed %v and %v", oa.PFC, ob.PFC, oa.PFCAgreed, ob.PFCAgreed)
	}
}

// hasAnOutcome checks an end at rest beside another: the tables can be used, they are the recommendation exactly where
// one is sent and wanted, and there is agreement or a reason.
func (e *end) hasAnOutcome(t *testing.T, other *end) {
	t.Helper()
	o, l := e.port.Outcome(), &e.port.local
	if reason := o.ETS.problem(); reason != "" {
		t.Errorf("the outcome is unusable: %s", reason)
	}
	talks := e.port.running && other.port.running
	if adopts := talks && l.ETS.Willing && !l.WithoutETS && !other.port.local.WithoutETS; o.ETSAdopted != adopts {
		t.Errorf("ETS adopted %v, want %v", o.ETSAdopted, adopts)
	}
	if o.PFCAgreed == (o.PFCNote != "") {
		t.Errorf("PFC agreed %v with the reason %q", o.PFCAgreed, o.PFCNote)
	}
	if own := !talks || l.WithoutPFC || other.port.local.WithoutPFC; own && (o.PFC != l.PFC.Enable ||
		o.PFCAgreed != l.WithoutPFC) {
		t.Errorf("PFC %v, own %v, agreed %v", o.PFC, l.PFC.Enable, o.PFCAgreed)
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
		local := ConvertLocal(dcbx.Default())
		local.App = []AppEntry{{1, 1, 1}}
		p := NewPort(local)
		var out Output
		p.SetRunning(true, &out)
		p.Receive(1, MAC{1}, []TLV{{SubtypeETS, make([]byte, etsLen)}, {SubtypeRecommendation, make([]byte, etsLen)},
			{SubtypePFC, make([]byte, 2)}, {SubtypeApp, make([]byte, 4)}}, &out)
		return p
	}, "local.*", "outcome.*")
}
