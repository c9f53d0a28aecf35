package ue_test

import (
	"strings"
	"testing"
	"time"

	"uelink/internal/snapshot/snapshottest"
	"uelink/lldp"
	"uelink/lldp/ue"
	"uelink/wire"
)

const second = 1_000_000_000

// side is one port: an LLDP agent and its negotiation.
type side struct {
	*lldp.Agent
	ue     *ue.Port
	now    wire.Time
	frames [][]byte
}

var everything = ue.Options{Advertise: true, LLR: true, CBFC: true, Credit: ue.CBFC{VCs: 8, Pool: 1000, Lossless: 0x0F}}

func newSide(mac byte, o ue.Options) *side {
	p := ue.NewPort(ue.Codec{OUI: ue.DefaultOUI}, o)
	l := lldp.Local{Source: wire.MAC{2, 0, 0, 0, 0, mac}, Chassis: lldp.ChassisID{Subtype: lldp.ChassisLocal,
		ID: []byte{'c', mac}}, Port: lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("eth0")}}
	s := &side{ue: p, Agent: lldp.NewAgent(lldp.Config{Destination: lldp.NearestBridge, Timers: lldp.DefaultTimers()},
		lldp.RxTx, l, p)}
	s.SetPortEnabled(true)
	return s
}

func (s *side) poll() {
	s.renew()
	for s.Deadline() <= s.now {
		out, _ := s.Poll(s.now, nil, nil)
		if out != nil {
			s.frames = append(s.frames, out)
		}
	}
}

// renew replaces the negotiation by another with the same state: nothing may change.
func (s *side) renew() {
	fresh := ue.NewPort(ue.Codec{OUI: ue.DefaultOUI}, ue.Options{})
	if err := snapshottest.Renew(s.ue, fresh); err != nil {
		panic(err)
	}
	*s.ue = *fresh
}

// offer changes the options and has them sent.
func (s *side) offer(o ue.Options) {
	if s.ue.SetOptions(o) {
		s.LocalChange()
	}
}

// link joins two sides; cut loses every frame.
type link struct {
	a, b *side
	cut  bool
}

func newLink(a, b ue.Options) *link { return &link{a: newSide('a', a), b: newSide('b', b)} }

// runFor lets time pass, with the frames of both.
func (l *link) runFor(seconds int) {
	end := l.a.now.Add(time.Duration(seconds) * second)
	for {
		l.a.poll()
		l.b.poll()
		for _, d := range []struct{ from, to *side }{{l.a, l.b}, {l.b, l.a}} {
			for _, f := range d.from.frames {
				if !l.cut {
					d.to.Receive(f, d.to.now, nil)
				}
			}
			d.from.frames = nil
		}
		next := min(l.a.Deadline(), l.b.Deadline())
		if next > end {
			break
		}
		l.a.now, l.b.now = max(l.a.now, next), max(l.b.now, next)
	}
	l.a.now, l.b.now = end, end
}

// short is a result in a few words.
func short(r ue.Result) string {
	words := []string{r.Partner.String()}
	for _, f := range []struct {
		word string
		on   bool
	}{{"local", r.LLR.Local}, {"remote", r.LLR.Remote}, {"drain", r.LLR.Drain}, {"cbfc", r.CBFC.On}, {"cbfc-drain", r.CBFC.Drain}} {
		if f.on {
			words = append(words, f.word)
		}
	}
	return strings.Join(words, " ")
}

func (s *side) want(t *testing.T, want string) {
	t.Helper()
	if got := short(s.ue.Result()); got != want {
		t.Errorf("%s: %q, want %q", s.Local().Chassis, got, want)
	}
}

func TestBothAdvertise(t *testing.T) {
	l := newLink(everything, ue.Options{Advertise: true, LLR: true, CBFC: true,
		Credit: ue.CBFC{VCs: 4, Pool: 3000, Lossless: 0xFFFFFFF6}})
	l.a.want(t, "none")
	l.runFor(1)
	for _, s := range []*side{l.a, l.b} {
		s.want(t, "present local remote cbfc")
		if c := s.ue.Result().CBFC; c != (ue.Credit{On: true, VCs: 4, Pool: 1000, Lossless: 0x06}) {
			t.Errorf("%+v", c)
		}
	}
}

