package ieee

import (
	"fmt"
	"testing"

	"uelink/lldp/dcbx"
)

// end is an end of a link with its own TLVs as the other end has them.
type end struct {
	port *Port
	mac  MAC
	out  Output
}

func newEnd(mac byte, local Local) *end {
	e := &end{port: NewPort(local), mac: MAC{2, 0, 0, 0, 0, mac}}
	e.port.SetMAC(e.mac, &e.out)
	e.port.SetRunning(true, &e.out)
	return e
}

// hears passes an LLDPDU of the other end, as the only neighbour.
func (e *end) hears(other *end) { e.port.Receive(1, other.mac, other.port.AppendTLVs(nil), &e.out) }

// shares returns tables with a class for priority 3, and these shares of classes 0 and 1.
func shares(zero uint8) ETS {
	return ETS{Class: [8]uint8{3: 1}, Bandwidth: [8]uint8{zero, 100 - zero}, Algorithm: [8]uint8{Enhanced, Enhanced}}
}

// first is end A of the golden cases: PFC 3, 50/50, recommends 40/60. second is end B: PFC 4, 70/30, recommends 80/20.
func first(willing bool) Local {
	return Local{ETS: Configuration{Willing: willing, MaxTCs: 8, ETS: shares(50)}, Recommendation: shares(40),
		PFC: PFC{Willing: willing, Cap: 8, Enable: 1 << 3}, WithoutApp: true}
}

func second(willing bool) Local {
	return Local{ETS: Configuration{Willing: willing, MaxTCs: 8, ETS: shares(70)}, Recommendation: shares(80),
		PFC: PFC{Willing: willing, Cap: 8, Enable: 1 << 4}, WithoutApp: true}
}

// golden is a case of two ends: what is changed, and the outcome "PFC share-of-class-0" of both; "-" for an end that is
// gone. agreed is whether end A may use PFC that is dynamic.
type golden struct {
	about                    string
	willingA, willingB, swap bool
	change                   func(a, b *end, la, lb *Local)
	a, b                     string
	agreed                   bool
}

func none(*end, *end, *Local, *Local) {}

// without returns the TLVs of an end but those with a subtype.
func (e *end) without(subtypes ...uint8) (list []TLV) {
next:
	for _, t := range e.port.AppendTLVs(nil) {
		for _, s := range subtypes {
			if t.Subtype == s {
				continue next
			}
		}
		list = append(list, t)
	}
	return list
}

