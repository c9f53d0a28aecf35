package simulated

import (
	"encoding/binary"
	"time"

	"uelink/wire"
)

// Stream is numbered UDP datagrams from the host of one end to the host of the other, with counts of delivery.
// Streams that run at the same time have different IDs.
type Stream struct {
	ID       uint8
	From, To *End
	Frames   uint64
	Size     int     // octets of a frame with FCS, as testers count; at least MinSize, 2 more with a tag, 18 for IPv6
	Interval float64 // nanoseconds from one frame to the next; 0: as fast as the interface accepts
	Window   uint64  // limit of the frames sent and not delivered yet; 0: no limit
	Reserved bool    // the frames have a reserved group address, so that LLR does not number them
	Tagged   bool    // the frames have a VLAN tag
	PCP      uint8   // priority of the tag, 0 to 7
	DEI      bool    // drop eligible bit of the tag
	V6       bool    // IPv6, not IPv4
	DSCP     uint8   // 0 to 63
	Class    uint8   // traffic class expected for the frames: PFC of this priority stops the stream

	Sent       uint64
	Delivered  uint64        // different frames that arrived unchanged
	Duplicated uint64        // frames that arrived again
	Reordered  uint64        // frames that arrived after a frame sent later
	Damaged    uint64        // frames that arrived with other octets
	Latency    time.Duration // mean latency of the delivered frames

	begun      wire.Time   // when the first frame was due
	first      wire.Time   // when the first frame arrived
	last       wire.Time   // when the last frame arrived
	highest    uint64      // highest number that has arrived
	seen       []bool      // by number: the frame has arrived
	sentAt     []wire.Time // by number: when the frame was due
	latencySum time.Duration
	octets     []byte // the frame that method frame returned last
}

// Lost returns how many frames of the stream were sent and have not been delivered so far.
func (s *Stream) Lost() uint64 { return s.Sent - s.Delivered }

// FramesPerSecond returns how many frames were delivered in a second of the virtual clock, from the first frame to
// the last; 0 for fewer than two.
func (s *Stream) FramesPerSecond() float64 {
	if s.last <= s.first {
		return 0
	}
	return float64(s.Delivered-1) * 1e9 / float64(s.last.Sub(s.first))
}

// begin makes the first frame of the stream due now.
func (s *Stream) begin(now wire.Time) {
	s.begun, s.first, s.last = now, -1, now
	s.seen, s.sentAt = make([]bool, s.Frames), make([]wire.Time, s.Frames)
	s.octets = s.template()
}

// next returns the time at which the next frame of the stream is to be sent.
func (s *Stream) next() wire.Time { return s.begun.Add(time.Duration(float64(s.Sent) * s.Interval)) }

// stopped reports whether PFC of the edge port stops the stream's class now.
func (s *Stream) stopped(now wire.Time) bool {
	return s.Class < 8 && s.From.Host.Paused(now)>>s.Class&1 == 1
}

// full reports whether the stream must not send because as many of its frames as its window allows are not delivered
// yet.
func (s *Stream) full() bool { return s.Window > 0 && s.Lost() >= s.Window }

// due returns the time at which the stream can send its next frame; while PFC stops the stream, the time at which
// the pause ends; wire.Never after the last frame, and with a full window.
func (s *Stream) due(now wire.Time) wire.Time {
	switch {
	case s.Sent == s.Frames, s.full():
		return wire.Never
	case s.stopped(now):
		return s.From.Host.paused.Deadline()
	}
	return s.next()
}

// offer sends the frames whose time has come, as far as the host's interface has room; sent reports whether there
// were any. Frames that would have been due while PFC stops the stream are postponed, not sent in a burst.
func (s *Stream) offer(now wire.Time) (sent bool) {
	if s.stopped(now) {
		s.begun = s.begun.Add(max(0, now.Sub(s.next())))
		return false
	}
	for s.Sent < s.Frames && !s.full() && s.next() <= now {
		if !s.From.Host.Send(s.frame(s.Sent)) {
			return sent
		}
		s.sentAt[s.Sent] = s.next()
		s.Sent++
		sent = true
	}
	return sent
}

// receive checks a received frame of the stream and counts it as delivered, damaged, duplicated or reordered.
func (s *Stream) receive(f []byte, now wire.Time) {
	s.last = now
	n := binary.BigEndian.Uint64(f[s.numberAt():])
	if n >= s.Sent || string(s.frame(n)) != string(f) {
		s.Damaged++
		return
	}
	if s.seen[n] {
		s.Duplicated++
		return
	}
	s.seen[n] = true
	s.Delivered++
	s.latencySum += now.Sub(s.sentAt[n])
	s.Latency = s.latencySum / time.Duration(s.Delivered)
	if s.first < 0 {
		s.first = now
	}
	if n < s.highest {
		s.Reordered++
	}
	s.highest = max(s.highest, n)
}
