package dataplane

// unseenFrames is how many frames a NIC has counted, and unseenLooks how many looks in a row, in
// which the XDP program saw none, before it is believed that it sees none. A few frames may be
// on their way from one count to the other, and some drivers count PAUSE frames.
const (
	unseenFrames = 16
	unseenLooks  = 3
)

// sight compares what a NIC counts with what the XDP program sees. Some drivers forget the
// program when the interface goes down and up, or when they start the NIC anew: frames come in
// and are counted, and the program sees none of them.
type sight struct {
	nic, xdp uint64 // frames, as of the last look
	unseen   uint64 // that the NIC has counted since the program saw one
	looks    int    // with such frames
	known    bool   // there was a look
}

// look takes the counts as they are now. It tells how many frames the program has not seen: 0
// while it sees some, or none come. sees says that it has seen some since the last look.
func (s *sight) look(nic, xdp uint64) (unseen uint64, sees bool) {
	was := *s
	s.nic, s.xdp, s.known = nic, xdp, true
	switch {
	case !was.known || nic < was.nic || xdp < was.xdp: // the counts began again
		s.unseen, s.looks = 0, 0
	case xdp > was.xdp:
		s.unseen, s.looks = 0, 0
		return 0, true
	case nic > was.nic:
		s.unseen += nic - was.nic
		s.looks++
	}
	if s.unseen < unseenFrames || s.looks < unseenLooks {
		return 0, false
	}
	return s.unseen, false
}

// again has the looks begin again, after something was done about what was not seen.
func (s *sight) again() { s.unseen, s.looks = 0, 0 }