var goldens = []golden{
	{"only B is willing", false, true, false, none, "3 50", "3 40", true},
	{"only A is willing", true, false, false, none, "4 80", "4 70", true},
	{"both are willing: the higher address keeps its PFC, and each takes the other's recommendation", true, true, false, none,
		"4 80", "4 40", true},
	{"none is willing", false, false, false, none, "3 50", "4 70", false},
	{"both are willing, addresses swapped", true, true, true, none, "3 80", "3 40", true},
	{"none is willing, addresses swapped", false, false, true, none, "3 50", "4 70", false},
	{"B recommends nothing", true, false, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(1, b.mac, b.without(SubtypeRecommendation), &a.out)
	}, "4 50", "4 70", true},
	{"B sends a recommendation alone", true, false, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(1, b.mac, b.without(SubtypeETS, SubtypePFC), &a.out)
	}, "3 80", "4 70", false},
	{"B sends PFC alone", true, false, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(1, b.mac, b.without(SubtypeETS, SubtypeRecommendation), &a.out)
	}, "4 50", "4 70", true},
	{"B's PFC TLV vanishes", true, true, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(1, b.mac, b.without(SubtypePFC), &a.out)
	}, "3 80", "4 40", false},
	{"B sends no TLV any more", true, false, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(1, b.mac, nil, &a.out)
	}, "3 50", "4 70", false},
	{"A hears a second neighbour", true, false, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(2, b.mac, b.port.AppendTLVs(nil), &a.out)
	}, "3 50", "4 70", false},
	{"the second neighbour leaves", true, false, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(2, b.mac, b.port.AppendTLVs(nil), &a.out)
		a.port.NeighborDeleted(false, 1, &a.out)
		a.hears(b)
	}, "4 80", "4 70", true},
	{"B says good-bye", true, false, false, func(a, _ *end, _, _ *Local) { a.port.NeighborDeleted(false, 0, &a.out) }, "3 50", "4 70", false},
	{"B expires", true, false, false, func(a, _ *end, _, _ *Local) { a.port.NeighborDeleted(true, 0, &a.out) }, "3 50", "4 70", false},
	{"B expires, and comes back", true, false, false, func(a, b *end, _, _ *Local) {
		a.port.NeighborDeleted(true, 0, &a.out)
		a.hears(b)
	}, "4 80", "4 70", true},
	{"B becomes unwilling", true, true, true, func(a, b *end, _, lb *Local) {
		lb.ETS.Willing, lb.PFC.Willing = false, false
		b.port.SetLocal(*lb, &b.out)
		a.hears(b)
	}, "4 80", "4 70", true},
	{"B becomes willing", false, false, false, func(a, b *end, _, lb *Local) {
		lb.ETS.Willing, lb.PFC.Willing = true, true
		b.port.SetLocal(*lb, &b.out)
		a.hears(b)
	}, "3 50", "3 40", true},
	{"A is willing in PFC alone", true, false, false, func(a, _ *end, la, _ *Local) {
		la.ETS.Willing = false
		a.port.SetLocal(*la, &a.out)
	}, "4 50", "4 70", true},
	{"A is willing in ETS alone", true, false, false, func(a, _ *end, la, _ *Local) {
		la.PFC.Willing = false
		a.port.SetLocal(*la, &a.out)
	}, "3 80", "4 70", false},
	{"none is willing, and both have the same PFC", false, false, false, func(a, b *end, _, lb *Local) {
		lb.PFC.Enable = 1 << 3
		b.port.SetLocal(*lb, &b.out)
		a.hears(b)
	}, "3 50", "3 70", true},
	{"B has no PFC", true, false, false, func(a, b *end, _, lb *Local) {
		lb.PFC.Enable = 0
		b.port.SetLocal(*lb, &b.out)
		a.hears(b)
	}, "none 80", "none 70", true},
	{"B's cap is 0, and A's is 1", true, false, false, func(a, b *end, la, lb *Local) {
		lb.PFC.Cap, lb.PFC.Enable, la.PFC.Cap = 0, 3<<4, 1
		b.port.SetLocal(*lb, &b.out)
		a.port.SetLocal(*la, &a.out)
		a.hears(b)
	}, "4,5 80", "4,5 70", true},
	{"B's cap is 15", true, false, false, func(a, b *end, _, lb *Local) {
		lb.PFC.Cap = 15
		b.port.SetLocal(*lb, &b.out)
		a.hears(b)
	}, "4 80", "4 70", true},
	{"MBC differs", true, false, false, func(a, b *end, _, lb *Local) {
		lb.PFC.MBC = true
		b.port.SetLocal(*lb, &b.out)
		a.hears(b)
	}, "4 80", "4 70", true},
	{"B recommends shares that add up to 140", true, false, false, func(a, b *end, _, lb *Local) {
		lb.Recommendation.Bandwidth[0] = 120
		b.port.SetLocal(*lb, &b.out)
		a.hears(b)
	}, "4 50", "4 70", true},
	{"B recommends class 15", true, false, false, func(a, b *end, _, lb *Local) {
		lb.Recommendation.Class[0] = 15
		b.port.SetLocal(*lb, &b.out)
		a.hears(b)
	}, "4 50", "4 70", true},
	{"B recommends an unknown algorithm", true, false, false, func(a, b *end, _, lb *Local) {
		lb.Recommendation.Algorithm[5] = 77
		b.port.SetLocal(*lb, &b.out)
		a.hears(b)
	}, "4 50", "4 70", true},
	{"A has a single class", true, false, false, func(a, _ *end, la, _ *Local) {
		la.ETS.MaxTCs, la.ETS.ETS = 1, OfGroups(dcbx.Default().PG.Config)
		a.port.SetLocal(*la, &a.out)
	}, "4 100", "4 70", true},
	{"B's PFC TLV is there twice and differs", true, false, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(1, b.mac, append(b.port.AppendTLVs(nil), TLV{SubtypePFC, []byte{8, 1}}), &a.out)
	}, "3 80", "4 70", false},
	{"B's PFC TLV is there twice and equal", true, false, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(1, b.mac, append(b.port.AppendTLVs(nil), TLV{SubtypePFC, []byte{8, 1 << 4}}), &a.out)
	}, "4 80", "4 70", true},
	{"B's PFC TLV has one octet", true, false, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(1, b.mac, append(b.without(SubtypePFC), TLV{SubtypePFC, []byte{8}}), &a.out)
	}, "3 80", "4 70", false},
	{"B's recommendation is an octet short", true, false, false, func(a, b *end, _, _ *Local) {
		short := shares(80).append([]byte{0})
		a.port.Receive(1, b.mac, append(b.without(SubtypeRecommendation), TLV{SubtypeRecommendation, short[:20]}), &a.out)
	}, "4 50", "4 70", true},
	{"both have the same address", true, true, false, func(a, b *end, _, _ *Local) {
		b.mac = a.mac
		b.port.SetMAC(a.mac, &b.out)
		a.hears(b)
		b.hears(a)
	}, "3 80", "4 40", false},
	{"A gets another address above B's", true, true, false, func(a, b *end, _, _ *Local) {
		a.mac[5] = 0xff
		a.port.SetMAC(a.mac, &a.out)
		b.hears(a)
		a.hears(b)
	}, "3 80", "3 40", true},
	{"A does not take part in PFC", true, false, false, func(a, b *end, la, _ *Local) {
		la.WithoutPFC = true
		a.port.SetLocal(*la, &a.out)
		b.hears(a)
	}, "3 80", "4 70", true},
	{"A does not take part in ETS", true, false, false, func(a, b *end, la, _ *Local) {
		la.WithoutETS = true
		a.port.SetLocal(*la, &a.out)
		b.hears(a)
	}, "4 50", "4 70", true},
	{"A's exchange ends", true, true, false, func(a, b *end, _, _ *Local) {
		a.port.SetRunning(false, &a.out)
		b.hears(a)
	}, "3 50", "4 70", false},
	{"A's exchange ends and begins", true, true, false, func(a, b *end, _, _ *Local) {
		a.port.SetRunning(false, &a.out)
		a.port.SetRunning(true, &a.out)
		a.hears(b)
		b.hears(a)
	}, "4 80", "4 40", true},
	{"B speaks with the source of another station", true, true, false, func(a, b *end, _, _ *Local) {
		a.port.Receive(1, MAC{0}, b.port.AppendTLVs(nil), &a.out)
	}, "3 80", "4 40", false},
}

