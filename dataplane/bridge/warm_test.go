package bridge

import (
	"math/rand/v2"
	"testing"
)

// Warm reads the slot that Decide will read, and changes nothing.
func TestWarmReadsThePlaceOfTheDestination(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := New(Settings{MaxEntries: 1 << 14, VLANFiltering: true}, 1, 0)
	for n := range 2 {
		if err := b.SetPort(n, PortSettings{PVID: 7, Untagged: []uint16{7}, Learning: true}); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for range 3000 {
		if b.Large() != (b.table.count >= largeTable) {
			t.Fatalf("%d addresses: large %v", b.table.count, b.Large())
		}
		mac := randomMAC(r)
		if err := b.Add(Entry{Address: Address{MAC: mac, VLAN: 7}, Port: 1}); err != nil {
			t.Fatal(err)
		}
		before := b.Counters()
		if b.Warm(0, addressesOf(randomMAC(r), mac), untagged()) == (Address{MAC: mac, VLAN: 7}).key() {
			found++
		}
		if b.Counters() != before {
			t.Fatal("it changed a counter")
		}
	}
	if found < 2700 { // the others stand behind an address that was there before
		t.Errorf("%d of 3000 addresses were read", found)
	}
	if b.Warm(9, addressesOf(randomMAC(r), randomMAC(r)), untagged()) != 0 {
		t.Error("a port that is not there")
	}
	addresses, rest := addressesOf(randomMAC(r), randomMAC(r)), untagged()
	if n := testing.AllocsPerRun(100, func() { b.Warm(0, addresses, rest) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
