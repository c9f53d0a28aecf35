package wiretest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"uelink/wire"
)

// Packets arrive by their moments, and those of one moment as they were put.
func TestArrivals(t *testing.T) {
	type packet struct{ at, number int }
	var a Arrivals[packet]
	rng := rand.New(rand.NewPCG(1, 1))
	var want []packet
	for n := range 1000 {
		p := packet{rng.IntN(50), n}
		a.Put(wire.Time(p.at), p)
		want = append(want, p)
	}
	slices.SortStableFunc(want, func(p, q packet) int { return p.at - q.at })
	if _, early := a.Take(-1); early || a.Len() != 1000 || a.Earliest(99) != wire.Time(want[0].at) {
		t.Fatal("a packet has arrived before its time")
	}
	for _, p := range want {
		if got, ok := a.Take(wire.Time(p.at)); !ok || got != p {
			t.Fatalf("%+v (%t) arrived, want %+v", got, ok, p)
		}
	}
	if _, ok := a.Take(1000); ok || a.Len() != 0 || a.Earliest(99) != 99 {
		t.Error("an empty wire has packets")
	}
}

// A packet that is put behind is overtaken by one.
func TestPutBehind(t *testing.T) {
	var a Arrivals[string]
	a.Put(5, "first")
	a.PutBehind(5, "late")
	a.Put(5, "second")
	a.Put(5, "third")
	for _, want := range []string{"first", "second", "late", "third"} {
		if got, _ := a.Take(5); got != want {
			t.Errorf("%s arrived, want %s", got, want)
		}
	}
}
