package cbfc

// space holds, as masks of bits, the ranges of the counts of credits.
type space struct {
	count  uint32 // mask of a whole count
	update uint32 // mask of the low bits of a count that a CF_Update carries
}

// NewPortOf returns a port like NewPort, but with credit counts of only bits bits, 3 to 20, all carried by a
// CF_Update: a test can visit every state of two such ends. A limit must be less than half of the range.
func NewPortOf(bits int, s Settings) *Port {
	mask := uint32(1)<<bits - 1
	return newPort(s, space{count: mask, update: mask})
}

// standard is the space of a link: counts of 20 bits, 15 of them in a CF_Update.
var standard = space{count: 1<<20 - 1, update: 1<<15 - 1}
