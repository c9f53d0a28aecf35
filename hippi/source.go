package hippi

import (
	"math/bits"
	"time"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// Source is the sending half of one end (HIPPI-6400 §8). Its output buffer is a ring by TSEQ:
//
//	 first                at               first+count
//	   |   sent in this     | to be sent       |
//	   |   pass, awaiting   | again            | free
//	---+--------------------+------------------+------> TSEQ
//
// A micropacket enters when it is sent for the first time, and leaves with its acknowledgement. A retransmission moves
// at back to first.
// Clauses: HIPPI-6400/overview.2.
type Source struct {
	space  space
	common uint8                     // unacknowledged micropackets from which on only reserved sequence numbers are left
	first  uint8                     // TSEQ of the oldest unacknowledged micropacket
	count  uint8                     // unacknowledged micropackets, 0..space-1
	at     uint8                     // unacknowledged micropackets that were sent since the last retransmission began
	acked  bool                      // an RSEQ was accepted since the last reset
	turn   uint8                     // virtual channel that sent last
	credit [VCs]uint8                // credits that this end has for each virtual channel
	buffer []micropacket.Micropacket // output buffer, by TSEQ

	timer   wire.Time      // when the ACK indication timeout expires, Never = nothing awaits an acknowledgement
	starved [VCs]wire.Time // when the Credit timeout expires, Never = no micropacket waits for credit
	retries int            // retransmissions since the last acknowledgement
	loop    loop
	origins [VCs]origin // what each virtual channel has to send
	waiting uint8       // bitmap of the virtual channels whose origin has a micropacket
	funded  uint8       // bitmap of the virtual channels with credit

	under   [VCs + 1]uint8 // unacknowledged micropackets of each virtual channel; the last: Credit-only
	owner   []uint8        // by TSEQ: the index in under that counts the unacknowledged micropacket
	offered [VCs]wire.Time // when a virtual channel last had something to send; 0 = never
}

// reset empties the output buffer and the VC buffers of the sending half (12.1, 12.2) and returns the number of
// Messages that were not acknowledged completely.
func (s *Source) reset() (lost uint64) {
	for i := range s.count {
		if s.buffer[s.space.add(s.first, i)].Control.Tail() {
			lost++
		}
	}
	lost += uint64(bits.OnesCount8(s.waiting))
	s.first, s.count, s.at, s.acked, s.turn = 0, 0, 0, false, 0
	s.credit, s.retries, s.timer, s.funded = [VCs]uint8{}, 0, wire.Never, 0
	s.loop.timing, s.loop.backoff = false, 0
	for vc := range s.origins {
		o := &s.origins[vc]
		o.data, o.left, o.open, o.damage = nil, 0, false, false
		s.starved[vc] = wire.Never
	}
	s.waiting, s.under = 0, [VCs + 1]uint8{}
	return lost
}

// Credit returns the credits of a virtual channel, 0..MaxCredits.
func (s *Source) Credit(vc uint8) uint8 { return s.credit[vc&3] }

// Outstanding returns the number of unacknowledged micropackets, 0..254.
func (s *Source) Outstanding() int { return int(s.count) }

// Retries returns the number of retransmissions since the last acknowledgement.
func (s *Source) Retries() int { return s.retries }

// full reports whether no sequence number is left for another micropacket: all but one belong to unacknowledged ones
// (6.4).
// Clauses: HIPPI-6400/fields.12.
func (s *Source) full() bool { return s.count >= uint8(s.space)-1 }

// offer records that a virtual channel has a micropacket to send. If it has no credit, the Credit timeout starts
// (8.1).
func (s *Source) offer(vc uint8, now wire.Time, timeout time.Duration) {
	s.waiting |= 1 << vc
	s.offered[vc] = now
	s.starve(vc, now, timeout)
}

// starve starts the Credit timeout if a virtual channel waits for credit.
// Clauses: HIPPI-6400/source.1.
func (s *Source) starve(vc uint8, now wire.Time, timeout time.Duration) {
	if s.credit[vc] == 0 && s.starved[vc] == wire.Never {
		s.starved[vc] = now.Add(timeout)
	}
}

// addCredit adds n credits of a credit update to a virtual channel (8.1). It returns false if the channel would have
// more than MaxCredits.
// Clauses: HIPPI-6400/fields.13.
func (s *Source) addCredit(vc, n uint8) bool {
	if int(s.credit[vc])+int(n) > MaxCredits {
		return false
	}
	s.credit[vc] += n
	if s.credit[vc] > 0 {
		s.starved[vc] = wire.Never
		s.funded |= 1 << vc
	}
	return true
}

// A virtual channel that has used up the sequence numbers would make the micropackets of another wait for a loop time.
// So the last sequence numbers, 31 of the standard's 254, are reserved: only virtual channels with fewer than that
// number of unacknowledged micropackets use them, as long as more than one virtual channel has had something to send
// within the time shared.
const (
	reservedShare = 8                      // one of 8 sequence numbers is reserved
	shared        = 100 * time.Millisecond // for so long after it had something to send a channel needs sequence numbers
)

// ready returns the virtual channels, as a bitmap, that can send: they have a micropacket, credit for it, and a
// sequence number.
func (s *Source) ready(now wire.Time) uint8 {
	if s.count < s.common {
		return s.waiting & s.funded
	}
	return s.readyInReserve(now)
}

// readyInReserve returns, as ready does, the virtual channels that can send, when only the reserved sequence numbers
// are left, which a channel uses only if the others do not need them.
func (s *Source) readyInReserve(now wire.Time) uint8 {
	if s.full() {
		return 0
	}
	ready, reserved := s.waiting&s.funded, uint8(s.space)-1-s.common
	for vc := range uint8(VCs) {
		if ready>>vc&1 != 0 && s.under[vc] >= reserved && s.shares(vc, now) {
			ready &^= 1 << vc
		}
	}
	return ready
}

// shares reports whether another virtual channel than vc has lately had something to send, and does not wait for
// credit.
func (s *Source) shares(vc uint8, now wire.Time) bool {
	starved := s.waiting &^ s.funded
	for other, at := range s.offered {
		if uint8(other) != vc && starved>>other&1 == 0 && at != 0 && now.Sub(at) < shared {
			return true
		}
	}
	return false
}

// choose returns the virtual channel that sends its next micropacket, each in turn; ok is false if no channel can
// send.
func (s *Source) choose(now wire.Time) (vc uint8, ok bool) {
	ready := s.ready(now)
	if ready == 0 {
		return 0, false
	}
	after := ready &^ (1<<(s.turn+1) - 1)
	if after == 0 {
		after = ready
	}
	return uint8(bits.TrailingZeros8(after)), true
}

// spend subtracts one credit from a virtual channel for a micropacket that moves from its VC buffer to the output
// buffer (4.6).
// Clauses: HIPPI-6400/overview.6.
func (s *Source) spend(vc uint8) {
	s.turn = vc
	if s.credit[vc]--; s.credit[vc] == 0 {
		s.funded &^= 1 << vc
	}
}

// next returns the place in the output buffer for the next new micropacket, and its TSEQ.
// Clauses: HIPPI-6400/fields.11.
func (s *Source) next() (m *micropacket.Micropacket, tseq uint8) {
	tseq = s.space.add(s.first, s.count)
	return &s.buffer[tseq], tseq
}

// sent records that the micropacket whose place next has returned was sent for the first time, on virtual channel vc;
// vc is VCs for a Credit-only micropacket. It starts the ACK timeout and a measurement of the loop time if none runs.
func (s *Source) sent(tseq, vc uint8, now wire.Time, timeout time.Duration) {
	s.count++
	s.at = s.count
	s.owner[tseq] = vc
	s.under[vc]++
	if s.timer == wire.Never {
		s.timer = now.Add(timeout)
	}
	s.loop.begin(tseq, now)
}

// nextRepeat returns the next micropacket of a running retransmission; nil if all were sent. After the last, the ACK
// timeout starts.
func (s *Source) nextRepeat(now wire.Time, timeout time.Duration) *micropacket.Micropacket {
	if s.at >= s.count {
		return nil
	}
	m := &s.buffer[s.space.add(s.first, s.at)]
	if s.at++; s.at == s.count {
		s.timer = now.Add(timeout)
	}
	return m
}
