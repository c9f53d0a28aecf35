package path

import (
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/wire"
)

// An end that starts anew is found again, and so is one that comes back under another encapsulation.
func TestAddressedEndRestarts(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		o := addressed()
		o.mixed = mixed
		p := up(t, o)
		p.carry(t, 100)
		p.restart(p.b)
		if !p.until(p.established, 5*time.Second) {
			t.Fatalf("LLR does not come up again\na: %v\nb: %v", p.a, p.b)
		}
		p.pass(2e9)
		p.both(func(e *end) { e.forget() })
		p.a.sent, p.b.sent, p.a.delivered, p.b.delivered = 100, 100, 100, 100
		p.carry(t, 300)
	}
}

// A port that gets another address is known at once under it, and what it holds or is sent is not lost.
func TestAddressOfAPortChanges(t *testing.T) {
	o := addressed()
	o.profile.MaxReplayCount = 200
	p := up(t, o)
	p.carry(t, 100)
	p.both(func(e *end) { e.linkIn.SetConfig(badWire) })
	for n := range byte(6) {
		for range 5 {
			p.a.offer(10_000)
			p.b.offer(10_000)
			p.round()
		}
		both := []*end{p.a, p.b}[n%2:]
		for _, e := range both {
			e.x.SetMAC(&e.l.Port, wire.MAC{2, 1, 1, 1, n, e.name[0]}, p.now)
		}
		p.pass(1500e6)
		p.both(func(e *end) { _ = e.take() })
	}
	p.carry(t, max(p.a.sent, p.b.sent)+50)
	if p.a.l.Partner.MAC() != p.b.l.Port.iface.mac || p.b.l.Partner.MAC() != p.a.l.Port.iface.mac {
		t.Errorf("a knows %v, b %v", p.a.l.Partner.MAC(), p.b.l.Partner.MAC())
	}
	if !p.a.reports(model.EventPartner, "has the address 02:01:01:01:05:62 now") {
		t.Error("no event")
	}
	if p.a.l.Port.Counters.RxOtherStation == 0 {
		t.Error("no frame to the old address came")
	}
}

// A third station on the segment is not listened to while the partner speaks, whatever it says. When
// the partner has gone it is the next one.
func TestPinnedPartnerStays(t *testing.T) {
	o := addressed()
	o.profile.MaxReplayCount = 8
	p := up(t, o)
	p.carry(t, 50)
	other := wire.MAC{2, 9, 9, 9, 9, 9}
	station := wire.Station{Start: 77, Takes: true, Addressed: true, Largest: 64, Local: true, Remote: true}
	speaks := func(da wire.MAC, seq uint32) {
		list := append(station.Items(nil), wire.CtlOS{Type: wire.LLRInit, Seq: seq}, wire.CtlOS{Type: wire.LLRAck, Seq: seq})
		p.a.l.readControl(controlTo(da, other, list...), p.now)
	}
	b := make([]byte, 512)
	outer := wire.AddressesOf(mac(p.a), other)
	shim := wire.Preamble{Seq: p.a.l.LLR.Rx.NextSeq(), Sequenced: true, FCS: true}
	forged := b[:wire.PutAddressed(b, sized(100, 1), &outer, wire.EtherTypeData, o.ports.Dialect, shim, false)]
	for n := range uint32(2000) {
		for _, da := range []wire.MAC{mac(p.a), wire.DiscoveryDA, wire.ControlDA, {2, 8}} {
			speaks(da, n)
		}
		if p.a.l.strangers.sentData(p.a.l, forged, wire.Preamble{To: wire.To{Addressed: true}}) != true {
			t.Fatal("data of another station is taken")
		}
	}
	if got := p.a.l.Port.Counters.RxOtherStation; got != 5*2000 {
		t.Errorf("rx_other_station = %d", got)
	}
	p.carry(t, 200)
	st := p.a.l.Port.State(p.now).LLR
	if st.PartnerMAC != mac(p.b) || st.OtherStation != other || !p.a.reports(model.EventPartner, "02:09:09:09:09:09") {
		t.Errorf("partner %v, other station %v", st.PartnerMAC, st.OtherStation)
	}
	p.a.between.keeps = func([]byte) bool { return true }
	p.pass(3100e6)
	if speaks(wire.DiscoveryDA, 5); p.a.l.Partner.MAC() != other {
		t.Errorf("the partner is %v", p.a.l.Partner.MAC())
	}
	if p.a.l.Partner.ControlDA(p.now) != other {
		t.Errorf("it is answered at %v", p.a.l.Partner.ControlDA(p.now))
	}
}

