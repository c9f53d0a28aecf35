package frame

// Cut writes the descriptors of the chunks of a frame in a slot to into, in order, and returns their number: at
// most Geometry.Pieces. All but the last are Continued.
func Cut(d Desc, chunkSize int, into []Desc) (n int) {
	size := uint32(chunkSize)
	for ; d.Len > size; n++ {
		into[n] = Desc{Addr: d.Addr, Len: size, Options: Continued}
		d.Addr, d.Len = d.Addr+uint64(size), d.Len-size
	}
	into[n] = d
	return n + 1
}