func TestAll32VCs(t *testing.T) {
	o := everything
	o.Credit = ue.CBFC{VCs: 32, Pool: 1, Lossless: 0xFFFFFFFF}
	l := newLink(o, o)
	l.runFor(1)
	if c := l.a.ue.Result().CBFC; c.VCs != 32 || c.Lossless != 0xFFFFFFFF {
		t.Errorf("%+v", c)
	}
}

func TestOneSideOnly(t *testing.T) {
	for name, c := range map[string]struct {
		b            ue.Options
		wantA, wantB string
	}{
		"no UE TLV":   {ue.Options{}, "none", "present"},
		"all off":     {ue.Options{Advertise: true}, "present", "present"},
		"LLR only":    {ue.Options{Advertise: true, LLR: true}, "present local remote", "present local remote"},
		"CBFC only":   {ue.Options{Advertise: true, CBFC: true, Credit: ue.CBFC{VCs: 1, Pool: 1}}, "present cbfc", "present cbfc"},
		"not advised": {ue.Options{LLR: true}, "none", "present"},
	} {
		l := newLink(everything, c.b)
		l.runFor(100)
		t.Log(name)
		l.a.want(t, c.wantA)
		l.b.want(t, c.wantB)
	}
}

// Bit 0 on one side brings both back, with what is outstanding delivered first.
func TestWithdrawnByTheBit(t *testing.T) {
	l := newLink(everything, everything)
	l.runFor(10)
	off := everything
	off.LLR = false
	l.a.offer(off)
	l.a.want(t, "present drain cbfc") // at once
	l.runFor(2)
	l.a.want(t, "present drain cbfc")
	l.b.want(t, "present drain cbfc")
	l.a.offer(everything)
	l.runFor(2)
	l.a.want(t, "present local remote cbfc")
	l.b.want(t, "present local remote cbfc")
}

func TestWithdrawnTLV(t *testing.T) {
	l := newLink(everything, everything)
	l.runFor(10)
	l.a.offer(ue.Options{})
	l.runFor(2)
	l.b.want(t, "withdrawn drain cbfc-drain")
	l.a.want(t, "present drain cbfc-drain")
}

func TestWithdrawnByShutdown(t *testing.T) {
	l := newLink(everything, everything)
	l.runFor(10)
	l.a.SetAdminStatus(lldp.Off)
	l.runFor(1)
	l.b.want(t, "withdrawn drain cbfc-drain")
	l.a.want(t, "aged drain cbfc-drain")
}

// A port that does not send advertises nothing, whatever it is told to offer.
func TestReceiveOnly(t *testing.T) {
	l := newLink(everything, everything)
	l.a.SetAdminStatus(lldp.RxOnly)
	l.runFor(10)
	l.a.want(t, "present")
	l.b.want(t, "none")
}

func TestAgeingTearsNothingDown(t *testing.T) {
	l := newLink(everything, everything)
	l.runFor(10)
	l.cut = true
	l.runFor(300)
	l.a.want(t, "aged local remote cbfc")
	off := everything
	off.LLR = false
	l.a.offer(off) // but the operator still does
	l.a.want(t, "aged drain cbfc")
	l.a.offer(everything) // and what is old switches nothing on
	l.a.want(t, "aged drain cbfc")
	l.cut = false
	l.runFor(60)
	l.a.want(t, "present local remote cbfc")
	l.b.want(t, "present local remote cbfc")
}

func TestLinkFlapTearsNothingDown(t *testing.T) {
	l := newLink(everything, everything)
	l.runFor(10)
	for _, s := range []*side{l.a, l.b} {
		s.SetPortEnabled(false)
		s.poll()
		s.want(t, "present local remote cbfc")
	}
	l.runFor(10)
	for _, s := range []*side{l.a, l.b} {
		s.SetPortEnabled(true)
		s.Poll(s.now, nil, nil)
		s.want(t, "aged local remote cbfc")
	}
	l.runFor(30)
	l.a.want(t, "present local remote cbfc")
}

// The cable goes to a station without UE: when that is certain, off.
func TestPartnerReplacedByAStrangerAfterAFlap(t *testing.T) {
	l := newLink(everything, everything)
	l.runFor(10)
	l.b = newSide('x', ue.Options{})
	l.b.now = l.a.now
	l.a.SetPortEnabled(false)
	l.a.poll()
	l.a.SetPortEnabled(true)
	l.runFor(5)
	l.a.want(t, "aged local remote cbfc")
	l.runFor(60)
	l.a.want(t, "withdrawn drain cbfc-drain")
}

