package station

import (
	"fmt"
	"strings"
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/lldp/dcbx/ieee"
	"uelink/wire"
)

// twin is an end of a link: an exchange with its address.
type twin struct {
	*exchange
	config Port
	mac    wire.MAC
	// also are TLVs sent beside those of the exchange, and bare is whether those are left out.
	also []lldp.Org
	bare bool
}

// aside returns end A of the golden cases: PFC 3, 50/50, recommends 40/60.
func aside(version dialect.Version, willing bool) Port { return ending(version, willing, 3, 50, 40) }

// bside returns end B: PFC 4, 70/30, recommends 80/20.
func bside(version dialect.Version, willing bool) Port { return ending(version, willing, 4, 70, 80) }

func ending(version dialect.Version, willing bool, priority int, share, recommended uint8) Port {
	local := dcbx.Default()
	local.PG.Willing, local.PFC.Willing = willing, willing
	local.PG.Config = dcbx.PG{Group: [8]uint8{3: 1}, Percentage: [8]uint8{share, 100 - share}, NumTCs: 8}
	local.PFC.Config.Enable = 1 << priority
	other := ieee.ConvertLocal(local)
	other.Recommendation.Bandwidth = [8]uint8{recommended, 100 - recommended}
	return Port{DCBX: &local, Dialect: version, IEEE: &other}
}

func newTwin(mac byte, c Port) *twin {
	e := &twin{exchange: newExchange(&c), config: c, mac: wire.MAC{2, 0, 0, 0, 0, mac}}
	e.setMAC(e.mac)
	e.PortChanged(lldp.PortStatus{Enabled: true, Admin: lldp.RxTx}, 0)
	return e
}

// says returns the end's LLDPDU.
func (e *twin) says() *lldp.Info {
	n := &lldp.Info{}
	if !e.bare {
		n.Org = e.AppendTLVs(nil)
	}
	n.Org = append(n.Org, e.also...)
	for i := range n.Org {
		n.Org[i].Info = append([]byte{}, n.Org[i].Info...)
	}
	return n
}

// hears passes an LLDPDU of the only neighbour at a second.
func (e *twin) hears(other *twin, second int) {
	n, now := other.says(), wire.Time(second)*1e9
	e.poll(now)
	e.NeighborSeen(lldp.Sighting{Subject: n, Source: other.mac, New: second == 0, Neighbors: []*lldp.Info{n},
		Sources: []wire.MAC{other.mac}}, now)
}

// String returns the dialect, the operational priorities, and the share of the group of priority 0.
func (e *twin) String() string {
	s, qaz := e.snapshot()
	pfc, d := dcbx.PFC{Enable: qaz.Oper.PFC}.String(), e.dcb()
	if e.choice.CEE() {
		pfc = s.PFC.Oper.OperCfg.String()
	}
	return fmt.Sprintf("%s %s %d", e.spoken(), pfc, d.PG.Config.Percentage[d.PG.Config.Group[0]])
}

// met passes LLDPDUs to and fro for some seconds.
func met(a, b *twin, seconds int) {
	for second := range seconds {
		b.hears(a, second)
		a.hears(b, second)
	}
}

