package frame

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPoolGivesTheLowestFirstAndThenTheWarmest(t *testing.T) {
	p := NewPool(4)
	for want := range uint32(3) {
		if got, ok := p.Take(); got != want || !ok {
			t.Fatalf("took %d, %v, want %d", got, ok, want)
		}
	}
	p.Give(0)
	p.Give(2)
	for _, want := range []uint32{2, 0, 3} {
		if got, ok := p.Take(); got != want || !ok {
			t.Fatalf("took %d, %v, want %d", got, ok, want)
		}
	}
	if slot, ok := p.Take(); ok || p.Len() != 0 {
		t.Errorf("an empty pool gave %d and has %d", slot, p.Len())
	}
}

func TestPoolOfNone(t *testing.T) {
	if slot, ok := NewPool(0).Take(); ok {
		t.Errorf("took %d", slot)
	}
}

func TestPoolNoticesASlotTooMany(t *testing.T) {
	p := NewPool(2)
	slot, _ := p.Take()
	p.Give(slot)
	defer func() {
		if got := recover(); got != "frame: a slot was given back twice" {
			t.Errorf("panic %v", got)
		}
	}()
	p.Give(slot)
}

func TestPoolNeverGivesASlotThatIsOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, 16).Draw(t, "size")
		p, out := NewPool(size), []uint32{}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				next := uint32(0)
				if p.Len() > 0 {
					next = p.Next()
				}
				slot, ok := p.Take()
				if ok && slot != next {
					t.Fatalf("took %d, and %d was next", slot, next)
				}
				if ok != (len(out) < size) || ok && (slices.Contains(out, slot) || int(slot) >= size) {
					t.Fatalf("took %d, %v, while %v are out", slot, ok, out)
				}
				if ok {
					out = append(out, slot)
				}
			},
			"give": func(t *rapid.T) {
				if len(out) > 0 {
					i := rapid.IntRange(0, len(out)-1).Draw(t, "which")
					p.Give(out[i])
					out = slices.Delete(out, i, i+1)
				}
			},
			"": func(t *rapid.T) {
				if p.Len() != size-len(out) {
					t.Fatalf("%d free, %d of %d out", p.Len(), len(out), size)
				}
			},
		})
	})
}

func TestPoolAllocatesNothing(t *testing.T) {
	p := NewPool(8)
	if n := testing.AllocsPerRun(100, func() {
		slot, _ := p.Take()
		p.Give(slot)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
