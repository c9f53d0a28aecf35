package bridge

// largeTable is the number of addresses with which the table no longer fits in the CPU's first cache.
const largeTable = 2048

// Large reports whether the bridge knows so many addresses that Warm is worth its cost.
func (b *Bridge) Large() bool { return b.table.count >= largeTable }

// Warm loads the table slot that Decide will read first for a frame into the cache. It returns the slot's content, so
// that the compiler cannot remove the load. The loads of a batch wait for the memory in parallel; those of Decide
// would wait one by one. The arguments are those of Decide.
func (b *Bridge) Warm(in int, addresses, rest []byte) uint64 {
	p := b.port(in)
	if p == nil {
		return 0
	}
	var v Verdict
	b.classify(p, in, rest, &v)
	return b.table.slots[b.table.home(keyOf(destination(addresses), v.VLAN))].key
}
