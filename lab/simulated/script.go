package simulated

import "uelink/dataplane/frame"

// Script handles each frame at the end of a wire: it may change the octets, not the length, and returns whether the
// frame goes on.
type Script func(f []byte) (goesOn bool)

// scripted is a device that passes received frames to a script. Without a script all frames go on.
type scripted struct {
	frame.Device
	script Script
}

// Receive receives frames of the device below, and returns those that the script, which may change them, lets go
// on. The others are dropped.
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