func (e *end) String() string {
	o := e.port.Outcome()
	return fmt.Sprintf("%s %d", priorities(o.PFC), o.ETS.Bandwidth[0])
}

// settle passes LLDPDUs to and fro until nothing changes, and returns the number of rounds.
func settle(a, b *end) (rounds int) {
	for {
		before := [2]state{a.state(), b.state()}
		b.hears(a)
		a.hears(b)
		if rounds++; [2]state{a.state(), b.state()} == before || rounds > 10 {
			return rounds
		}
	}
}

// The outcome of both ends, and whether a port with dynamic PFC may use it.
func TestGoldenCases(t *testing.T) {
	if len(goldens) < 40 {
		t.Errorf("%d cases", len(goldens))
	}
	for _, c := range goldens {
		la, lb := first(c.willingA), second(c.willingB)
		ma, mb := byte(0x0a), byte(0x0b)
		if c.swap {
			ma, mb = mb, ma
		}
		a, b := newEnd(ma, la), newEnd(mb, lb)
		settle(a, b)
		c.change(a, b, &la, &lb)
		if a.String() != c.a || b.String() != c.b {
			t.Errorf("%s: A %v, B %v, want %s and %s", c.about, a, b, c.a, c.b)
		}
		if got := a.port.Outcome().PFCAgreed; got != c.agreed {
			t.Errorf("%s: agreed %v, want %v (%s)", c.about, got, c.agreed, a.port.Outcome().PFCNote)
		}
		if o := a.port.Outcome(); o.PFCAgreed == (o.PFCNote != "") {
			t.Errorf("%s: agreed %v with the reason %q", c.about, o.PFCAgreed, o.PFCNote)
		}
	}
}

