package bridge

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var simulationSeeds = flag.Int("simulation.seeds", 150, "how many random runs TestSimulation makes")

// TestSimulation plays random frames, settings and requests to the bridge and to the model, which
// have to agree on all that can be seen.
func TestSimulation(t *testing.T) {
	total := simulation{}
	for seed := range uint64(*simulationSeeds) {
		s := newSimulation(t, seed)
		for range 2000 {
			s.step()
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		total.add(s)
	}
	total.wantAll(t)
}

// simulation is one run.
type simulation struct {
	*lab
	r        *rand.Rand
	m        *model
	hosts    int           // how many addresses there are
	hurry    time.Duration // steps of time are shorter by this
	seen     []Event
	reasons  [NumReasons]int
	kinds    [numKinds]int
	floods   int
	unicasts int
	seed     uint64
	renews   *rand.Rand
}

func newSimulation(t *testing.T, seed uint64) *simulation {
	s := &simulation{r: rand.New(rand.NewPCG(seed, 1)), seed: seed, renews: rand.New(rand.NewPCG(seed, 2))}
	s.hosts, s.hurry = pick(s.r, 3, 12, 40), pick[time.Duration](s.r, 1, 10, 1000)
	settings := s.settings()
	s.lab = &lab{T: t, Bridge: New(settings, seed, 0)}
	s.m = newModel(settings)
	s.m.place = s.place
	for range 4 {
		s.setPort()
	}
	return s
}

// place is the place of an address among the bouts.
func (s *simulation) place(a Address) uint64 { return s.table.hash(a.key()) >> 56 % boutsMax }

func pick[V any](r *rand.Rand, values ...V) V { return values[r.IntN(len(values))] }

func (s *simulation) settings() Settings {
	return Settings{
		Ageing:        pick(s.r, 0, time.Second, 3*time.Second, 300*time.Second),
		VLANFiltering: s.r.IntN(3) > 0,
		MaxEntries:    pick(s.r, 0, 1, 8, 30, 100),
		Reserved:      pick(s.r, ReservedFilter, ReservedForward),
		LoopGuard:     pick(s.r, LoopGuardEvent, LoopGuardBlock),
		BlockTime:     pick(s.r, 0, time.Second/10, 2*time.Second),
	}
}

func (s *simulation) number() int     { return pick(s.r, 0, 1, 2, 63, 64, 255) }
func (s *simulation) anyVLAN() uint16 { return pick[uint16](s.r, 1, 2, 10, 4094) }

// vlan is one that the bridge can have now.
func (s *simulation) vlan() uint16 {
	if s.m.settings.VLANFiltering != (s.r.IntN(50) == 0) {
		return s.anyVLAN()
	}
	return 0
}

func (s *simulation) mac() [6]byte { return host(1 + s.r.IntN(s.hosts)) }

func (s *simulation) portSettings() PortSettings {
	p := PortSettings{
		PVID: pick(s.r, 0, 1, s.anyVLAN()), Isolated: s.r.IntN(3) == 0, Learning: s.r.IntN(8) > 0,
		Broadcast: pick[uint32](s.r, 0, 0, 1, 100, 5000), Unknown: pick[uint32](s.r, 0, 0, 3, 50),
		Multicast: pick[uint32](s.r, 0, 0, 1),
	}
	for _, vlan := range []uint16{1, 2, 10, 4094} {
		switch s.r.IntN(3) {
		case 0:
			p.Tagged = append(p.Tagged, vlan)
		case 1:
			p.Untagged = append(p.Untagged, vlan)
		}
	}
	if s.r.IntN(4) == 0 {
		p.Static = append(p.Static, Address{s.mac(), s.vlan()})
	}
	return p
}

func (s *simulation) setPort() {
	n, p := s.number(), s.portSettings()
	_ = s.SetPort(n, p)
	s.m.setPort(n, p)
}

// step is one of the things that can happen.
func (s *simulation) step() {
	s.renew()
	pause := pick[time.Duration](s.r, 0, 0, 1000, 1_000_000, 1_000_000, 20_000_000,
		time.Duration(s.r.IntN(200_000_000)), time.Duration(s.r.IntN(2e9)))
	s.now = s.now.Add(pause/s.hurry) &^ 511
	if s.r.IntN(10) > 0 {
		s.frame()
		return
	}
	s.request()
	s.compare()
}

func (s *simulation) request() {
	switch s.r.IntN(24) {
	case 0, 1, 2:
		s.setPort()
	case 3:
		n := s.number()
		s.RemovePort(n)
		s.m.removePort(n)
	case 4:
		c := s.settings()
		s.Configure(c)
		s.m.configure(c)
	case 5, 6:
		e := Entry{Address: Address{s.mac(), s.vlan()}, Port: s.number()}
		if err := s.Add(e); (err == nil) != s.m.add(e) {
			s.Errorf("add %+v: %v", e, err)
		}
	case 7, 8, 9:
		a, n := Address{s.mac(), s.vlan()}, s.number()
		if err := s.Delete(a, n); (err == nil) != s.m.delete(a, n) {
			s.Errorf("delete %+v at %d: %v", a, n, err)
		}
	case 10:
		port, vlan := pick(s.r, -1, s.number()), pick(s.r, -1, int(s.vlan()))
		if gone, err := s.Flush(port, vlan); err == nil && gone != s.m.flush(port, vlan) {
			s.Errorf("flush of %d, %d: %d gone", port, vlan, gone)
		}
	default:
		s.poll()
	}
}

func (s *simulation) poll() {
	s.m.unblock(s.now)
	if next := s.Poll(s.now); next <= s.now {
		s.Errorf("deadline %d at %d", next, s.now)
	}
	s.m.swept(func(a Address) bool { _, found := s.table.find(a.key()); return found }, s.now)
}

func (s *simulation) frame() {
	sa, da, group := s.mac(), s.mac(), [6]byte{1, 0, 0x5E, 0, 0, 1}
	if s.r.IntN(30) == 0 {
		sa = pick(s.r, [6]byte{}, everybody, group)
	}
	if s.r.IntN(3) == 0 {
		da = pick(s.r, [6]byte{}, everybody, group, [6]byte{1, 0x80, 0xC2, 0, 0, byte(s.r.IntN(17))})
	}
	s.play(pick(s.r, append(s.m.numbers(), s.number())...), addressesOf(sa, da), s.rest())
}

// play has a frame come.
func (s *simulation) play(in int, addresses, rest []byte) {
	v, want := s.Decide(in, addresses, rest, s.now), s.m.look(in, addresses, rest, s.now)
	if v != want {
		s.Errorf("% x at %d, % x: %+v, want %+v", addresses, in, rest, v, want)
		return
	}
	if s.r != nil && s.r.IntN(100) == 0 {
		s.request() // before it is known that the frame is good
	}
	taken, expected := s.Admit(in, addresses, &v, s.now), s.m.take(in, [6]byte(addresses[6:]), &want, s.now)
	s.reasons[v.Drop]++
	if taken != expected || v != want {
		s.Errorf("% x at %d, % x: taken %v, %+v; want %v, %+v", addresses, in, rest, taken, v, expected, want)
	}
	if taken && expected {
		s.leaves(in, &v)
	}
}

func (s *simulation) leaves(in int, v *Verdict) {
	out, want := strings.Join(s.leave(in, v), " "), strings.Join(s.m.egress(in, v), " ")
	if out != want {
		s.Errorf("%+v from %d leaves by %q, want %q", *v, in, out, want)
	}
	if v.Out == Flood {
		s.floods++
	} else {
		s.unicasts++
	}
}

// rest returns the frame behind the addresses, with any tag.
func (s *simulation) rest() []byte {
	data := []byte{8, 0}
	etherType := pick(s.r, data, data, data, data, data, []byte{0x88, 0x08}, []byte{0x88, 0xCC}, []byte{0x88, 0xA8})
	if s.r.IntN(2) == 0 {
		return etherType
	}
	vlan := pick(s.r, 0, s.anyVLAN(), s.anyVLAN(), s.anyVLAN(), 4095, 77)
	tci := vlan | uint16(s.r.IntN(16))<<12
	tagged := append([]byte{0x81, 0, byte(tci >> 8), byte(tci)}, etherType...)
	if s.r.IntN(40) == 0 {
		return tagged[:2+s.r.IntN(4)]
	}
	return tagged
}

// add adds up what has happened in all runs.
func (s *simulation) add(one *simulation) {
	for i, n := range one.reasons {
		s.reasons[i] += n
	}
	for i, n := range one.kinds {
		s.kinds[i] += n
	}
	s.floods += one.floods
	s.unicasts += one.unicasts
}

// wantAll fails the test if something that can happen never did.
func (s *simulation) wantAll(t *testing.T) {
	for reason, n := range s.reasons {
		if n == 0 {
			t.Errorf("no frame with the verdict %q", Reason(reason))
		}
	}
	for kind, n := range s.kinds[1:] {
		if n == 0 {
			t.Errorf("no event %q", EventKind(kind+1))
		}
	}
	t.Logf("%d floods, %d unicasts, %v, %v", s.floods, s.unicasts, s.reasons, s.kinds)
}
