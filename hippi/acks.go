package hippi

import (
	"time"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// ackVerdict is the meaning of an ACK indication.
type ackVerdict uint8

// The meanings of an ACK indication.
const (
	ackNothing ackVerdict = iota // no news
	ackNews                      // micropackets were acknowledged
	ackIllegal                   // neither the last good RSEQ nor the TSEQ of an unacknowledged micropacket
)

// acknowledge handles an ACK indication (HIPPI-6400 §8.2): rseq acknowledges all micropackets up to this number. If it
// acknowledges new ones while no retransmission runs, the ACK timeout of the remaining micropackets starts again; the
// function timeout returns that timeout. v says what rseq means. took is the time since the timed micropacket was sent,
// if rseq acknowledges it and it was sent once, else 0.
// Clauses: HIPPI-6400/source.3.
func (s *Source) acknowledge(
	rseq uint8, now wire.Time, timeout func() time.Duration,
) (v ackVerdict, took time.Duration) {
	if rseq == micropacket.NoSeq {
		return ackNothing, 0
	}
	if int(rseq) >= int(s.space) {
		return ackIllegal, 0
	}
	n := s.space.distance(s.first, rseq) + 1 // micropackets acknowledged
	if n > s.count {
		if n == uint8(s.space) && s.acked {
			return ackNothing, 0 // the last good RSEQ again
		}
		return ackIllegal, 0
	}
	if now.Sub(s.timer) > patientTimeout {
		s.loop.stopped()
	}
	if s.loop.timing && s.space.distance(s.first, s.loop.seq) < n {
		if s.loop.resent == wire.Never {
			took = now.Sub(s.loop.sent)
		}
		s.loop.end(now)
	}
	s.left(n)
	s.first, s.count, s.acked, s.retries = s.space.add(s.first, n), s.count-n, true, 0
	s.loop.backoff = 0
	s.at -= min(s.at, n)
	switch {
	case s.count == 0:
		s.timer = wire.Never
	case s.at == s.count:
		s.timer = now.Add(timeout())
	}
	return ackNews, took
}

// left subtracts the oldest n micropackets, which are now acknowledged, from the counts of their virtual channels.
func (s *Source) left(n uint8) {
	for i := s.first; n > 0; n-- {
		s.under[s.owner[i]]--
		if i++; int(i) == len(s.owner) {
			i = 0
		}
	}
}

// retransmit begins to retransmit all unacknowledged micropackets (8.4). begun is false if there are none, or a
// retransmission already runs. ok is false, and nothing begins, after limit retransmissions without an acknowledgement.
// Clauses: HIPPI-6400/overview.7, HIPPI-6400/source.8.
func (s *Source) retransmit(limit int, now wire.Time) (begun, ok bool) {
	if s.count == 0 || s.at < s.count {
		return false, true
	}
	if s.retries >= limit {
		return false, false
	}
	s.retries++
	s.at, s.timer = 0, wire.Never
	s.loop.retransmitted(now)
	return true, true
}
