package frame

// UnderWay is how many received frames may be with their reader, or on the way back, besides the waiting frames.
const UnderWay = 128

// InPieces returns g changed for frames of up to pieces chunks: with places, memory to join the chunks of a frame.
// There is a place for each frame that may wait, or be kept behind a gap; where no frame may wait (Spare is 0), for
// each frame that the RX chunks hold; and UnderWay more in both cases.
func (g Geometry) InPieces(pieces int) Geometry {
	g.Pieces, g.Places = pieces, 0
	switch {
	case pieces <= 1:
	case g.Spare > 0:
		g.Places = g.Spare + g.Kept + UnderWay
	default:
		g.Places = g.RX/pieces + UnderWay
	}
	return g
}

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
