package bridge

// many is how many addresses no longer stay in a cache that is near.
const many = 2048

// Large tells whether there are so many addresses that Warm is worth its cost.
func (b *Bridge) Large() bool { return b.table.count >= many }

// Warm reads the place in the table that Look will read first for a frame, and returns what is
// there, so that the read has to be done. The reads of a batch wait for the memory side by
// side; those of Look would wait one by one. Its arguments are those of Look.
func (b *Bridge) Warm(in int, addresses, rest []byte) uint64 {
	p := b.port(in)
	if p == nil {
		return 0
	}
	var v Verdict
	b.classify(p, in, rest, &v)
	return b.table.slots[b.table.home(keyOf(destination(addresses), v.VLAN))].key
}