// A station that knows the partner's start id can say an address of its own in every round. It does not
// drown what else there is to tell, and at the end it is told where the partner is.
func TestForgedAddressesAreToldNowAndThen(t *testing.T) {
	p := up(t, addressed())
	p.pass(3e9)
	for len(p.a.events) > 0 {
		<-p.a.events
	}
	from, reports := p.now, 0
	station := wire.Station{Start: p.a.l.Partner.Start(), Takes: true, Addressed: true}
	for n := uint32(0); p.now < from+2e9; n++ {
		forger := wire.MAC{2, 9, 9, byte(n >> 16), byte(n >> 8), byte(n)}
		p.a.l.readControl(controlTo(mac(p.a), forger, station.Items(nil)...), p.now)
		p.round()
		for len(p.a.events) > 0 {
			if e := <-p.a.events; strings.HasPrefix(e.Text, "the partner has the address") {
				reports++
			}
		}
	}
	if most := reportsAtOnce + 2*10; reports == 0 || reports > most {
		t.Errorf("%d addresses are told in 2 s, at most %d are expected", reports, most)
	}
	p.pass(2e9)
	if p.a.l.Partner.MAC() != mac(p.b) || p.a.l.reports.last.mac != mac(p.b) {
		t.Errorf("the partner is %v, told is %v", p.a.l.Partner.MAC(), p.a.l.reports.last.mac)
	}
}

// A partner whose address is configured is the only one, and is sent to from the start.
func TestConfiguredPartner(t *testing.T) {
	o := addressed()
	o.ports.Partner = wire.MAC{2, 0, 0, 0, 0, 'b'}
	p := newPairOf(o, 7, func(s *model.PortSettings) { s.Partner = wire.MAC{2, 0, 0, 0, 0, 'a'} })
	b := p.b.watch()
	p.a.l.readControl(controlTo(wire.DiscoveryDA, wire.MAC{2, 9}, wire.CtlOS{Type: wire.LLRInit}), p.now)
	if p.a.l.Partner.Present() || p.a.l.Port.Counters.RxOtherStation != 1 {
		t.Errorf("another station is the partner: %+v", p.a.l.Port.Counters)
	}
	if !p.until(p.established, time.Second) {
		t.Fatalf("LLR does not come up\na: %v\nb: %v", p.a, p.b)
	}
	p.carry(t, 100)
	if want := wire.AddressesOf(mac(p.b), mac(p.a)); len(b) != 1 || b[want] == 0 {
		t.Errorf("b got %v", b)
	}
}

// What an end sends itself and a loop brings back is not its partner, and does not keep it from the one that comes,
// which may have the same address.
func TestOwnFramesThatComeBack(t *testing.T) {
	for _, c := range []struct {
		o       pairOptions
		to      wire.MAC
		partner wire.MAC
	}{
		{addressed(), wire.DiscoveryDA, wire.MAC{2, 9}},
		{addressed(), wire.DiscoveryDA, wire.MAC{2, 1}},
		{defaults(), wire.ControlDA, wire.MAC{2, 9}},
		{defaults(), wire.ControlDA, wire.MAC{2, 1}},
	} {
		l, partner := newLone(t, c.o), c.partner
		l.step()
		own, says := wire.MAC{2, 1}, "control frames of this port come back to it"
		l.give(controlTo(c.to, own, l.l.Partner.AppendLastStation(nil)...))
		if c := l.l.Port.Counters; l.l.Partner.Present() || c.RxLooped != 1 || c.RxOtherStation+c.RxControl != 0 {
			t.Errorf("it is its own partner: %v, %+v", l.l.Partner.Present(), c)
		}
		got := l.l.Port.State(l.p.now).LLR.PartnerProblem
		if !strings.Contains(got, says) || !l.reports(model.EventPartner, says) {
			t.Errorf("%q, or no event", got)
		}
		station := wire.Station{Start: 9, Takes: true, Addressed: true, Largest: 600}
		for range 2 {
			l.p.now += 10e6
			l.give(controlTo(c.to, partner, station.Items(nil)...))
		}
		if l.l.Partner.MAC() != partner || !l.l.Partner.SendsStation() {
			t.Errorf("the partner is % x, speaks: %v", l.l.Partner.MAC(), l.l.Partner.SendsStation())
		}
	}
}

// Frames of a partner behind a VLAN tag are not taken, and why is told.
func TestTagBeforeAnAddressedLink(t *testing.T) {
	for _, o := range []pairOptions{addressed(), defaults()} {
		l := newLone(t, o)
		da := wire.ControlDA
		if o.ports.Addressed() {
			da = wire.DiscoveryDA
		}
		f := controlTo(da, wire.MAC{2, 9}, wire.CtlOS{Type: wire.LLRInit})
		l.give(slices.Concat(f[:12], []byte{0x81, 0, 0, 5}, f[12:]))
		got := l.l.Port.State(l.p.now).LLR.PartnerProblem
		if l.l.Partner.Present() || l.l.Port.Counters.RxNativeDropped != 1 || !strings.Contains(got, "come with a VLAN tag") {
			t.Errorf("known: %v, %q, %+v", l.l.Partner.Present(), got, l.l.Port.Counters)
		}
	}
}
