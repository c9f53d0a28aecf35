package netem

import (
	"time"

	"uelink/wire"
)

// slots is the present slot of a queue.
type slots struct {
	slot   Slot
	random random
	at     wire.Time // when the slot begins: frames may leave from then on
	frames int       // frames that may still leave in the slot, if frames are limited
	octets int       // octets that may still leave in the slot, if octets are limited; the last frame may exceed them
}

// set changes the slots to those of slot. The next slot is drawn when a frame is due.
func (s *slots) set(slot Slot) { s.slot, s.at = slot, ahead }

// next returns the earliest time at which a frame with the time due may leave.
func (s *slots) next(due wire.Time) wire.Time {
	if due == ahead || !s.slot.on() {
		return due
	}
	return max(due, s.at)
}

// leaves reports whether a frame of size octets with the time due leaves now, and subtracts the frame from what may
// still leave in the slot (netem_dequeue). A full slot, and a slot that begins before the frame is due, make way for
// the next. Reordered frames (ahead) leave without a slot.
func (s *slots) leaves(due wire.Time, size int, now wire.Time) bool {
	if due == ahead || !s.slot.on() {
		return due <= now
	}
	if s.at < due {
		s.draw(now)
	}
	if due > now || s.at > now {
		return false
	}
	s.frames--
	s.octets -= size
	if s.slot.Frames > 0 && s.frames <= 0 || s.slot.Octets > 0 && s.octets <= 0 {
		s.draw(now)
	}
	return true
}

// draw begins the next slot (get_slot_next): it draws the time from now until the slot, and resets the frames and
// octets that may leave in it.
func (s *slots) draw(now wire.Time) {
	r, delay := s.random.draw(), s.slot.Least
	if s.slot.Jitter > 0 {
		delay = spread(s.slot.Delay, s.slot.Jitter, s.slot.Table, r)
	} else {
		delay += time.Duration(uint64(r) * (uint64(s.slot.Most-s.slot.Least) >> 8) >> 24)
	}
	s.at, s.frames, s.octets = now.Add(delay), s.slot.Frames, s.slot.Octets
}
