package lab

import "uelink/dataplane/frame"

// Script decides what becomes of a frame that has come to the end of a wire: it may change its
// octets, not its length, and says whether the frame goes on.
type Script func(f []byte) (goesOn bool)

// scripted is a device whose received frames a script has seen. Without one all go on.
type scripted struct {
	frame.Device
	script Script
}

// Receive hands out what goes on.
func (s *scripted) Receive(into []frame.Desc) int {
	n := s.Device.Receive(into)
	if s.script == nil {
		return n
	}
	area, left := s.Area(), 0
	for i := range n {
		d := into[i]
		if s.script(area[d.Addr : d.Addr+uint64(d.Len)]) {
			into[left] = d
			left++
			continue
		}
		s.Recycle([]frame.Desc{d})
	}
	return left
}
