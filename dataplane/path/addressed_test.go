package path

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// addressed is defaults with addressed links.
func addressed() pairOptions {
	o := defaults()
	o.ports.Encapsulation = model.Addressed
	return o
}

// mac is the address of an end's link port at the start.
func mac(e *end) wire.MAC { return wire.MAC{2, 0, 0, 0, 0, e.name[0]} }

// seen is what has come to an end by its wire, by the addresses outside.
type seen map[wire.Addresses]int

// watch counts what comes to an end.
func (e *end) watch() seen {
	s := seen{}
	e.between.changes = func(f []byte) int {
		s[wire.Addresses(f)]++
		return len(f)
	}
	return s
}

// badWire loses, damages, doubles and reorders.
var badWire = fault.Config{Loss: 0.05, Corrupt: 0.02, Duplicate: 0.05, Reorder: 0.05}

// Nothing on the wire has other addresses than those of the two link ports, but for what looks for
// the partner, and every frame comes out as it went in.
func TestAddressedLinkCarriesEveryFrame(t *testing.T) {
	inOneGoroutine(t)
	for _, d := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
		for _, fcs := range []bool{true, false} {
			o := addressed()
			o.ports.Dialect, o.ports.FCS = d, fcs
			p := newPair(o, 7)
			a, b := p.a.watch(), p.b.watch()
			if !p.until(p.established, time.Second) {
				t.Fatalf("LLR does not come up\na: %v\nb: %v", p.a, p.b)
			}
			if fcs {
				p.both(func(e *end) { e.linkIn.SetConfig(badWire) })
			}
			p.carry(t, 500)
			for addresses := range b {
				if addresses != wire.AddressesOf(mac(p.b), mac(p.a)) && addresses != wire.AddressesOf(wire.DiscoveryDA, mac(p.a)) {
					t.Errorf("b got a frame with the addresses % x", addresses)
				}
			}
			if n := a[wire.AddressesOf(mac(p.a), mac(p.b))]; n < 500 {
				t.Errorf("a got %d frames of b", n)
			}
			p.both(func(e *end) {
				c, problem := e.l.Port.Counters, e.l.remedy().Text
				if !fcs && c.RxOtherStation > 0 || c.TxNative+c.RxNative+c.TxDropNoPartner > 0 || problem != "" {
					t.Errorf("%s: %+v, %q", e.name, c, problem)
				}
				if state := e.l.Port.State(p.now).LLR; state.Encapsulation != model.Addressed || state.Sends != model.Addressed {
					t.Errorf("%s: %v, sends %v", e.name, state.Encapsulation, state.Sends)
				}
			})
		}
	}
}

// A port whose partner has the other encapsulation takes its frames, and says so.
func TestMixedEnds(t *testing.T) {
	o := addressed()
	o.mixed = true
	p := up(t, o)
	p.both(func(e *end) { e.linkIn.SetConfig(badWire) })
	p.carry(t, 500)
	p.pass(1e9)
	if a, b := p.a.l.Port.State(p.now).LLR, p.b.l.Port.State(p.now).LLR; a.Sends != model.Addressed ||
		b.Sends != model.Transparent {
		t.Errorf("a sends %v and b %v", a.Sends, b.Sends)
	}
	const says = "partner sends frames with the addresses of hosts"
	if got := p.a.l.remedy().Text; !strings.Contains(got, says) || !p.a.reports(model.EventPartner, says) {
		t.Errorf("a: %q, or no event", got)
	}
	const command = "uelink config set ports.link0.encapsulation addressed && uelink reload"
	if !p.a.l.Partner.SendsHosts() || p.b.l.remedy().Command != command {
		t.Errorf("a is to hear hosts: %v; b: %q", p.a.l.Partner.SendsHosts(), p.b.l.remedy().Text)
	}
}

// takesNone takes from a partner's STATION that it takes addressed frames, as if it were an older one.
func takesNone(f []byte) int {
	var list [wire.MaxCtlOS]wire.CtlOS
	if wire.EtherType(f) != wire.EtherTypeControl {
		return len(f)
	}
	n, _, fault := wire.ParseControl(f, &list)
	if fault != wire.NoFault {
		return len(f)
	}
	for i := range list[:n] {
		if list[i].Item == wire.StationServices {
			list[i].Data[0] &^= 1 << 6
		}
	}
	return wire.PutControlTo(f, wire.MAC(f), wire.MAC(f[wire.AddrLen:]), wire.EtherTypeControl, list[:n])
}

