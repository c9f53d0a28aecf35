package dataplane

import "fmt"

// surveyPieces tells that frames which came in several chunks have been dropped since the last look.
func (g *group) surveyPieces(a *attachment) {
	was, now := a.pieces, a.host.stats().JoinDrops
	a.pieces = now
	switch {
	case now.RxPiecesTooLong > was.RxPiecesTooLong:
		g.trouble(a, troublePieces, fmt.Sprintf("frames come that are longer than the MTU of %d, and are dropped "+
			"(rx_pieces_too_long): the other end of the wire has a larger MTU: lower it there, or raise that of %s",
			a.host.mtu, a.settings.Interface))
	case now.RxPiecesNoPlace > was.RxPiecesNoPlace:
		g.trouble(a, troublePieces, "frames of several chunks come faster than they are worked, and are dropped "+
			"(rx_pieces_no_place): raise ring_size")
	default:
		a.faults[troublePieces] = ""
	}
}
