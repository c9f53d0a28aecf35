package frame

import (
	"testing"

	"uelink/internal/snapshot"
)

// Places are taken once, come back once, and those in use are in use in the next process, too.
func TestPlaces(t *testing.T) {
	g := Geometry{ChunkSize: 2048, RX: 4, TX: 2, Places: 3}
	p := NewPlaces(g)
	taken := map[uint64]bool{}
	for range g.Places {
		addr, ok := p.Take()
		if !ok || taken[addr] || addr < 4*2048 || addr+2048 > g.SlotAddr(0) {
			t.Fatalf("place at %d, %v, after %v", addr, ok, taken)
		}
		taken[addr] = true
	}
	if _, ok := p.Take(); ok {
		t.Error("there is one more place")
	}
	if p.Release(3*2048) || p.Release(g.SlotAddr(0)) {
		t.Error("an RX chunk, or a slot, is a place")
	}
	if !p.Release(5*2048 + 100) {
		t.Error("a place does not come back")
	}
	state := snapshot.Save("places", p)
	next := NewPlaces(g)
	if err := snapshot.Restore("places", state, next); err != nil {
		t.Fatal(err)
	}
	if addr, ok := next.Take(); !ok || addr != 5*2048 {
		t.Errorf("after the handover the free place is at %d, %v", addr, ok)
	}
	if _, ok := next.Take(); ok {
		t.Error("a place in use is free")
	}
	for addr := range taken {
		next.Release(addr)
	}
	if _, ok := next.Take(); !ok {
		t.Error("no place is free")
	}
	g.Places = 1
	if err := snapshot.Restore("places", state, NewPlaces(g)); err == nil {
		t.Error("more places are in use than there are")
	}
}