// The golden cases of the choice of the dialect: what each end speaks, its priorities with PFC, its share, and whether
// PFC that is dynamic is used at A.
func TestDialectsOfTwoEnds(t *testing.T) {
	const auto, only, cee = dialect.Auto, dialect.IEEE, dialect.CEE
	for _, c := range []struct {
		about              string
		a, b               dialect.Version
		willingA, willingB bool
		change             func(a, b *twin)
		wantA, wantB       string
		dynamic            uint8
	}{
		{"1", auto, auto, false, true, nil, "ieee 3 50", "ieee 3 40", 1 << 3},
		{"2", auto, auto, true, false, nil, "ieee 4 80", "ieee 4 70", 1 << 4},
		{"3", auto, auto, true, true, nil, "ieee 4 80", "ieee 4 40", 1 << 4},
		{"4", auto, auto, false, false, nil, "ieee 3 50", "ieee 4 70", 0},
		{"5", auto, cee, true, false, nil, "cee 4 70", "cee 4 70", 1 << 4},
		{"6", auto, cee, true, true, nil, "cee none 50", "cee none 70", 0},
		{"7", auto, cee, false, false, nil, "cee none 50", "cee none 70", 0},
		{"8", cee, cee, false, true, nil, "cee 3 50", "cee 3 50", 1 << 3},
		{"9: both dialects are sent", auto, only, true, false, func(a, b *twin) {
			b.also = newTwin(9, bside(cee, false)).says().Org
			met(a, b, 9)
		}, "ieee 4 80", "ieee 4 70", 1 << 4},
		{"10", only, cee, true, false, nil, "ieee 3 50", "cee none 70", 0},
		{"11", cee, only, true, false, nil, "cee none 50", "ieee 4 70", 0},
		{"12: bare LLDP", auto, auto, true, false, func(a, b *twin) { b.bare = true; met(a, b, 9) }, "ieee 3 50", "ieee 4 70", 0},
		{"13: CIN alone", auto, auto, true, false, func(a, b *twin) {
			b.bare, b.also = true, []lldp.Org{{OUI: dcbxOUI, Subtype: dcbx.SubtypeCIN,
				Info: []byte{2, 10, 0, 0, 0, 0, 0, 7, 0, 0, 0, 6}}}
			met(a, b, 9)
		}, "ieee 3 50", "ieee 4 70", 0},
		{"16: A hears two stations", auto, auto, true, false, func(a, b *twin) {
			n := b.says()
			a.NeighborSeen(lldp.Sighting{Subject: n, Source: b.mac, New: true, Neighbors: []*lldp.Info{n, n},
				Sources: []wire.MAC{b.mac, b.mac}}, 10e9)
		}, "ieee 3 50", "ieee 4 70", 0},
		{"the second station leaves", auto, cee, true, false, func(a, b *twin) {
			n := b.says()
			s := lldp.Sighting{Subject: n, Source: b.mac, New: true, Neighbors: []*lldp.Info{n, n}, Sources: []wire.MAC{b.mac, b.mac}}
			a.NeighborSeen(s, 10e9)
			a.NeighborSeen(lldp.Sighting{Subject: n, Gone: lldp.Aged, Neighbors: s.Neighbors[:1], Sources: s.Sources[:1]}, 11e9)
			for second := 11; second < 20; second++ {
				b.hears(a, second)
				a.hears(b, second)
			}
		}, "cee 4 70", "cee 4 70", 1 << 4},
		{"17: B says good-bye", auto, auto, true, false, func(a, b *twin) {
			a.NeighborSeen(lldp.Sighting{Subject: b.says(), Gone: lldp.ShutDown}, 10e9)
		}, "ieee 3 50", "ieee 4 70", 0},
		{"after CEE B says good-bye", auto, cee, true, false, func(a, b *twin) {
			a.NeighborSeen(lldp.Sighting{Subject: b.says(), Gone: lldp.ShutDown}, 10e9)
		}, "ieee 3 50", "cee 4 70", 0},
		{"B changes from CEE to auto", auto, cee, true, false, func(a, b *twin) {
			b.config.Dialect = auto
			b.set(&b.config)
			met(a, b, 9)
		}, "ieee 4 80", "ieee 4 70", 1 << 4},
		{"B changes from CEE to IEEE", auto, cee, true, false, func(a, b *twin) {
			b.config.Dialect = only
			b.set(&b.config)
			for second := 10; second < 13; second++ {
				a.hears(b, second)
				b.hears(a, second)
			}
		}, "ieee 4 80", "ieee 4 70", 1 << 4},
		{"B changes from IEEE to CEE", auto, only, true, false, func(a, b *twin) {
			b.config.Dialect = cee
			b.set(&b.config)
			for second := 10; second < 18; second++ {
				a.hears(b, second)
				b.hears(a, second)
			}
		}, "cee 4 70", "cee 4 70", 1 << 4},
		{"the link goes down", auto, cee, true, false, func(a, _ *twin) {
			a.PortChanged(lldp.PortStatus{Admin: lldp.RxTx}, 10e9)
		}, "ieee 3 0", "cee 4 70", 0},
		{"LLDP goes one way", auto, auto, true, false, func(a, _ *twin) {
			a.PortChanged(lldp.PortStatus{Enabled: true, Admin: lldp.RxOnly}, 10e9)
		}, "ieee 3 0", "ieee 4 70", 0},
		{"DCBX is switched off and on", auto, auto, true, false, func(a, b *twin) {
			a.set(&Port{})
			a.set(&a.config)
			for second := 10; second < 13; second++ {
				a.hears(b, second)
				b.hears(a, second)
			}
		}, "ieee 4 80", "ieee 4 70", 1 << 4},
	} {
		a, b := newTwin(0x0a, aside(c.a, c.willingA)), newTwin(0x0b, bside(c.b, c.willingB))
		met(a, b, 9)
		if c.change != nil {
			c.change(a, b)
		}
		if a.String() != c.wantA || b.String() != c.wantB {
			t.Errorf("case %s: A %v, B %v, want %s and %s", c.about, a, b, c.wantA, c.wantB)
		}
		if d := a.dcb(); d.PFC.Config.Enable != c.dynamic || d.PFC.Set && c.dynamic == 0 {
			t.Errorf("case %s: %+v, want priorities %b", c.about, d.PFC, c.dynamic)
		}
		for _, e := range []*twin{a, b} {
			if sends(e, dcbxOUI) && sends(e, ieeeOUI) {
				t.Errorf("case %s: %v sends both dialects", c.about, e)
			}
		}
	}
}

