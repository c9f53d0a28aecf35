package frame

// Cut makes the descriptors of the chunks that a frame in a slot lies in, one after the other, and
// returns how many there are: at most Geometry.Pieces. All but the last are Continued.
func Cut(d Desc, chunkSize int, into []Desc) (n int) {
	size := uint32(chunkSize)
	for ; d.Len > size; n++ {
		into[n] = Desc{Addr: d.Addr, Len: size, Options: Continued}
		d.Addr, d.Len = d.Addr+uint64(size), d.Len-size
	}
	into[n] = d
	return n + 1
}
