package llr

// held is one frame in the replay buffer.
type held struct {
	slot     uint32
	length   uint32 // octets of the carried frame
	pushed   int64  // when it was sent first
	poisoned bool
}

// window is the replay buffer: a ring of frames in the order of their numbers,
// cut by positions that only grow (modulo 2^32).
//
//	   freed        first         tail
//	     | to be freed | outstanding |
//	-----+-------------+-------------+-----> position
//
// A frame enters at tail. An acknowledgement, or a flush, moves first; the
// owner of the slots follows with freed.
type window struct {
	frames []held // length is a power of two
	mask   uint32
	freed  uint32 // oldest frame whose slot was not given back
	first  uint32 // oldest outstanding frame
	tail   uint32 // where the next frame goes
	octets int64  // of the outstanding frames
}

// newWindow has room for at least n frames.
func newWindow(n int) window {
	size := 1
	for size < n {
		size *= 2
	}
	return window{frames: make([]held, size), mask: uint32(size - 1)}
}

// outstanding is the number of frames that were not acknowledged.
func (w *window) outstanding() uint32 { return w.tail - w.first }

// full tells that push has no room, though the window may be open: acknowledged
// slots were not given back yet.
func (w *window) full() bool { return w.tail-w.freed > w.mask }

// at is the frame at a position between freed and tail.
func (w *window) at(position uint32) *held { return &w.frames[position&w.mask] }

// push takes a frame in. The window must not be full.
func (w *window) push(slot, length uint32, poisoned bool, now int64) {
	if w.full() {
		panic("llr: a frame was pushed that was not admitted")
	}
	*w.at(w.tail) = held{slot: slot, length: length, pushed: now, poisoned: poisoned}
	w.tail++
	w.octets += int64(length)
}

// release lets go of the n oldest outstanding frames: pop gives them back. It returns the length of the longest.
func (w *window) release(n uint32) (longest uint32) {
	for end := w.first + n; w.first != end; w.first++ {
		length := w.at(w.first).length
		w.octets -= int64(length)
		longest = max(longest, length)
	}
	return longest
}

// pop gives back the oldest slot that was released.
func (w *window) pop() (slot uint32, ok bool) {
	if w.freed == w.first {
		return 0, false
	}
	slot = w.at(w.freed).slot
	w.freed++
	return slot, true
}

// grow makes room for at least n frames; positions keep their meaning.
func (w *window) grow(n int) {
	if n <= len(w.frames) {
		return
	}
	larger := newWindow(n)
	for p := w.freed; p != w.tail; p++ {
		*larger.at(p) = *w.at(p)
	}
	w.frames, w.mask = larger.frames, larger.mask
}
