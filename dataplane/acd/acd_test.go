package acd

import (
	"encoding/binary"
	"testing"
	"time"

	"uelink/wire"
)

// mac returns the address of a host.
func mac(n byte) wire.MAC { return wire.MAC{2, 0, 0, 0, 0, n} }

// packet returns an ARP packet for IPv4 over Ethernet.
func packet(op uint16, sender wire.MAC, ip, target uint32) []byte {
	b := binary.BigEndian.AppendUint64(nil, fixed<<16|uint64(op))
	b = binary.BigEndian.AppendUint32(append(b, sender[:]...), ip)
	return binary.BigEndian.AppendUint32(append(b, make([]byte, wire.AddrLen)...), target)
}

const address, another = 10<<24 | 1, 10<<24 | 9

// What an ARP packet says of its sender: a probe, a packet of another protocol, and senders that no host can be say
// nothing.
func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		b    []byte
		kind Kind
		ok   bool
	}{
		"a request":                   {packet(request, mac(1), address, another), Asks, true},
		"a reply":                     {packet(reply, mac(1), address, another), Answers, true},
		"an announcement":             {packet(request, mac(1), address, address), Announces, true},
		"an announcement as a reply":  {packet(reply, mac(1), address, address), Announces, true},
		"a padded request":            {append(packet(request, mac(1), address, another), make([]byte, 18)...), Asks, true},
		"a probe":                     {packet(request, mac(1), 0, another), Asks, false},
		"another operation":           {packet(3, mac(1), address, another), Asks, false},
		"a short packet":              {packet(request, mac(1), address, another)[:27], Asks, false},
		"a sender in a group":         {packet(request, wire.MAC{1}, address, another), Asks, false},
		"no sender":                   {packet(request, wire.MAC{}, address, another), Asks, false},
		"the address of a group":      {packet(request, mac(1), 224<<24|1, another), Asks, false},
		"loopback":                    {packet(request, mac(1), 127<<24|1, another), Asks, false},
		"the address of everybody":    {packet(request, mac(1), 1<<32-1, another), Asks, false},
		"another protocol":            {append([]byte{0, 1, 0x86, 0xdd}, packet(request, mac(1), address, 0)[4:]...), 0, false},
		"nothing":                     {nil, 0, false},
		"a network without addresses": {packet(request, mac(1), 7, another), Asks, false},
	} {
		p, ok := Parse(c.b)
		if ok != c.ok || ok && (p.IP != address || p.MAC != mac(1) || p.Kind != c.kind) {
			t.Errorf("%s: %+v, %v", name, p, ok)
		}
	}
}

// claim is a claim of an address at a time in seconds.
type claim struct {
	at   float64
	host byte
	port int
	kind Kind
}

// seconds returns the time s seconds after a start.
func seconds(s float64) wire.Time { return wire.Time(1e12 + s*1e9) }

// conflicts returns the conflicts of a table after some claims.
func conflicts(claims ...claim) (list []Conflict) {
	t := New()
	now := wire.Time(0)
	for _, c := range claims {
		now = seconds(c.at)
		t.Received(Packet{IP: address, MAC: mac(c.host), Kind: c.kind}, c.port, 0, now)
	}
	return t.Conflicts(nil, now)
}

