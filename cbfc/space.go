package cbfc

// space is how far counts go before they begin again at 0: as masks.
type space struct {
	count uint32 // of a counter
	told  uint32 // of what of it a CF_Update carries
}

// NewPortOf is NewPort with counts of fewer bits, 3 to 20, all of which a CF_Update carries: so few that every
// state of two ends can be visited. A limit is to be less than half of what they count.
func NewPortOf(bits int, s Settings) *Port {
	mask := uint32(1)<<bits - 1
	return newPort(s, space{count: mask, told: mask})
}

// standard is 20 bits, and 15 in a message.
var standard = space{count: 1<<20 - 1, told: 1<<15 - 1}
