package bridge

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestAddAndDelete(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{}, PortSettings{})
	a := Address{MAC: host(1)}
	l.send(1, host(1), everybody)
	if err := l.Add(Entry{Address: a, Port: 0}); err != nil { // takes the place of what was learned
		t.Fatal(err)
	}
	l.want("to it", l.send(2, host(2), host(1)), "0")
	l.now = 10 * second
	want := Entry{Address: a, Port: 0, Static: true}
	if list := l.Entries(l.now); !slices.Contains(list, want) || len(list) != 2 {
		t.Errorf("%+v", list)
	}
	if err := l.Add(Entry{Address: a, Port: 0}); err != nil {
		t.Errorf("added again: %v", err)
	}
	if err := l.Delete(a, 0); err != nil {
		t.Fatal(err)
	}
	l.want("to it", l.send(2, host(2), host(1)), "0 1")
	if err := l.Delete(Address{MAC: host(2)}, 2); err != nil { // a learned one
		t.Error(err)
	}
	if n := len(l.Entries(l.now)); n != 0 {
		t.Errorf("%d addresses are left", n)
	}
}

func TestErrorsOfRequests(t *testing.T) {
	l := newLab(t, filtering(), PortSettings{Static: []Address{{host(1), 5}}}, PortSettings{})
	without := newLab(t, plain(), PortSettings{})
	static := func(mac string, vlan uint16, port int) Entry {
		return Entry{Address: Address{address(t, mac), vlan}, Port: port}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{l.Add(static("00:00:00:00:00:00", 1, 0)), "mac: 00:00:00:00:00:00 is nobody's address"},
		{l.Add(static("01:00:5e:00:00:01", 1, 0)), "mac: 01:00:5e:00:00:01 is a group address: it is behind no port"},
		{l.Add(static("ff:ff:ff:ff:ff:ff", 1, 0)), "mac: ff:ff:ff:ff:ff:ff is a group address: it is behind no port"},
		{l.Add(static("01:80:c2:00:00:0e", 1, 0)),
			"mac: 01:80:c2:00:00:0e is a reserved group address: it is behind no port"},
		{l.Add(static("02:00:00:00:00:09", 0, 0)), "vlan: 0 is out of range: 1 to 4094"},
		{l.Add(static("02:00:00:00:00:09", 4095, 0)), "vlan: 4095 is out of range: 1 to 4094"},
		{l.Add(static("02:00:00:00:00:09", 0x8001, 0)), "vlan: 32769 is out of range: 1 to 4094"},
		{without.Add(static("02:00:00:00:00:09", 7, 0)), "vlan: there is no VLAN 7: the bridge does not filter VLANs"},
		{l.Add(static("02:00:00:00:00:09", 1, 2)), "no such port in the bridge"},
		{l.Add(static("02:00:00:00:00:09", 1, -1)), "no such port in the bridge"},
		{l.Add(static("02:00:00:00:00:01", 5, 1)), "02:00:00:00:00:01: static at another port: delete it there first"},
		{l.Delete(Address{host(1), 5}, 1), "02:00:00:00:00:01: no such address at the port"},
		{l.Delete(Address{host(1), 6}, 0), "02:00:00:00:00:01: no such address at the port"},
		{l.Delete(Address{host(2), 5}, 0), "02:00:00:00:00:02: no such address at the port"},
		{l.Delete(Address{host(1), 5}, 256), "no such port in the bridge"},
		{l.Delete(Address{host(1), 0x8005}, 0), "vlan: 32773 is out of range: 1 to 4094"},
		{flushError(l, 2, -1), "no such port in the bridge"},
		{flushError(l, -2, -1), "no such port in the bridge"},
		{flushError(l, -1, 0), "vlan: 0 is out of range: 1 to 4094"},
		{flushError(l, -1, 65537), "vlan: 65537 is out of range: 1 to 4094"},
		{flushError(l, -1, -2), "vlan: -2 is out of range: 1 to 4094"},
		{flushError(without, -1, 1), "vlan: there is no VLAN 1: the bridge does not filter VLANs"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
	var entry *EntryError
	if err := l.Add(static("02:00:00:00:00:09", 0, 0)); !errors.As(err, &entry) || entry.Field != "vlan" {
		t.Errorf("%v", err)
	}
	if err := l.Add(static("02:00:00:00:00:01", 5, 1)); !errors.Is(err, ErrEntryExists) {
		t.Errorf("%v", err)
	}
	if err := l.Delete(Address{host(1), 5}, 1); !errors.Is(err, ErrNoEntry) {
		t.Errorf("%v", err)
	}
	if n := len(l.Entries(0)); n != 1 {
		t.Errorf("%d addresses", n)
	}
}

func flushError(l *lab, port, vlan int) error {
	_, err := l.Flush(port, vlan)
	return err
}

func TestFlush(t *testing.T) {
	for _, c := range []struct{ port, vlan, gone, left int }{
		{-1, -1, 4, 1}, {0, -1, 2, 3}, {1, -1, 2, 3}, {-1, 1, 2, 3}, {-1, 2, 2, 3}, {0, 2, 1, 4}, {1, 7, 0, 5},
	} {
		both := PortSettings{PVID: 1, Tagged: vids(2)}
		l := newLab(t, filtering(), both, both)
		if err := l.Add(Entry{Address: Address{host(100), 2}, Port: 0}); err != nil {
			t.Fatal(err)
		}
		for n := range 4 {
			l.sendRest(n%2, host(n+1), everybody, []string{"0800", "8100 0002 0800"}[n/2])
		}
		if gone, err := l.Flush(c.port, c.vlan); err != nil || gone != c.gone || len(l.Entries(0)) != c.left {
			t.Errorf("%+v: %d gone, %d left, %v", c, gone, len(l.Entries(0)), err)
		}
		if got := l.Counters(); got.FDBStatic != 1 || got.FDBEntries != c.left {
			t.Errorf("%+v", got)
		}
	}
}

func TestEntries(t *testing.T) {
	l := newLab(t, filtering(), PortSettings{PVID: 3}, PortSettings{PVID: 3, Static: []Address{{host(9), 3}}})
	l.now = second
	l.send(0, host(1), everybody)
	l.now = 4 * second
	l.send(1, host(2), everybody)
	l.now = 5 * second
	want := []Entry{
		{Address: Address{host(1), 3}, Port: 0, Age: 4 * time.Second},
		{Address: Address{host(2), 3}, Port: 1, Age: time.Second},
		{Address: Address{host(9), 3}, Port: 1, Static: true},
	}
	list := l.Entries(l.now)
	slices.SortFunc(list, func(a, b Entry) int { return int(a.MAC[5]) - int(b.MAC[5]) })
	if len(list) != len(want) {
		t.Fatalf("%+v", list)
	}
	for i, e := range list {
		if over := e.Age - want[i].Age; over < 0 || over >= 512 {
			t.Errorf("%+v, want %+v", e, want[i])
		}
		if e.Age = want[i].Age; e != want[i] {
			t.Errorf("%+v, want %+v", e, want[i])
		}
	}
	l.now = 301 * second
	if list := l.Entries(l.now); len(list) != 2 {
		t.Errorf("with one that has aged: %+v", list)
	}
}

// Parts of the table are together the table, and none is large.
func TestEntriesInParts(t *testing.T) {
	s := plain()
	s.MaxEntries = 5000
	l := newLab(t, s, PortSettings{}, PortSettings{})
	for n := range 5000 {
		l.send(0, host(n+1), everybody)
	}
	seen := map[Address]int{}
	for from, parts := 0, 0; ; parts++ {
		part, next := l.EntriesPart(nil, from, 0)
		if len(part) > sweepSlots || parts > len(l.table.slots)/sweepSlots {
			t.Fatalf("part %d has %d addresses", parts, len(part))
		}
		for _, e := range part {
			seen[e.Address]++
			if e.MAC[5]%3 == 0 { // what goes meanwhile hides nothing
				if err := l.Delete(e.Address, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		if from = next; from == 0 {
			break
		}
	}
	for n := range 5000 {
		if seen[Address{MAC: host(n + 1)}] == 0 {
			t.Errorf("%d is missing", n+1)
		}
	}
	if list, next := l.EntriesPart(nil, math.MaxInt, 0); next >= len(l.table.slots) || len(list) > sweepSlots {
		t.Errorf("from beyond the table: %d, next %d", len(list), next)
	}
}

// Static addresses have their own room, and the table grows for them.
func TestManyStaticAddresses(t *testing.T) {
	s := plain()
	s.MaxEntries = 20
	l := newLab(t, s, PortSettings{}, PortSettings{})
	for n := range 20 {
		l.send(1, host(n+1), everybody)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var list []Address
	for range MaxStatic {
		list = append(list, Address{MAC: randomMAC(r)})
	}
	if err := l.SetPort(0, PortSettings{Static: list}); err != nil {
		t.Fatal(err)
	}
	wantSound(t, &l.table)
	extra := Address{MAC: host(1000)}
	err, text := l.Add(Entry{Address: extra}), extra.String()+": no room for another static address: there are 65536"
	if !errors.Is(err, ErrTableFull) || err.Error() != text {
		t.Errorf("%v", err)
	}
	l.want("to a learned one", l.send(0, host(1000), host(20)), "1")
	if err := l.Delete(list[5], 0); err != nil {
		t.Error(err)
	}
	if err := l.Add(Entry{Address: extra}); err != nil {
		t.Error(err)
	}
	if c := l.Counters(); c.FDBStatic != MaxStatic || c.FDBEntries != MaxStatic+20 {
		t.Errorf("%+v", c)
	}
}

// A static address whose slots are all taken makes the table grow.
func TestStaticAddressFindsAPlaceInACrowdedTable(t *testing.T) {
	s := plain()
	s.MaxEntries = 1000 // of 1024 that the table has room for
	l := newLab(t, s, PortSettings{}, PortSettings{})
	colliding := sameHome(&l.table, maxProbe+2)
	for _, key := range colliding[:maxProbe+1] {
		e := newEntry(key, 0, 0)
		l.send(0, e.address().MAC, everybody)
	}
	if c := l.Counters(); c.FDBFull != 1 || c.FDBEntries != maxProbe {
		t.Errorf("%+v", c)
	}
	e := newEntry(colliding[maxProbe+1], 0, 0)
	if err := l.Add(Entry{Address: e.address(), Port: 1}); err != nil {
		t.Fatal(err)
	}
	l.wantAt(e.address().MAC, 0, 1)
	wantSound(t, &l.table)
}
