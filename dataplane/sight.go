package dataplane

// A program counts as blind after the NIC has counted unseenFrames, in unseenLooks checks in a row, without a frame
// seen by the program. A few frames may lie between the two counters, and some drivers count PAUSE frames.
const (
	unseenFrames = 16
	unseenLooks  = 3
)

// sight compares the frames counted by a NIC with the frames seen by the XDP program. Some drivers lose the program
// when the interface goes down and up, or when they restart the NIC: frames arrive and are counted, and the program
// sees none.
type sight struct {
	nic, xdp uint64 // frames counted until the last check
	unseen   uint64 // frames counted by the NIC since the program's last frame
	looks    int    // checks in a row with unseen frames
	known    bool   // at least one check was made
}

// look compares how many frames the NIC has counted with how many the XDP program has seen since the last call.
// unseen is the number of frames that the program does not see: 0 while it sees some, or no frames arrive. sees
// reports that the program has seen frames since the last call.
func (s *sight) look(nic, xdp uint64) (unseen uint64, sees bool) {
	was := *s
	s.nic, s.xdp, s.known = nic, xdp, true
	switch {
	case !was.known || nic < was.nic || xdp < was.xdp: // first check, or the counters restarted
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

// reset starts the comparison of NIC and XDP program from the beginning, after the program was attached again.
func (s *sight) reset() { s.unseen, s.looks = 0, 0 }