// A partner that takes no addressed frames, or an older one, which says nothing of it, gets transparent
// ones, and no native one.
func TestPartnerThatTakesNoAddressedFrames(t *testing.T) {
	for name, changes := range map[string]func([]byte) int{"no flag": takesNone, "no STATION": withoutStation} {
		o := addressed()
		o.mixed = true
		p := newPair(o, 7)
		p.a.between.changes = changes
		if !p.until(p.established, time.Second) {
			t.Fatalf("%s: LLR does not come up\na: %v\nb: %v", name, p.a, p.b)
		}
		p.carry(t, 100)
		const says = "partner accepts no frames with encapsulation: addressed"
		if got := p.a.l.remedy().Text; !strings.Contains(got, says) || !p.a.reports(model.EventPartner, says) {
			t.Errorf("%s: %q, or no event", name, got)
		}
		if c := p.a.l.Port.Counters; c.TxNative > 0 || p.a.l.Port.State(p.now).LLR.Sends != model.Transparent {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// While there is no partner nothing leaves but control frames to the group.
func TestAddressedLinkSendsNoNativeFrames(t *testing.T) {
	o := addressed()
	o.profile.InitAction = llr.BestEffort
	p := newPair(o, 7)
	keeps := p.b.watchKept()
	p.a.watchKept()
	for n := range byte(5) {
		p.a.host.Send(sized(100, n))
		p.pass(50e6)
	}
	if c := p.a.l.Port.Counters; c.TxDropNoPartner != 5 || c.TxNative != 0 {
		t.Errorf("%+v", c)
	}
	for addresses := range keeps {
		if addresses != wire.AddressesOf(wire.DiscoveryDA, mac(p.a)) {
			t.Errorf("a frame with the addresses % x", addresses)
		}
	}
	lone := newLone(t, o)
	lone.give(to(unicast, 0x90, 0x01))
	if c := lone.l.Port.Counters; c.RxNativeDropped != 1 || c.RxNative != 0 {
		t.Errorf("%+v", c)
	}
}

// watchKept counts what is kept on the way to an end, which is all.
func (e *end) watchKept() seen {
	s := seen{}
	e.between.keeps = func(f []byte) bool {
		s[wire.Addresses(f)]++
		return true
	}
	return s
}

// Frames of a host to reserved group addresses cross, numbered as others are; PAUSE does not, nor what
// is for its address.
func TestReservedGroupsCrossAnAddressedLink(t *testing.T) {
	p := up(t, addressed())
	p.pass(10e6)
	ok := p.a.l.LLR.Counters().TxOK
	for last := range byte(16) {
		f := sized(100, last)
		copy(f, []byte{1, 0x80, 0xC2, 0, 0, last})
		f[12], f[13] = 0x88, 0x09
		if crossed := p.crosses(f); crossed != (last != 1) {
			t.Errorf("01-80-C2-00-00-%02X crosses: %v", last, crossed)
		}
	}
	f := sized(100, 1)
	f[12], f[13] = 0x88, 0x08
	if p.crosses(f) {
		t.Error("MAC Control crosses")
	}
	if n := p.a.l.LLR.Counters().TxOK - ok; n != 15 || p.a.l.Port.Counters.TxBare != 0 {
		t.Errorf("%d were numbered, %d were not", n, p.a.l.Port.Counters.TxBare)
	}
}

// LLR may be off: the ends find each other all the same.
func TestAddressedLinkWithoutLLR(t *testing.T) {
	o := addressed()
	o.ports.LLR.Mode = model.LLROff
	p := newPair(o, 7)
	if !p.until(func() bool { return p.a.l.addressing.shim.Addressed && p.b.l.addressing.shim.Addressed }, 3*time.Second) {
		t.Fatalf("they do not find each other: %v, %v", p.a.l.Partner.Present(), p.b.l.Partner.Present())
	}
	p.carry(t, 100)
	if c := p.a.l.Port.Counters; c.TxBare == 0 || c.TxNative > 0 {
		t.Errorf("%+v", c)
	}
	p.b.between.keeps = func([]byte) bool { return true }
	p.pass(4e9)
	if got := p.b.l.remedy().Text; !strings.Contains(got, "partner is silent") {
		t.Errorf("b: %q", got)
	}
}

// The longest frame of the edges crosses, and what is a little too long for the wire is found.
func TestLengthOfAddressedFrames(t *testing.T) {
	inOneGoroutine(t)
	o := addressed()
	p := up(t, o)
	p.pass(4e9)
	longest := o.mtu + 18
	if !p.crosses(sized(longest, 1)) || p.a.l.Lengths.Carries != longest+26 || p.a.l.remedy().Text != "" {
		t.Errorf("%d octets do not cross: %d are carried, %q", longest, p.a.l.Lengths.Carries, p.a.l.remedy().Text)
	}
	for _, short := range []int{1, 12, 13} {
		p := newPair(addressed(), 7)
		p.both(func(e *end) { e.between.keeps = longerThan(longest + 26 - short) })
		p.pass(6e9)
		fits := p.a.l.addressing.shim.CarriedLen(p.a.l.Lengths.Carries)
		if fits > longest-short || fits < longest-short-2 || !p.crosses(sized(fits, 1)) || p.crosses(sized(fits+1, 2)) {
			t.Errorf("%d octets short: %d fit, %q", short, fits, p.a.l.remedy().Text)
		}
	}
}

// An end whose MTU is that of a transparent link says what it takes.
func TestPartnerWithAShorterMTU(t *testing.T) {
	o := addressed()
	o.mixed = true
	p := newPair(o, 7)
	p.both(func(e *end) {
		if !e.l.Port.settings.Addressed() {
			e.x.SetMTU(&e.l.Port, o.mtu+wire.Overhead)
		}
	})
	p.pass(4e9)
	if got := p.a.l.remedy().Text; !strings.Contains(got, "waiting for an MTU larger by 12") {
		t.Errorf("%q", got)
	}
	if !p.crosses(sized(o.mtu+18-12, 1)) || p.crosses(sized(o.mtu+18-11, 2)) {
		t.Error("not what fits crosses")
	}
}

// Room of an edge for a second VLAN tag makes the link's frames no longer that the partner has to take.
func TestRoomForASecondTagIsNotRequiredOfThePartner(t *testing.T) {
	p := newPair(addressed(), 7)
	p.both(func(e *end) { e.x.SetMTU(&e.l.Port, p.o.mtu+100) })
	p.a.x.SetTagRoom(p.a.edge, wire.VLANTagLen)
	p.a.x.SetMTU(p.a.edge, p.o.mtu+wire.VLANTagLen)
	p.pass(4e9)
	if got := p.a.l.remedy().Text; got != "" {
		t.Errorf("%q", got)
	}
	p.a.x.SetTagRoom(p.a.edge, 0)
	p.pass(4e9)
	if got := p.a.l.remedy().Text; !strings.Contains(got, "waiting for an MTU larger by 4") {
		t.Errorf("without the room: %q", got)
	}
}

// Credits are counted by the carried frame: both ends agree without a CC_Update, whatever the form.
func TestCreditsOfAddressedFrames(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		o := credited(16)
		o.ports.Encapsulation, o.mixed = model.Addressed, mixed
		o.ports.CBFC.CCTimer = 1e15
		p := up(t, o)
		p.lossless(t)
		var got [8]uint32
		for n := range uint32(400) {
			p.a.host.Send(tagged(1, n))
			p.round()
			p.received(t, &got)
		}
		p.pass(50e6)
		p.received(t, &got)
		p.atRest(t, 1)
		if got[1] != 400 || p.a.vc(1).Sender.Consumed == 0 || p.b.l.cbfc.Count.CCUpdateRx != 0 {
			t.Errorf("mixed %v: got %v, %+v", mixed, got, p.a.vc(1))
		}
	}
}

// A CC_Update is for the other end itself, in this form, too.
func TestCCUpdateOfAnAddressedLink(t *testing.T) {
	for _, d := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
		o := credited(16)
		o.ports.Encapsulation, o.ports.Dialect = model.Addressed, d
		o.ports.CBFC.CCTimer = 1e6
		p := up(t, o)
		p.lossless(t)
		c := &p.b.l.cbfc.Count
		p.a.between.keeps = func([]byte) bool { return true } // the credits stay in use
		p.a.host.Send(tagged(1, 0))
		p.pass(20e6)
		if c.CCUpdateRx == 0 || c.CCUpdateBad > 0 {
			t.Errorf("%v: %+v", d, c)
		}
	}
}

// A frame that no replay brings across is named by the addresses that it carries.
func TestFlushNamesTheCarriedAddresses(t *testing.T) {
	o := addressed()
	o.profile.MaxReplayCount = 2
	p := up(t, o)
	p.pass(10e6)
	p.b.between.keeps = func(f []byte) bool { return wire.EtherType(f) == wire.EtherTypeData }
	p.a.host.Send(sized(100, 1))
	p.until(func() bool { return p.a.l.LLR.Tx.Flushes() > 0 }, time.Second)
	p.a.l.noteFlush()
	if got := p.a.l.flushText(); !strings.Contains(got, "from 02:00:00:00:00:02 to 02:00:00:00:00:01") {
		t.Errorf("%q", got)
	}
}

// Addressed links of a bridge: frames between them and the edges come out as they went in.
func TestAddressedLinksOfABridge(t *testing.T) {
	f := bytes.Repeat([]byte{7}, 100)
	for _, p := range []wire.Preamble{{FCS: true}, {FCS: true, To: wire.To{Addressed: true}}} {
		area := make([]byte, 2048)
		outer := wire.Addresses{2, 9}
		n := wire.PutAddressed(area, f, &outer, wire.EtherTypeData, wire.DialectSeed, p, false)
		if !p.Addressed {
			n = wire.PutData(area, f, wire.EtherTypeData, wire.DialectSeed, p, false)
		}
		desc := frame.Desc{Len: uint32(n)}
		strip(area, &desc, p, p.CarriedLen(n))
		if got := area[desc.Addr : desc.Addr+uint64(desc.Len)]; !bytes.Equal(got, f) {
			t.Errorf("%+v: % x", p, got)
		}
	}
}
