package rule

import "uelink/wire"

// Limits of the frames that rules hold or have made, for each way.
const (
	maxWaiting = 4096
	maxOctets  = 32 << 20
)

// waiting is a frame that leaves later.
type waiting struct {
	octets []byte
	due    wire.Time // when it leaves; Never: when the rule releases it
	order  uint64    // frames due together leave in the order of their coming
	left   int       // how many frames must still overtake it; 0: the time alone decides
	rule   *state    // rule that holds the frame; nil: none
	added  bool      // an additional frame, beside the frame that arrived
	hippi  bool      // gets the next number of a frame of micropackets when it leaves
}

// store is the waiting frames of one way: a heap, the first to leave on top.
type store struct {
	heap   []waiting
	free   [][]byte // buffers of frames that have left
	octets int      // octets of all buffers
	order  uint64
	aside  int // frames in the heap that wait to be overtaken
}

// put copies a frame into the store, into a buffer of a frame that has left where possible; ok is false if the store is
// full. f has the frame's other fields.
func (s *store) put(octets []byte, f waiting) (ok bool) {
	if len(s.heap) == maxWaiting {
		return false
	}
	var b []byte
	if n := len(s.free); n > 0 {
		b, s.free = s.free[n-1], s.free[:n-1]
	}
	if cap(b) < len(octets) {
		s.octets -= cap(b)
		size := (len(octets) + 2047) &^ 2047
		if s.octets+size > maxOctets {
			return false
		}
		b = make([]byte, 0, size)
		s.octets += size
	}
	f.octets = append(b[:0], octets...)
	s.order++
	f.order = s.order
	if f.left > 0 {
		s.aside++
	}
	s.heap = append(s.heap, f)
	s.up(len(s.heap) - 1)
	return true
}

// take removes the first frame of the heap, which must not be empty, and copies it into b, which must be long enough
// for its n octets. f has its other fields.
func (s *store) take(b []byte) (n int, f waiting) {
	f = s.heap[0]
	n = copy(b, f.octets)
	s.free = append(s.free, f.octets[:0])
	if f.left > 0 {
		s.aside--
	}
	last := len(s.heap) - 1
	s.heap[0] = s.heap[last]
	s.heap[last] = waiting{}
	s.heap = s.heap[:last]
	s.down(0)
	return n, f
}

// earliest returns when the first frame leaves.
func (s *store) earliest() wire.Time {
	if len(s.heap) == 0 {
		return wire.Never
	}
	return s.heap[0].due
}

// overtake counts, for each frame put aside whose order is at most order, one more frame that has passed it. A frame
// passed by enough frames leaves now.
func (s *store) overtake(order uint64, now wire.Time) {
	if s.aside == 0 {
		return
	}
	moved := false
	for i := range s.heap {
		f := &s.heap[i]
		if f.left == 0 || f.order > order {
			continue
		}
		if f.left--; f.left == 0 {
			s.aside--
			f.due, moved = min(f.due, now), true
		}
	}
	if moved {
		s.sort()
	}
}

// release makes all frames held by a rule due now, and returns their number.
func (s *store) release(r *state, now wire.Time) (n int) {
	for i := range s.heap {
		if f := &s.heap[i]; f.rule == r && f.due > now {
			if f.left > 0 {
				f.left = 0
				s.aside--
			}
			f.due = now
			n++
		}
	}
	s.sort()
	return n
}

func (s *store) sort() {
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.down(i)
	}
}

func (s *store) less(i, j int) bool {
	a, b := &s.heap[i], &s.heap[j]
	return a.due < b.due || a.due == b.due && a.order < b.order
}

// up moves entry i up the heap until its parent leaves before it.
func (s *store) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !s.less(i, parent) {
			return
		}
		s.heap[i], s.heap[parent] = s.heap[parent], s.heap[i]
		i = parent
	}
}

// down moves entry i down the heap until both of its children leave after it.
func (s *store) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(s.heap) {
			return
		}
		if child+1 < len(s.heap) && s.less(child+1, child) {
			child++
		}
		if !s.less(child, i) {
			return
		}
		s.heap[i], s.heap[child] = s.heap[child], s.heap[i]
		i = child
	}
}
