package llr

import "uelink/wire"

// held is one frame in the replay buffer.
type held struct {
	slot     uint32    // where the caller keeps its content
	length   uint32    // octets of the frame that the link carries
	pushed   wire.Time // when it was first sent
	poisoned bool      // its FCS image is poisoned
}

// window is the replay buffer: a ring of frames in the order of their sequence numbers, divided by positions that
// only grow (modulo 2^32).
//
//	   freed        first         tail
//	     | to be freed | outstanding |
//	-----+-------------+-------------+-----> position
//
// A frame enters at tail. An acknowledgement or a flush advances first; the owner of the slots then advances freed.
// Clauses: SAI-LLR/overview.3.
type window struct {
	frames []held // the ring; its length is a power of two
	mask   uint32 // len(frames) - 1
	freed  uint32 // position of the oldest frame whose slot was not returned to the caller
	first  uint32 // position of the oldest outstanding frame
	tail   uint32 // position that the next frame gets
	octets int64  // octets of the outstanding frames
}

// newWindow returns an empty window, the ring of outstanding frames, with room for at least n frames.
func newWindow(n int) window {
	size := 1
	for size < n {
		size *= 2
	}
	return window{frames: make([]held, size), mask: uint32(size - 1)}
}

// room returns how many frames the window has room for.
func (w *window) room() int { return len(w.frames) }

// outstanding returns the number of unacknowledged frames in the window.
func (w *window) outstanding() uint32 { return w.tail - w.first }

// full reports whether push has no room. A full window may still be open by the limits of the profile: acknowledged
// slots were not returned yet.
func (w *window) full() bool { return w.tail-w.freed > w.mask }

// at returns the window's entry (slot, length, time) for the frame at a position between freed and tail.
func (w *window) at(position uint32) *held { return &w.frames[position&w.mask] }

// push appends a frame, in a slot, to the outstanding frames. The window must not be full.
// Clauses: SAI-LLR/tx.4.
func (w *window) push(slot, length uint32, poisoned bool, now wire.Time) {
	if w.full() {
		panic("llr: a frame was pushed that was not admitted")
	}
	*w.at(w.tail) = held{slot: slot, length: length, pushed: now, poisoned: poisoned}
	w.tail++
	w.octets += int64(length)
}

// release removes the n oldest outstanding frames, whose slots pop returns afterwards, and returns the length in
// octets of the longest of these frames.
// Clauses: UE-LINK/ack.10, SAI-LLR/ack.1.
func (w *window) release(n uint32) (longest uint32) {
	for end := w.first + n; w.first != end; w.first++ {
		length := w.at(w.first).length
		w.octets -= int64(length)
		longest = max(longest, length)
	}
	return longest
}

// pop returns the slot of the oldest released frame to its owner; ok is false if there is none.
func (w *window) pop() (slot uint32, ok bool) {
	if w.freed == w.first {
		return 0, false
	}
	slot = w.at(w.freed).slot
	w.freed++
	return slot, true
}

// grow enlarges the window's ring to at least n frames; positions keep their meaning.
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