// Own entries come first, and the peer's are used and not sent.
func TestApplicationPriorities(t *testing.T) {
	la, lb := first(true), second(false)
	la.WithoutApp, lb.WithoutApp = false, false
	la.App = []AppEntry{{3, SelectorUDP, 4791}}
	lb.App = []AppEntry{{5, SelectorUDP, 4791}, {2, SelectorDSCP, 26}, {4, SelectorTCP, 4791}}
	a, b := newEnd(1, la), newEnd(2, lb)
	settle(a, b)
	want := []AppEntry{{3, SelectorUDP, 4791}, {2, SelectorDSCP, 26}, {4, SelectorTCP, 4791}}
	if got := a.port.Outcome().App; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := Decode(a.port.AppendTLVs(nil)).App; fmt.Sprint(got) != fmt.Sprint(la.App) {
		t.Errorf("sent %v", got)
	}
	lb.App = lb.App[:1]
	b.port.SetLocal(lb, &b.out)
	a.hears(b)
	if got := a.port.Outcome().App; fmt.Sprint(got) != fmt.Sprint(la.App) {
		t.Errorf("%v after the peer took entries back", got)
	}
}

// Events tell a change once.
func TestEvents(t *testing.T) {
	a, b := newEnd(1, first(true)), newEnd(2, second(false))
	a.out.Reset()
	for range 3 {
		a.hears(b)
	}
	a.port.NeighborDeleted(true, 0, &a.out)
	a.port.Receive(2, b.mac, nil, &a.out)
	a.port.Receive(2, b.mac, nil, &a.out)
	a.port.Receive(1, b.mac, []TLV{{SubtypePFC, nil}}, &a.out)
	text := ""
	for _, e := range a.out.Events {
		text += fmt.Sprintf("%v %v\n", e.Kind, e)
	}
	const want = `peer_found port: a peer speaks IEEE DCBX
oper_on pfc: agreed with the peer: priorities 4
oper_on ets: as the peer recommends: 00010000 80,20,strict,strict,strict,strict,strict,strict
peer_timed_out port: the peer stopped sending LLDPDUs
oper_off pfc: not agreed: the peer stopped sending LLDPDUs
oper_off ets: our own settings are in force, because the peer stopped sending LLDPDUs
several_neighbors port: several LLDP neighbors: DCBX waits until only one is left
oper_off pfc: not agreed: there are several LLDP neighbors
oper_off ets: our own settings are in force, because there are several LLDP neighbors
peer_found port: a peer speaks IEEE DCBX
peer_malformed port: the peer's PFC TLV is too short: this kind of TLV counts as absent
oper_off pfc: not agreed: the peer's PFC TLV is too short
oper_off ets: our own settings are in force, because the peer's PFC TLV is too short
`
	if text != want {
		t.Errorf("events\n%swant\n%s", text, want)
	}
}