func TestPartnerReplacedByAnotherAfterAFlap(t *testing.T) {
	l := newLink(everything, everything)
	l.runFor(10)
	l.b = newSide('x', ue.Options{Advertise: true, LLR: true})
	l.b.now = l.a.now
	l.a.SetPortEnabled(false)
	l.a.poll()
	l.a.SetPortEnabled(true)
	l.runFor(5)
	l.a.want(t, "present local remote cbfc-drain")
}

// Another LLDP agent on the partner's host does not matter.
func TestSilentBystander(t *testing.T) {
	l := newLink(everything, everything)
	by := newSide('y', ue.Options{})
	by.now = 1
	by.poll()
	l.runFor(0)
	l.a.Receive(by.frames[0], l.a.now, nil)
	l.runFor(60)
	if n := len(l.a.Neighbors(nil)); n != 2 {
		t.Fatalf("%d neighbours", n)
	}
	l.a.want(t, "present local remote cbfc")
}

// Two neighbours send UE TLVs: the partner stays the partner; without a partner nothing goes on.
func TestTwoSpeakers(t *testing.T) {
	other := newSide('y', ue.Options{Advertise: true})
	other.poll()
	l := newLink(everything, everything)
	l.runFor(10)
	l.a.Receive(other.frames[0], l.a.now, nil)
	l.a.want(t, "present local remote cbfc")
	l.runFor(30)
	l.cut = true
	l.runFor(125) // the other ages out, and after it the partner
	l.a.want(t, "aged local remote cbfc")

	third := newSide('z', everything)
	third.poll()
	s := newSide('a', everything)
	s.poll()
	s.Receive(other.frames[0], s.now, nil)
	s.want(t, "present")
	s = newSide('a', everything)
	s.poll()
	l = &link{a: s, b: third}
	s.Receive(third.frames[0], s.now, nil)
	s.Receive(other.frames[0], s.now, nil)
	s.want(t, "present local remote cbfc")
}

func TestAmbiguous(t *testing.T) {
	var frames [][]byte
	for _, name := range []byte{'x', 'y', 'z'} {
		o := newSide(name, everything)
		o.poll()
		frames = append(frames, o.frames[0])
	}
	s := newSide('a', everything)
	s.poll()
	s.Receive(frames[0], s.now, nil)
	s.Receive(frames[1], s.now, nil)
	s.now += 100 * second
	s.poll()
	s.Receive(frames[1], s.now, nil)
	s.Receive(frames[2], s.now, nil)
	s.now += 22 * second // the partner, x, ages out and two are left
	s.poll()
	s.want(t, "ambiguous local remote cbfc")
	s.ue.SetOptions(ue.Options{Advertise: true})
	s.want(t, "ambiguous drain cbfc-drain")
	s.ue.SetOptions(everything)
	s.want(t, "ambiguous drain cbfc-drain")
	s.now += 200 * second
	s.poll()
	s.want(t, "aged drain cbfc-drain")
}

// A faulty or repeated TLV offers nothing.
func TestFaultyTLV(t *testing.T) {
	s := newSide('a', everything)
	s.poll()
	p := lldp.PDU{Chassis: lldp.ChassisID{Subtype: lldp.ChassisLocal, ID: []byte("b")},
		Port: lldp.PortID{Subtype: lldp.PortLocal, ID: []byte("p")}, TTL: 121}
	link := lldp.Org{OUI: ue.DefaultOUI, Subtype: ue.SubtypeLink, Info: []byte{0xC0, 1}}
	hear := func(org ...lldp.Org) {
		p.Org = org
		f, _ := lldp.AppendFrame(nil, lldp.NearestBridge, wire.MAC{2}, &p)
		s.Receive(f, s.now, nil)
	}
	hear(link)
	s.want(t, "present local remote")
	hear(link, lldp.Org{OUI: ue.DefaultOUI, Subtype: ue.SubtypeCBFC, Info: []byte{0, 0, 0, 0, 0, 0, 0, 0, 0}})
	s.want(t, "present local remote")
	if f := s.ue.Result().Advertised.CBFCFault; f != ue.FaultVCs {
		t.Error(f)
	}
	hear(link, link)
	s.want(t, "present drain")
	if n := s.Counters().Rx.TotalUnrecognizedTLVs; n != 0 {
		t.Errorf("%d unrecognized", n)
	}
}
