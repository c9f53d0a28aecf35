package bridge

import (
	"testing"
	"time"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/wire"
)

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine {
		b := New(Settings{MaxEntries: 10}, 1, 0)
		_ = b.SetPort(0, PortSettings{})
		_ = b.SetPort(MaxPorts-1, PortSettings{})
		b.table.put(0, newEntry(keyOf(host1, 0), 0, 1<<20))
		b.bouts[0] = bout{key: 1}
		b.bouts[boutsMax-1] = bout{key: 2}
		b.events.count = eventsKept
		return b
	}, "vlans", "table.secret", "learned", "cursor", "events.next")
}

// host1 is the address of a host.
const host1 = 0x02_00_00_00_00_01

// renew replaces the bridge by another with the same state, by chance: nothing may change.
func (s *simulation) renew() {
	if s.renews.IntN(50) > 0 {
		return
	}
	fresh := New(Settings{}, s.seed, 0)
	if err := snapshottest.Renew(s.Bridge, fresh); err != nil {
		s.Fatalf("seed %d: %v", s.seed, err)
	}
	s.Bridge = fresh
}

// savedBridge is a bridge of two ports that has learned an address.
func savedBridge() *Bridge {
	b := New(Settings{MaxEntries: 10, Ageing: time.Minute, VLANFiltering: true}, 1, 0)
	for n := range 2 {
		static := Address{MAC: host(100 + n), VLAN: 7}
		_ = b.SetPort(n, PortSettings{PVID: 7, Learning: true, Broadcast: 100, Static: []Address{static}})
	}
	addresses := addressesOf(host(1), host(2))
	v := b.Decide(0, addresses, []byte{8, 0}, 5000)
	b.Admit(0, addresses, &v, 5000)
	b.bouts[9] = bout{key: keyOf(host1, 7), began: 1, last: 2, home: 0, later: 1, moves: 1}
	b.events.add(Event{Kind: Moved, Address: Address{MAC: host(1), VLAN: 7}, From: 0, To: 1}, 5000)
	return b
}

func TestGoldenStatesAreRead(t *testing.T) {
	snapshottest.Golden(t, "bridge", savedBridge(), func() snapshot.Machine { return New(Settings{}, 9, 0) })
}

// FuzzRestore restores any text between a valid first and last line. A state that is accepted works on without a
// panic and can be saved.
func FuzzRestore(f *testing.F) {
	f.Add(snapshottest.Body(savedBridge()))
	f.Fuzz(func(t *testing.T, body []byte) {
		b := New(Settings{}, 1, 0)
		if snapshottest.Restore(body, b) != nil {
			return
		}
		for i := range 5 {
			now := wire.Time(i) * second
			addresses := addressesOf(host(i), host(i+1))
			v := b.Decide(i%2, addresses, []byte{8, 0}, now)
			b.Admit(i%2, addresses, &v, now)
			b.Members(&v)
			b.Egress(0, 1, &v)
			b.Poll(now)
			b.Events(nil)
			b.Entries(now)
		}
		snapshot.Save("bridge", b)
	})
}
