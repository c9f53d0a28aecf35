package bridge

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"uelink/wire"
)

// wantSound fails the test unless every entry is found, and half of the table is free.
func wantSound(t testing.TB, tb *table) {
	t.Helper()
	n := 0
	for at := range tb.slots {
		if key := tb.slots[at].key; key != 0 {
			n++
			if got, found := tb.find(key); !found || got != at {
				t.Fatalf("the entry in slot %d is searched for in slot %d, %v", at, got, found)
			}
		}
	}
	if n != tb.count || 2*n > len(tb.slots) || len(tb.slots)&(len(tb.slots)-1) != 0 {
		t.Fatalf("%d entries, counted %d, in %d slots", n, tb.count, len(tb.slots))
	}
}

func TestEntryIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(entry{}); size > 16 {
		t.Errorf("%d octets", size)
	}
}

func TestEntryHoldsWhatItIsGiven(t *testing.T) {
	last := [6]byte{0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}
	for _, a := range []Address{{host(1), 0}, {host(65535), 4094}, {last, 4095}, {[6]byte{5: 1}, 1}} {
		for _, now := range []wire.Time{0, 1 << 62 &^ wordMask, -1 << 62} {
			e := newEntry(a.key(), 255, now)
			if e.address() != a || e.port() != 255 || e.static() || e.seen() != now || e.vlan() != a.VLAN {
				t.Errorf("%+v at %d: %+v", a, now, e)
			}
		}
		if e := newEntry(a.key(), 3|staticFlag, 0); e.port() != 3 || !e.static() {
			t.Errorf("%+v static: %+v", a, e)
		}
	}
}

func TestTableSizes(t *testing.T) {
	for n, want := range map[int]int{0: 64, 1: 64, 32: 64, 33: 128, 64: 128, 65: 256, 131072: 262144, 131073: 524288} {
		if got := slotsFor(n); got != want {
			t.Errorf("%d entries: %d slots, want %d", n, got, want)
		}
	}
}

// A Go map and the table hold the same through insertions, deletions and changes of size.
func TestTableAgainstAMap(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 0))
		most := 1 + r.IntN(500)
		tb, want := newTable(most, r.Uint64()), map[uint64]wire.Time{}
		for step := range 5000 {
			key := keyOf(uint64(r.IntN(2*most)), uint16(r.IntN(3)))
			at, found := tb.find(key)
			if _, ok := want[key]; ok != found {
				t.Fatalf("seed %d, step %d: found %v, want %v", seed, step, found, ok)
			}
			switch {
			case found && r.IntN(2) == 0:
				tb.erase(at)
				delete(want, key)
			case found:
				want[key] = tb.slots[at].word
			case tb.count < most:
				tb.put(at, newEntry(key, r.IntN(256), wire.Time(step)*512))
				want[key] = tb.slots[at].word
			}
			if r.IntN(500) == 0 {
				most = max(tb.count, 1+r.IntN(500))
				tb.resize(most)
			}
		}
		wantSound(t, &tb)
		for key, word := range want {
			if at, found := tb.find(key); !found || tb.slots[at].word != word {
				t.Fatalf("seed %d: key %x is gone or changed", seed, key)
			}
		}
	}
}

// probes is how many slots a search for each entry looks at, on average and at most.
func probes(tb *table) (average float64, most int) {
	sum := 0
	for at := range tb.slots {
		if key := tb.slots[at].key; key != 0 {
			n := (at-tb.home(key))&(len(tb.slots)-1) + 1
			sum, most = sum+n, max(most, n)
		}
	}
	return float64(sum) / float64(tb.count), most
}

// The cost of a search does not depend on how many addresses there are, or of what pattern:
// with half of the slots taken it is 1.5 slots on average (Knuth, volume 3, 6.4).
func TestProbesAreFew(t *testing.T) {
	for name, pattern := range map[string]func(r *rand.Rand, i uint64) uint64{
		"random":        func(r *rand.Rand, _ uint64) uint64 { return keyOf(r.Uint64()>>16, uint16(r.IntN(4095))) },
		"counting":      func(_ *rand.Rand, i uint64) uint64 { return keyOf(0x020000_000000+i, 1) },
		"counting high": func(_ *rand.Rand, i uint64) uint64 { return keyOf(i<<24, 0) },
		"all VLANs":     func(_ *rand.Rand, i uint64) uint64 { return keyOf(1+i/4094, uint16(1+i%4094)) },
		"steps of 2^16": func(_ *rand.Rand, i uint64) uint64 { return keyOf(i<<16, 10) },
		"two counters":  func(_ *rand.Rand, i uint64) uint64 { return keyOf(i*0x010000_000001, 5) },
	} {
		for _, n := range []int{10, 100, 1000, 10_000, 65_536, 100_000, 131_072} {
			for seed := range uint64(3) {
				r := rand.New(rand.NewPCG(seed, uint64(n)))
				tb := newTable(n, seed)
				for i := range n {
					key := pattern(r, uint64(i))
					if at, found := tb.find(key); at >= 0 && !found {
						tb.put(at, newEntry(key, 0, 0))
					}
				}
				average, most := probes(&tb)
				if n >= 1000 && average > 1.75 || average > 2.5 || most > maxProbe/2 || tb.count < n {
					t.Errorf("%s, %d of %d, seed %d: %.2f slots, at most %d", name, tb.count, n, seed, average, most)
				}
			}
		}
	}
}

// An address that finds no slot near enough is one that does not fit; a table that is made again
// grows until all fit.
func TestCrowdedTable(t *testing.T) {
	tb := newTable(1024, 1)
	colliding := sameHome(&tb, maxProbe+1)
	for i, key := range colliding {
		at, found := tb.find(key)
		if found || (at < 0) != (i == maxProbe) {
			t.Fatalf("key %d: slot %d, %v", i, at, found)
		}
		if at >= 0 {
			tb.put(at, newEntry(key, 0, 0))
		}
	}
	wantSound(t, &tb)
	tb.erase(tb.home(colliding[0]))
	if at, found := tb.find(colliding[maxProbe]); at < 0 || found {
		t.Fatalf("the gap is not closed: %d, %v", at, found)
	}
	wantSound(t, &tb)
}

// A table that is too small for some pattern, though not for that many, becomes larger.
func TestResizeOfACrowd(t *testing.T) {
	tb := newTable(30_000, 1)
	for i := uint64(1); tb.count <= maxProbe; i++ {
		if key := keyOf(i, 0); tb.hash(key)%512 == 7 {
			at, _ := tb.find(key)
			tb.put(at, newEntry(key, 0, 0))
		}
	}
	tb.resize(tb.count)
	if len(tb.slots) != 1024 || tb.count != maxProbe+1 {
		t.Errorf("%d entries in %d slots", tb.count, len(tb.slots))
	}
	wantSound(t, &tb)
}

// sameHome is n keys with the same home.
func sameHome(tb *table, n int) (list []uint64) {
	for i := uint64(1); len(list) < n; i++ {
		if key := keyOf(i, 0); tb.home(key) == 7 {
			list = append(list, key)
		}
	}
	return list
}
