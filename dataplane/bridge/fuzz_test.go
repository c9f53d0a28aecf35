package bridge

import (
	"testing"
	"time"
)

// FuzzFrames plays frames of any octets to a bridge and to the model, which have to agree. A
// frame is a port, 12 octets of addresses, the length of the rest, and the rest.
func FuzzFrames(f *testing.F) {
	tags := [][]byte{
		nil, {0x81, 0, 0xA0, 0}, {0x81, 0, 0, 3}, {0x81, 0, 0xF0, 2}, {0x81, 0, 0x0F, 0xFF}, {0x88, 0xA8, 0, 3},
	}
	hops := [][3]byte{ // port, source, destination
		{0, 1, 2}, {1, 2, 1}, {0, 2, 1}, {1, 2, 1}, {0, 2, 1}, {1, 2, 1}, {3, 3, 0xFF}, {4, 4, 3}, {2, 0, 0},
	}
	for _, tag := range tags {
		var frames []byte
		for _, hop := range hops {
			frames = append(frames, hop[0], hop[2]&1*0xFE|2, 0, 0, 0, 0, hop[2], 2, 0, 0, 0, 0, hop[1], byte(len(tag)))
			frames = append(append(frames, tag...), 8, 0)
		}
		for n := range 8 {
			f.Add(frames, n&1 != 0, n&2 != 0, n&4 != 0)
		}
	}
	f.Fuzz(func(t *testing.T, frames []byte, filtering, forward, block bool) {
		s := newFuzzed(t, filtering, forward, block)
		for len(frames) >= 16 {
			in, addresses := int(frames[0]%6), frames[1:13]
			n := 2 + int(frames[13]%16)
			frames = frames[14:]
			if len(frames) < n {
				break
			}
			rest := frames[:n:n]
			frames = frames[n:]
			s.now = s.now.Add(time.Duration(n) << 24) // up to 0.3 s
			s.play(in, addresses, rest)
			s.poll()
		}
		s.compare()
	})
}

// newFuzzed is a bridge with some ports of different settings.
func newFuzzed(t *testing.T, filtering, forward, block bool) *simulation {
	c := plain()
	c.VLANFiltering, c.MaxEntries = filtering, 5
	c.Ageing = c.Ageing / 100
	if forward {
		c.Reserved = ReservedForward
	}
	if block {
		c.LoopGuard = LoopGuardBlock
	}
	s := &simulation{lab: newLab(t, c), m: newModel(c)}
	s.m.place = s.place
	for n, p := range []PortSettings{
		{PVID: 1, Learning: true},
		{PVID: 1, Learning: true, Tagged: vids(2, 3), Broadcast: 1},
		{Learning: true, Tagged: vids(1, 2, 3), Unknown: 1},
		{PVID: 3, Learning: true, Isolated: true},
		{PVID: 3, Isolated: true, Multicast: 1},
	} {
		_ = s.SetPort(n, p)
		s.m.setPort(n, p)
	}
	return s
}
