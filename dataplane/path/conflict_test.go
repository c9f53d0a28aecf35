package path

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/fault"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// arpOf returns an ARP request of a host for 10.0.0.9, behind a tag of a VLAN unless that is 0.
func arpOf(host byte, ip uint32, vlan uint16) []byte {
	sender := []byte{2, 0, 0, 0, 0, host}
	f := append([]byte{255, 255, 255, 255, 255, 255}, sender...)
	if vlan != 0 {
		f = binary.BigEndian.AppendUint16(append(f, 0x81, 0), vlan)
	}
	f = append(binary.BigEndian.AppendUint16(f, wire.EtherTypeARP), 0, 1, 8, 0, 6, 4, 0, 1)
	f = binary.BigEndian.AppendUint32(append(f, sender...), ip)
	f = append(f, 0, 0, 0, 0, 0, 0, 10, 0, 0, 9)
	return append(f, make([]byte, 18)...)
}

const sharedIP = 10<<24 | 1

// faultOf returns the fault of a port, which has to be the reason ip_conflict alone.
func faultOf(t *testing.T, p *Port, now wire.Time) string {
	t.Helper()
	s := p.State(now)
	if s.Fault != "" && !slices.Equal(s.FaultReasons, []string{ReasonConflict}) {
		t.Errorf("%q: %q", s.FaultReasons, s.Fault)
	}
	return s.Fault
}

// Hosts at both ends of a link with the same IP address are a fault of either edge, in whatever form their ARP frames
// cross, and an event; it is over a minute after one of them has claimed the address last.
func TestSameIPAtBothEnds(t *testing.T) {
	inOneGoroutine(t)
	selective := defaults()
	selective.wire = fault.Config{Loss: 0.2}
	selective.replay = map[string]llr.ReplayKind{"a": llr.Selective, "b": llr.Selective}
	for name, o := range map[string]pairOptions{"LLR": defaults(), "selective replay": selective} {
		p := up(t, o)
		for i := range 6 {
			e := []*end{p.a, p.b}[i&1]
			e.host.Send(arpOf(byte(1+i&1), sharedIP, 0))
			p.pass(200e6)
		}
		for i, want := range []string{
			"the IP address 10.0.0.1 is used by two hosts: 02:00:00:00:00:01 at edge0 and 02:00:00:00:00:02 behind link0: " +
				"change it at one of them",
			"the IP address 10.0.0.1 is used by two hosts: 02:00:00:00:00:02 at edge0 and 02:00:00:00:00:01 behind link0: " +
				"change it at one of them"} {
			e := []*end{p.a, p.b}[i]
			if text := faultOf(t, e.edge, p.now); text != want {
				t.Errorf("%s, %s: %q", name, e.name, text)
			}
			if !e.reports(model.EventConflict, want) {
				t.Errorf("%s, %s: no event", name, e.name)
			}
		}
	}
}

// A link that speaks HIPPI-6400-PH sees the same.
func TestSameIPAtBothEndsOfHIPPI(t *testing.T) {
	inOneGoroutine(t)
	p := newHIPPIPair(hippiDefaults(), 3)
	if !p.until(p.ready, 10*time.Second) {
		t.Fatal(p)
	}
	for i := range 6 {
		p.ends[i&1].host.Send(arpOf(byte(1+i&1), sharedIP, 0))
		p.until(func() bool { return false }, 200*time.Millisecond)
	}
	for _, e := range p.ends {
		if text := faultOf(t, e.edge, p.now); text == "" {
			t.Errorf("%s says nothing", e.name)
		}
	}
}