// Two hosts that come back again and again use the same address. Whoever only takes it over does not.
func TestConflicts(t *testing.T) {
	for name, c := range map[string]struct {
		claims   []claim
		conflict bool
	}{
		"two hosts that ask": {[]claim{{0, 1, 0, Asks}, {1, 2, 1, Asks}, {2, 1, 0, Asks}, {3, 2, 1, Asks}}, true},
		"two hosts that seldom ask": {[]claim{{0, 1, 0, Asks}, {50, 2, 1, Asks}, {100, 1, 0, Asks}, {150, 2, 1, Asks}},
			true},
		"two hosts that ask once, and answer": {[]claim{{0, 1, 0, Asks}, {1, 2, 1, Asks}, {2, 1, 0, Answers},
			{2, 2, 1, Answers}}, true},
		"three hosts": {[]claim{{0, 1, 0, Asks}, {1, 2, 1, Asks}, {2, 3, 2, Asks}, {3, 1, 0, Asks}, {4, 2, 1, Asks}}, true},
		"two hosts, and a third MAC at the port of one": {[]claim{{0, 1, 0, Asks}, {1, 2, 1, Asks}, {2, 3, 1, Asks},
			{3, 1, 0, Asks}, {4, 2, 1, Asks}}, true},
		"two masters of VRRP that announce": {[]claim{{0, 1, 0, Announces}, {1, 2, 1, Announces}, {2, 1, 0, Announces},
			{3, 2, 1, Announces}, {4, 1, 0, Announces}, {5, 2, 1, Announces}}, true},
		"one host": {[]claim{{0, 1, 0, Asks}, {1, 1, 0, Asks}, {2, 1, 0, Answers}, {3, 1, 0, Announces}}, false},
		"a host that moves to and fro": {[]claim{{0, 1, 0, Asks}, {1, 1, 1, Asks}, {2, 1, 0, Asks}, {3, 1, 1, Asks}},
			false},
		"a pod made again, with another MAC each time": {[]claim{{0, 1, 0, Asks}, {1, 2, 1, Asks}, {2, 3, 0, Asks},
			{3, 4, 1, Asks}, {4, 5, 0, Asks}, {5, 6, 1, Asks}, {6, 7, 0, Asks}}, false},
		"VRRP that fails over and back": {[]claim{{0, 1, 0, Announces}, {1, 1, 0, Asks}, {9, 2, 1, Announces},
			{10, 2, 1, Asks}, {20, 1, 0, Announces}, {21, 1, 0, Asks}, {22, 1, 0, Answers}}, false},
		"an address moved by hand, and back": {[]claim{{0, 1, 0, Asks}, {9, 2, 1, Asks}, {20, 1, 0, Asks},
			{21, 1, 0, Answers}}, false},
		"a host and a proxy that answers for it": {[]claim{{0, 1, 0, Asks}, {1, 2, 1, Answers}, {2, 1, 0, Answers},
			{3, 2, 1, Answers}, {4, 1, 0, Asks}, {5, 2, 1, Answers}, {6, 1, 0, Asks}, {7, 2, 1, Answers}}, false},
		"a host with two MACs at one port": {[]claim{{0, 1, 0, Asks}, {1, 2, 0, Asks}, {2, 1, 0, Asks}, {3, 2, 0, Asks},
			{4, 1, 0, Asks}, {5, 2, 0, Asks}}, false},
		"changes with long breaks": {[]claim{{0, 1, 0, Asks}, {70, 2, 1, Asks}, {140, 1, 0, Asks}, {210, 2, 1, Asks},
			{280, 1, 0, Asks}}, false},
	} {
		if list := conflicts(c.claims...); (len(list) == 1) != c.conflict {
			t.Errorf("%s: %+v", name, list)
		}
	}
}

// An address in one VLAN is another than in the next.
func TestVLANsAreNetworksOfTheirOwn(t *testing.T) {
	table := New()
	for i := range 10 {
		table.Received(Packet{IP: address, MAC: mac(byte(i & 1)), Kind: Asks}, i&1, uint16(i&1), seconds(float64(i)))
	}
	if list := table.Conflicts(nil, seconds(10)); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	for i := range 4 {
		table.Received(Packet{IP: address, MAC: mac(byte(i & 1)), Kind: Asks}, i&1, 7, seconds(float64(10+i)))
	}
	if list := table.Conflicts(nil, seconds(14)); len(list) != 1 || list[0].Address() != "10.0.0.1 in VLAN 7" {
		t.Errorf("%+v", list)
	}
}