// sends reports whether the TLVs of the end itself have one under the OUI.
func sends(e *twin, oui lldp.OUI) bool {
	for _, o := range e.AppendTLVs(nil) {
		if o.OUI == oui {
			return true
		}
	}
	return false
}

// The dialect and the outcome go on in another process, and the state of a program that spoke CEE alone is one in CEE.
func TestDialectGoesOnElsewhere(t *testing.T) {
	for _, peer := range []dialect.Version{dialect.Auto, dialect.CEE} {
		a, b := newTwin(0x0a, aside(dialect.Auto, true)), newTwin(0x0b, bside(peer, false))
		met(a, b, 9)
		next := newTwin(0x0a, a.config)
		if err := snapshottest.Renew(machine{a.exchange}, machine{next.exchange}); err != nil {
			t.Fatal(err)
		}
		if a.String() != next.String() || a.dcb() != next.dcb() {
			t.Errorf("%v goes on as %v", a, next)
		}
		met(next, b, 9)
		if a.String() != next.String() || next.dcb().PFC.Config.Enable != 1<<4 {
			t.Errorf("%v goes on as %v", a, next)
		}
	}
	a, b := newTwin(0x0a, aside(dialect.CEE, true)), newTwin(0x0b, bside(dialect.CEE, false))
	met(a, b, 9)
	state := string(snapshottest.Body(machine{a.exchange}))
	before, _, found := strings.Cut(state, "qaz {")
	if _, rest, _ := strings.Cut(state, "choice {"); !found || strings.Contains(rest, "ieee") {
		t.Fatalf("state\n%s", state)
	}
	next := newTwin(0x0a, aside(dialect.Auto, true))
	if err := snapshottest.Restore([]byte(before), machine{next.exchange}); err != nil {
		t.Fatalf("%v\n%s", err, before)
	}
	if next.String() != "cee 4 70" || next.dcb() != a.dcb() {
		t.Errorf("an upgrade makes %v of %v", next, a)
	}
	b2 := b
	for second := 20; second < 60; second += 10 {
		next.hears(b2, second)
		b2.hears(next, second)
	}
	if next.String() != "cee 4 70" || next.dcb().PFC.Config.Enable != 1<<4 {
		t.Errorf("after an upgrade %v", next)
	}
}

