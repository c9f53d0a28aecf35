package path

// pushback is why STATION tells the partner to wait with its data.
type pushback struct {
	holding  bool // the sockets are being reopened
	refusing bool // the edge has no room for frames: they are refused before LLR's verdict
}

// refuses reports whether a data frame of an xconnect's link must be refused before LLR's verdict, because the edge has
// no room. The link goes on: control frames are handled, so that the other direction does not starve. The partner is
// told to wait.
// Clauses: UE-LINK/nack.7.
func (b *pushback) refuses(egress *Port, s *source) bool {
	if s.room() == 0 && (egress.Ready() || egress.Suspended) {
		b.refusing = true
	}
	return b.refusing
}

// resume ends the refusal when half of the room of each source is free, and reports whether it has done so. With less,
// a slow edge would cause a replay of all outstanding frames for each frame that it accepts.
func (b *pushback) resume(sources []*source) bool {
	for _, s := range sources {
		if 2*s.waiting > s.spare {
			return false
		}
	}
	b.refusing = false
	return true
}
