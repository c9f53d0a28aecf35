package acd

import (
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
)

// small is a table of one bucket with a conflict, and a claim that is not saved.
func small() *Table {
	t := newTable(1)
	dispute(&t, address, seconds(0))
	t.Received(Packet{IP: another, MAC: mac(3), Kind: Asks}, 2, 9, seconds(1))
	t.Poll(seconds(1))
	return &t
}

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine {
		table := newTable(1)
		for i := range table.slots {
			table.slots[i].key = taken + uint64(i)
			table.begin(&table.slots[i])
		}
		return &table
	}, "slots[]", "slots[0].conflict", "conflicts[15]", "changed")
}

// A table goes on in another process: what was in conflict is, and events are not repeated.
func TestConflictIsRestored(t *testing.T) {
	fresh := New()
	if err := snapshottest.Renew(small(), &fresh); err != nil {
		t.Fatal(err)
	}
	if list := fresh.Conflicts(nil, seconds(2)); len(list) != 1 || list[0].Address() != "10.0.0.1" || !fresh.Changed() {
		t.Errorf("%+v", list)
	}
	if c, _, ok := fresh.Poll(seconds(3)); ok {
		t.Errorf("an event again: %+v", c)
	}
}

func TestGoldenStatesAreRead(t *testing.T) {
	snapshottest.Golden(t, "acd", small(), func() snapshot.Machine { t := newTable(1); return &t })
}

// FuzzRestore restores any text between a valid first and last line. A state that is accepted works on without a
// panic and can be saved.
func FuzzRestore(f *testing.F) {
	f.Add(snapshottest.Body(small()))
	f.Fuzz(func(t *testing.T, body []byte) {
		table := newTable(2)
		if snapshottest.Restore(body, &table) != nil {
			return
		}
		for i := range 5 {
			dispute(&table, address, seconds(float64(i)))
			table.Conflicts(nil, seconds(float64(i)))
			table.Poll(seconds(float64(i)))
			table.Forget(i)
		}
		snapshot.Save("acd", &table)
	})
}

// FuzzReceived plays ARP packets of any octets: no conflict is without two ports, and there are no more than there is
// room for.
func FuzzReceived(f *testing.F) {
	f.Add(append(packet(request, mac(1), address, another), packet(reply, mac(2), address, another)...))
	f.Fuzz(func(t *testing.T, octets []byte) {
		table := newTable(1)
		for n := 0; len(octets) > packetLen; n++ {
			now := seconds(float64(n))
			if p, ok := Parse(octets); ok {
				for i := range 5 {
					table.Received(p, int(octets[0])+i&1, uint16(octets[1]&1), now)
				}
			}
			octets = octets[packetLen:]
			list := table.Conflicts(nil, now)
			for _, c := range list {
				if c.Hosts[0].Port == c.Hosts[1].Port || c.Hosts[0].MAC == c.Hosts[1].MAC {
					t.Fatalf("%+v", c)
				}
			}
			if _, _, ok := table.Poll(now); len(list) > conflictsMax || ok && len(list) == 0 && n == 0 {
				t.Fatalf("%d conflicts", len(list))
			}
		}
	})
}
