package frame

// Pool is the free TX slots of one device, last in first out, so that the slots in use stay few and warm in the
// cache.
type Pool struct {
	free []uint32
}

// NewPool returns a pool of the free slots 0 to n-1, from which Take removes the lowest first.
func NewPool(n int) *Pool {
	p := &Pool{free: make([]uint32, n)}
	for i := range p.free {
		p.free[i] = uint32(n - 1 - i)
	}
	return p
}

// Len returns the number of free slots.
func (p *Pool) Len() int { return len(p.free) }

// Next returns the slot that Take would remove. At least one slot must be free.
func (p *Pool) Next() uint32 { return p.free[len(p.free)-1] }

// Take removes and returns the slot that was given back last; ok is false if no slot is free.
func (p *Pool) Take() (slot uint32, ok bool) {
	if len(p.free) == 0 {
		return 0, false
	}
	slot = p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return slot, true
}

// Give puts a slot back. Giving back more slots than the pool was made with panics.
func (p *Pool) Give(slot uint32) {
	if len(p.free) == cap(p.free) {
		panic("frame: a slot was given back twice")
	}
	p.free = append(p.free, slot)
}
