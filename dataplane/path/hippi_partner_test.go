package path

import (
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/dataplane/partner"
	"uelink/hippi"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// behindSwitch puts a switch before each end's link: it keeps frames to addresses of other stations.
func (p *hippiPair) behindSwitch(e *hippiEnd) {
	e.linkIn = fault.New(&between{Device: e.link, keeps: func(f []byte) bool {
		return f[0]&1 == 0 && wire.MAC(f) != e.h.Port.iface.mac
	}}, fault.Config{}, func() wire.Time { return p.now })
	e.h.Port.Replace([]frame.Device{e.linkIn})
}

// A partner that is replaced by one with another address comes up, and gets its frames at the new address: once the
// old one is silent, the new one is no stranger.
func TestHIPPIPartnerIsReplaced(t *testing.T) {
	inOneGoroutine(t)
	p := readyPair(t, hippiDefaults())
	a, b := p.ends[0], p.ends[1]
	p.behindSwitch(a)
	p.behindSwitch(b)
	if err := p.run(200, time.Minute, func() {}); err != nil {
		t.Fatal(err)
	}
	b.x.Remove(&b.h.Port)
	b.x.Remove(b.edge)
	b.h.Port.letGo()
	b.connect(NewHIPPI(p.o.settings, Identity{Nonce: [2]byte{99, 99}}, p.now))
	replaced := wire.MAC{2, 0, 0, 0, 0, 'c'}
	b.x.Attach(&b.h.Port, []frame.Device{b.linkIn}, replaced, p.o.mtu+p.o.settings.Overhead())
	b.x.SetUp(&b.h.Port, true, p.now)
	begun := p.now
	if up := func() bool { return p.ready() && a.h.partner == replaced }; !p.until(up, 2*time.Second) {
		t.Fatalf("a knows %v, b has %v: %v", a.h.partner, replaced, p)
	}
	t.Logf("Normal %v after the replacement", p.now.Sub(begun))
	for _, err := range []error{p.runOne(a, b, 400), p.runOne(b, a, 400)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if a.h.Port.Counters.RxOtherStation == 0 || a.missing+b.missing > 0 {
		t.Errorf("%d frames of a stranger, %d and %d frames are missing", a.h.Port.Counters.RxOtherStation, a.missing,
			b.missing)
	}
}

// Two ends whose addresses change at the same time find each other: an end that hears nothing sends to the group again.
func TestHIPPIBothAddressesChange(t *testing.T) {
	p := readyPair(t, hippiDefaults())
	a, b := p.ends[0], p.ends[1]
	for _, e := range p.ends {
		p.behindSwitch(e)
		e.x.SetMAC(&e.h.Port, wire.MAC{2, 1, 1, 1, 1, e.name[0]}, p.now)
	}
	up := func() bool {
		return p.ready() && a.h.partner == b.h.Port.iface.mac && b.h.partner == a.h.Port.iface.mac
	}
	if !p.until(up, 2*time.Second) {
		t.Fatal(p)
	}
	if err := p.runOne(a, b, 100); err != nil {
		t.Fatal(err)
	}
}

// Two frames with the partner's address and epoch, and numbers far ahead, make the partner's frames look late, until
// the partner counts as silent. So it is each time.
func TestHIPPITwoForgedNumbersDoNotMakeDeaf(t *testing.T) {
	inOneGoroutine(t)
	p := readyPair(t, hippiDefaults())
	a, b := p.ends[0], p.ends[1]
	for n := uint64(1); n <= 3; n++ {
		head, f := b.h.End.FrameHead(1, true), make([]byte, 200)
		outer := wire.AddressesOf(a.h.Port.iface.mac, b.h.Port.iface.mac)
		head.Number += 1 << 29
		for range 2 {
			head.Number++
			listen(a.h, f[:micropacket.PutFrame(f, &outer, wire.EtherTypeData, head)], p.now)
		}
		resets := a.h.End.Counters.LinkResets
		hears := func() bool { return p.ready() && a.h.End.Counters.LinkResets > resets }
		if !p.until(hears, 2*hippi.Software().Silence) {
			t.Fatalf("a is deaf: %v", p)
		}
		a.sent, b.delivered = [2]uint64{n * 1000}, [2]uint64{n * 1000}
		if err := p.runOne(a, b, n*1000+100); err != nil {
			t.Fatal(err)
		}
	}
}

// Two ends of one machine that gets no CPU for a second, with Messages on their way: whichever runs first, its own
// activity monitor, which waits for half a second, resets nothing, and no Message is lost.
func TestHIPPIMachineWithoutCPULosesNothing(t *testing.T) {
	inOneGoroutine(t)
	for first := range 2 {
		p := readyPair(t, hippiDefaults())
		if err := p.run(200, time.Minute, func() {}); err != nil {
			t.Fatal(err)
		}
		for n := range uint64(20) {
			for range 3 {
				p.offer(p.ends[0], 240+n*40)
				p.offer(p.ends[1], 240+n*40)
				p.round()
			}
			p.now = p.now.Add(time.Second)
			for range 40 {
				p.ends[first].x.Step(p.now)
				p.now += 10e3
				for _, e := range p.ends {
					if err := p.take(e); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if err := p.run(1000, time.Minute, func() {}); err != nil {
			t.Fatal(err)
		}
		for _, e := range p.ends {
			if c := e.h.End.Counters; c.LinkResets != 1 || c.TxLostAtReset+c.RxLostAtReset > 0 || e.missing > 0 {
				t.Errorf("%s, where %s runs first: %d frames are missing, %+v", e.name, p.ends[first].name, e.missing, c)
			}
		}
	}
}

// Two ends with other EtherTypes both say so, and one of them acts: the one with the lower address. An end that hears
// only a station that its key partner does not name says who that is, and that station learns that it is not heard.
func TestHIPPIEndsThatDoNotMatch(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(s *model.PortSettings)
		problems [2]partner.Problem
		commands int
	}{
		"EtherType": {func(s *model.PortSettings) { s.EtherTypeData = 0x9101 },
			[2]partner.Problem{partner.DataEtherType, partner.DataEtherType}, 1},
		"partner": {func(s *model.PortSettings) { s.Partner = wire.MAC{2, 9} },
			[2]partner.Problem{partner.Silent, partner.Unheard}, 0},
	} {
		p := newHIPPIPair(hippiDefaults(), 1)
		a, b := p.ends[0], p.ends[1]
		s := p.o.settings
		c.change(&s)
		a.h.Port.Set(s, p.now)
		reported := func() bool {
			return a.h.problem(p.now).kind == c.problems[0] && b.h.problem(p.now).kind == c.problems[1]
		}
		if !p.until(reported, 10*time.Second) {
			t.Errorf("%s: %v, %v", name, a.h.problem(p.now), b.h.problem(p.now))
			continue
		}
		commands := 0
		for _, e := range p.ends {
			if e.h.remedy(e.h.problem(p.now)).Command != "" {
				commands++
			}
		}
		if commands != c.commands {
			t.Errorf("%s: %d ends have a command: %v, %v", name, commands, a.h.remedy(a.h.problem(p.now)),
				b.h.remedy(b.h.problem(p.now)))
		}
	}
}
