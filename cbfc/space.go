package cbfc

// space is how far counts go before they begin again at 0: as masks.
type space struct {
	count uint32 // of a counter
	told  uint32 // of what of it a CF_Update carries
}

// standard is 20 bits, and 15 in a message.
var standard = space{count: 1<<20 - 1, told: 1<<15 - 1}