// An upgrade at any second of an exchange, also within the time in which auto waits, and while the peer changes its
// dialect: the end arrives where it arrives without an upgrade, and never sends both dialects.
func TestUpgradeInTheMiddleOfAnExchange(t *testing.T) {
	for _, peer := range []dialect.Version{dialect.Auto, dialect.IEEE, dialect.CEE} {
		for upgrade := range 24 {
			a, b := newTwin(0x0a, aside(dialect.Auto, true)), newTwin(0x0b, bside(peer, false))
			for second := range 24 {
				if second == 12 && peer == dialect.CEE {
					b.config.Dialect = dialect.IEEE
					b.set(&b.config)
				}
				b.hears(a, second)
				a.hears(b, second)
				if second == upgrade {
					next := newTwin(0x0a, a.config)
					if err := snapshottest.Renew(machine{a.exchange}, machine{next.exchange}); err != nil {
						t.Fatal(err)
					}
					a = next
				}
				if sends(a, dcbxOUI) && sends(a, ieeeOUI) {
					t.Fatalf("peer %v, upgrade at second %d: both dialects in second %d", peer, upgrade, second)
				}
			}
			if a.String() != "ieee 4 80" || b.String() != "ieee 4 70" || a.dcb().PFC.Config.Enable != 1<<4 {
				t.Errorf("peer %v, upgrade at second %d: A %v, B %v", peer, upgrade, a, b)
			}
		}
	}
}

// A peer that reboots without a good-bye: its firmware sends LLDPDUs without DCBX, then its system with defaults, then
// with its configuration. Both ends arrive where they were, and no priority has PFC in between without an agreement.
func TestPeerThatReboots(t *testing.T) {
	for _, version := range []dialect.Version{dialect.Auto, dialect.CEE} {
		a, b := newTwin(0x0a, aside(dialect.Auto, true)), newTwin(0x0b, bside(version, false))
		met(a, b, 9)
		before := [2]string{a.String(), b.String()}
		for second := 10; second < 60; second++ {
			switch second {
			case 10:
				b = newTwin(0x0b, bside(version, false))
				b.bare = true
			case 20:
				defaults := dcbx.Default()
				b = newTwin(0x0b, Port{DCBX: &defaults, Dialect: version})
			case 30:
				b = newTwin(0x0b, bside(version, false))
			}
			a.hears(b, second)
			b.hears(a, second)
			if d := a.dcb(); second < 20 && d.PFC.Config.Enable != 0 {
				t.Errorf("%v: second %d: PFC %b with a peer that sends no DCBX", version, second, d.PFC.Config.Enable)
			}
		}
		if after := [2]string{a.String(), b.String()}; after != before {
			t.Errorf("%v: %v, before the reboot %v", version, after, before)
		}
	}
}

// machine is an exchange as a snapshot.Machine.
type machine struct{ *exchange }

// PassState saves or restores the exchange.
func (m machine) PassState(s *snapshot.State) { m.exchange.passState(s) }

// CEE and IEEE in turns, each second: no LLDPDU of ours has both.
func TestDialectsInTurns(t *testing.T) {
	a := newTwin(0x0a, aside(dialect.Auto, true))
	cee, other := newTwin(0x0b, bside(dialect.CEE, false)), newTwin(0x0b, bside(dialect.IEEE, false))
	for second := range 60 {
		from := cee
		if second%2 == 1 {
			from = other
		}
		a.hears(from, second)
		if sends(a, dcbxOUI) {
			t.Fatalf("second %d: CEE", second)
		}
	}
	if a.String() != "ieee 4 80" {
		t.Error(a)
	}
}

// Events name the dialect, and a peer that speaks another.
func TestDialectInWords(t *testing.T) {
	for _, c := range []struct {
		a, b dialect.Version
		want string
	}{
		{dialect.Auto, dialect.Auto, "this end and the peer speak ieee"},
		{dialect.Auto, dialect.CEE, "this end and the peer speak cee"},
		{dialect.IEEE, dialect.CEE, "the peer speaks only CEE"},
		{dialect.CEE, dialect.IEEE, "the peer speaks only IEEE 802.1Qaz"},
	} {
		a, b := newTwin(0x0a, aside(c.a, true)), newTwin(0x0b, bside(c.b, false))
		met(a, b, 9)
		if got := a.dialectText(); got != c.want {
			t.Errorf("%v beside %v: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