// dispute lets two hosts claim an address in turn.
func dispute(t *Table, ip uint32, now wire.Time) {
	for i := range 4 {
		t.Received(Packet{IP: ip, MAC: mac(byte(1 + i&1)), Kind: Asks}, i&1, 0, now)
	}
}

// A conflict has an event when it begins and one when one host has been the only user for a minute, and the text of the
// port changes with it.
func TestConflictBeginsAndEnds(t *testing.T) {
	table := New()
	dispute(&table, address, seconds(0))
	c, over, ok := table.Poll(seconds(0))
	want := Conflict{IP: address, Hosts: [2]Host{{mac(2), 1}, {mac(1), 0}}}
	if !ok || over || c != want || !table.Changed() {
		t.Fatalf("%+v, over %v, %v", c, over, ok)
	}
	if _, _, ok := table.Poll(seconds(5)); ok || table.Changed() {
		t.Error("the same again")
	}
	for i := range 70 {
		table.Received(Packet{IP: address, MAC: mac(2), Kind: Asks}, 1, 0, seconds(float64(i)))
		if _, _, ok := table.Poll(seconds(float64(i))); ok != (i == 61) {
			t.Fatalf("at %d s an event: %v", i, ok)
		}
	}
	if !table.Changed() || len(table.Conflicts(nil, seconds(70))) != 0 {
		t.Error("it is not over")
	}
	dispute(&table, address, seconds(80))
	if _, over, ok := table.Poll(seconds(80)); over || !ok {
		t.Error("it does not begin again")
	}
	table.Forget(0)
	if c, over, ok := table.Poll(seconds(82)); !ok || !over || c.Hosts[0].Port != 1 {
		t.Errorf("a port has left: %+v, %v, %v", c, over, ok)
	}
}

// Floods of claims make no conflict, cause at most one event a second, and do not end a conflict that is known.
func TestFloods(t *testing.T) {
	table := New()
	dispute(&table, address, seconds(0))
	events := 0
	for i := range 200_000 {
		now := seconds(float64(i) / 10_000)
		table.Received(Packet{IP: uint32(20<<24 + i), MAC: mac(byte(i)), Kind: Kind(i % 3)}, i&1, uint16(i&7), now)
		if i%10 == 0 {
			dispute(&table, uint32(30<<24+i), now) // those who forge claims at two ports do make conflicts
		}
		if _, _, ok := table.Poll(now); ok {
			events++
		}
	}
	list := table.Conflicts(nil, seconds(20))
	if len(list) != conflictsMax || list[0].Address() != "10.0.0.1" {
		t.Errorf("%d conflicts, the first of %+v", len(list), list[0])
	}
	if events < 15 || events > 21 {
		t.Errorf("%d events in 20 s", events)
	}
	quiet := New()
	for i := range 200_000 {
		quiet.Received(Packet{IP: uint32(20<<24 + i%5000), MAC: mac(byte(i % 5000)), Kind: Kind(i % 3)}, i%5000&1, 0,
			seconds(float64(i)/10_000))
	}
	if list := quiet.Conflicts(nil, seconds(20)); len(list) != 0 {
		t.Errorf("hosts with an address each: %+v", list)
	}
}

// A frame's cost: no allocation.
func TestReceivedAllocatesNothing(t *testing.T) {
	table := New()
	b := packet(request, mac(1), address, another)
	now := wire.Time(time.Hour)
	if n := testing.AllocsPerRun(1000, func() {
		now++
		if p, ok := Parse(b); ok {
			p.IP += uint32(now) & 0xFFFF
			table.Received(p, int(now)&1, 0, now)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkReceived(b *testing.B) {
	table := New()
	octets := packet(request, mac(1), address, another)
	for i := range b.N {
		p, _ := Parse(octets)
		p.IP += uint32(i) & 0xFFF
		table.Received(p, i&1, 0, wire.Time(i))
	}
}
