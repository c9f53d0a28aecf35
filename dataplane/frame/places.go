package frame

import (
	"slices"

	"uelink/internal/snapshot"
)

// Places is the free and used places of an area. Whoever has taken a place writes a frame of one chunk there. The zero
// Places has no place. All methods are for one goroutine.
type Places struct {
	first uint64 // address of the first place
	end   uint64 // address behind the last place
	size  uint64 // of a place, octets
	free  *Pool
}

// NewPlaces returns the places of an area, all free.
func NewPlaces(g Geometry) *Places {
	return &Places{first: uint64(g.RX) * uint64(g.ChunkSize), end: g.SlotAddr(0), size: uint64(g.SlotSize()),
		free: NewPool(g.Places)}
}

// Take returns the address of a place that is free; ok is false if none is.
func (p *Places) Take() (addr uint64, ok bool) {
	place, ok := p.free.Take()
	return p.first + uint64(place)*p.size, ok
}

// Release frees the place at an address. It returns false if the address is not that of a place.
func (p *Places) Release(addr uint64) bool {
	if addr < p.first || addr >= p.end {
		return false
	}
	p.free.Give(uint32((addr - p.first) / p.size))
	return true
}

// PassState saves to snapshot s, or restores from it, which places are in use.
func (p *Places) PassState(s *snapshot.State) {
	all := uint32(cap(p.free.free))
	var used []uint32
	for place := range all {
		if !slices.Contains(p.free.free, place) {
			used = append(used, place)
		}
	}
	n := len(used)
	snapshot.Number(s, "used", &n)
	if s.Check(n >= 0 && n <= int(all), "the handed-over state uses %d places (buffers for frames of several "+
		"chunks), and this process has only %d", n, all); !s.Valid() {
		return
	}
	if s.Restoring() {
		used = make([]uint32, n)
	}
	snapshot.Numbers(s, "used_places", used)
	if !s.Restoring() {
		return
	}
	for i, place := range used {
		s.Check(place < all && !slices.Contains(used[:i], place), "place %d", place)
	}
	p.free.free = slices.DeleteFunc(p.free.free, func(place uint32) bool { return slices.Contains(used, place) })
}