// A bridge knows the VLAN of each port: the same address in two VLANs is that of two networks, and in one VLAN it is a
// conflict, which the edge with the lower number reports. Ports that leave take their claims with them.
func TestSameIPInABridge(t *testing.T) {
	inOneGoroutine(t)
	o := defaults()
	n := newLAN(rand.New(rand.NewPCG(1, 2)), 1, 3, o, bridge.Settings{VLANFiltering: true, MaxEntries: 64,
		Ageing: time.Minute}) // hosts 0 and 2 are in VLAN 10, host 1 in VLAN 20
	claim := func(hosts ...int) {
		t.Helper()
		for range 4 {
			for _, h := range hosts {
				n.hosts[h].host.Send(arpOf(byte(h), sharedIP, 0))
				n.now += 20e6
				n.domains[0].Step(n.now)
			}
		}
		n.domains[0].report(&model.Hub{}, n.now)
	}
	claim(0, 1)
	for _, h := range n.hosts {
		if text := faultOf(t, h.edge, n.now); text != "" {
			t.Errorf("in two VLANs: %s: %s", h.edge.settings.Name, text)
		}
	}
	claim(2, 0)
	const want = "the IP address 10.0.0.1 in VLAN 10 is used by two hosts: 02:00:00:00:00:00 at edge0 and " +
		"02:00:00:00:00:02 at edge2: change it at one of them"
	if text := faultOf(t, n.hosts[0].edge, n.now); text != want {
		t.Errorf("%q", text)
	}
	if text := faultOf(t, n.hosts[2].edge, n.now); text != "" {
		t.Errorf("the other edge says %q", text)
	}
	if n.domains[0].Remove(n.hosts[0].edge); n.hosts[0].edge.findings.conflicts != "" {
		t.Error("a port takes the conflict into another domain")
	}
	n.domains[0].Add(n.hosts[0].edge)
	claim(2, 0)
	if text := faultOf(t, n.hosts[0].edge, n.now); text != want {
		t.Errorf("again: %q", text)
	}
	n.domains[0].Detach(n.hosts[2].edge, n.now)
	n.domains[0].Bridge.RemovePort(n.hosts[2].edge.Number)
	n.domains[0].Remove(n.hosts[2].edge)
	n.domains[0].report(&model.Hub{}, n.now+2e9)
	if text := faultOf(t, n.hosts[0].edge, n.now); text != "" {
		t.Errorf("its other port has left: %q", text)
	}
}

// Frames behind two tags, cut ones and those of other kinds are no claims.
func TestFramesThatAreNoClaims(t *testing.T) {
	inOneGoroutine(t)
	p := up(t, defaults())
	for i := range 8 {
		f := arpOf(byte(1+i&1), sharedIP, 7)
		twice := slices.Insert(slices.Clone(f), wire.AddressesLen, 0x81, 0, 0, 9)
		other := slices.Clone(f)
		other[wire.HeaderLen+3] = 7
		for _, octets := range [][]byte{twice, other, f[:wire.HeaderLen+4], f[:wire.HeaderLen+20]} {
			[]*end{p.a, p.b}[i&1].host.Send(octets)
			p.pass(10e6)
		}
	}
	for _, e := range []*end{p.a, p.b} {
		if text := faultOf(t, e.edge, p.now); text != "" {
			t.Errorf("%s: %q", e.name, text)
		}
	}
}

// Many conflicts are three sentences and a number. One of the ten addresses is the target, too: to ask for it announces
// it, which counts less.
func TestManyConflictsAreShort(t *testing.T) {
	inOneGoroutine(t)
	p := up(t, defaults())
	for i := range 40 {
		[]*end{p.a, p.b}[i&1].host.Send(arpOf(byte(1+i&1), sharedIP+uint32(i/4), 0))
		p.pass(20e6)
	}
	p.pass(200e6)
	text := faultOf(t, p.a.edge, p.now)
	if !strings.HasSuffix(text, "; 6 more addresses are used by two hosts each") || strings.Count(text, "10.0.0.") != 3 {
		t.Errorf("%q", text)
	}
}

// The host of an edge asks for an address that nobody answers for; requests of hosts behind the host say nothing, as
// their answers may go another way.
func TestUnansweredRequestsOfTheHost(t *testing.T) {
	inOneGoroutine(t)
	p := up(t, defaults())
	p.a.edge.SetHost(wire.MAC{2, 0, 0, 0, 0, 1})
	ask := func(host byte) []string {
		for range 3 {
			p.a.host.Send(arpOf(host, sharedIP, 0))
			p.pass(1e9)
		}
		return p.a.edge.State(p.now).Unanswered
	}
	if list := ask(7); len(list) != 0 {
		t.Errorf("of another host: %q", list)
	}
	if list := ask(1); !slices.Equal(list, []string{"10.0.0.9"}) {
		t.Errorf("%q", list)
	}
	p.b.host.Send(arpOf(2, 10<<24|9, 0))
	p.pass(1e9)
	if list := p.a.edge.State(p.now).Unanswered; len(list) != 0 {
		t.Errorf("it is there: %q", list)
	}
}
