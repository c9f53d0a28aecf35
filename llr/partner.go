package llr

import (
	"time"

	"uelink/wire"
)

// An input that claims to come from the partner and does not fit its known state is believed only after repetition: the
// partner may have restarted, or the known state may be forged. The same LLR_INIT must be seen initSightings times, and
// the same start id startSightings times, as suspects.addSighting counts. A transmitter in INIT repeats both for ever;
// copies that the wire delayed are few and arrive together.
const (
	initSightings  = 3
	startSightings = 2
)

// initFarthest is how far ahead of next_rx_seq an LLR_INIT with the known nonce may be to be believed at once: a
// transmitter that initialises again continues after its last frame, and few frames are lost. An LLR_INIT from long
// ago, ahead again because the numbers have wrapped, is mostly farther away.
const initFarthest = 1 << 16

// stationTimeout is the silence of STATION after which a partner counts as an older version without STATION: it may
// have restarted with other software.
const stationTimeout = 3 * time.Second

// standing is the receiver's judgement of an LLR_INIT.
type standing uint8

// The judgements of an LLR_INIT.
const (
	initStale     standing = iota // the LLR_INIT does not fit the known partner: ignored
	initRepeated                  // the LLR_INIT repeats the last handshake: echoed again, next_rx_seq stays
	initAccepted                  // the LLR_INIT is accepted: next_rx_seq becomes init_seq
	initRestarted                 // the LLR_INIT is accepted, and the partner has restarted
)

// partner is the receiver's knowledge of the station at the other end.
type partner struct {
	space    space
	accepted bool    // an LLR_INIT was accepted
	nonce    [2]byte // init_data of the last accepted LLR_INIT

	started bool      // a start id was received
	start   uint32    // the partner's start id
	fresh   bool      // an LLR_INIT was accepted before the first start id: the partner may have restarted in between, with newer software
	heard   wire.Time // when the start id was last received
	keeps   uint8     // log2 of the frames that the partner keeps behind a gap, by its STATION; 0: go-back-N

	inits  suspects // LLR_INITs that do not fit, and are not believed yet
	starts suspects // start ids that do not fit, and are not believed yet
}

// newPartner returns the state of a partner of which nothing is known.
func newPartner() partner {
	return partner{space: standard, inits: newSuspects(), starts: newSuspects()}
}

// receivedInit decides whether an LLR_INIT comes from the partner and is new, is a repetition, or must not be
// believed. One that does not fit is believed when seen initSightings times: the partner has restarted, unless its
// start id says that it has not. vouched is true if the frame also carries the partner's start id. first is the last
// init_seq accepted, next is next_rx_seq, acked is acked_seq of the other direction.
// Clauses: UE-LINK/init.7.
func (p *partner) receivedInit(c wire.CtlOS, vouched bool, first, next, acked uint32, now wire.Time) standing {
	s := p.compare(c, vouched, first, next, now)
	if s == initRepeated {
		return s
	}
	if s == initStale && (vouched || !p.sendsStart(now)) &&
		p.inits.addSighting(suspect{nonce: c.InitData, number: c.Seq}, initSightings, next, acked, now) {
		s = initRestarted
		if p.sendsStart(now) {
			s = initAccepted
		}
	}
	if s != initStale {
		p.accepted, p.nonce, p.fresh = true, c.InitData, false
		p.inits.forget()
	}
	return s
}

// compare decides whether an LLR_INIT is the partner's, without counting its repetitions; the arguments are those of
// receivedInit. The numbers of a running transmitter never go back, and its nonce is fixed at its start. From a partner
// that sends a start id only a vouched LLR_INIT is accepted, also with another nonce.
func (p *partner) compare(c wire.CtlOS, vouched bool, first, next uint32, now wire.Time) standing {
	switch {
	case p.sendsStart(now) && !vouched:
		return initStale
	case !p.accepted:
		return initAccepted
	case c.InitData == p.nonce && p.continuesFrom(c.Seq, first, next):
		return initAccepted
	case p.sendsStart(now) && c.InitData == p.nonce && p.repeats(c.Seq, first, next):
		return initRepeated
	case c.InitData == p.nonce || !p.sendsStart(now):
		return initStale
	case p.fresh:
		return initRestarted
	}
	return initAccepted
}

// continuesFrom reports whether seq of an LLR_INIT may be the next number of the known transmitter: not behind
// next_rx_seq, not far ahead, and not the init_seq of the last handshake once frames have followed that handshake.
func (p *partner) continuesFrom(seq, first, next uint32) bool {
	return !p.space.behind(next, seq) && p.space.distance(next, seq) <= initFarthest && (seq != first || next == first)
}

// repeats reports whether an LLR_INIT repeats the last handshake after frames have followed the handshake, at most
// initFarthest of them. After a restart of this end a partner that knows the bookmark gives its frames the same numbers
// again. Frames replayed before the LLR_INIT may be read from the RX ring after it, and while the echo is lost the
// partner repeats the LLR_INIT. If next_rx_seq went back then, the frames would be delivered twice.
func (p *partner) repeats(seq, first, next uint32) bool {
	return seq == first && next != first && p.space.distance(first, next) <= initFarthest
}

// sendsStart reports whether the partner has sent its start id within stationTimeout.
func (p *partner) sendsStart(now wire.Time) bool {
	return p.started && now.Sub(p.heard) <= stationTimeout
}

// receivedStart handles a start id in a control frame. restarted is true for a new start id, repeated often
// enough: the next LLR_INIT vouched for by the new start id is then accepted with any number. believed is true if
// id is the partner's start id. next and acked, next_rx_seq and acked_seq, show addSighting the progress of the frames.
func (p *partner) receivedStart(id, next, acked uint32, now wire.Time) (restarted, believed bool) {
	if !p.started {
		// Progress of the frames casts no doubt on the first start id: the partner may have run for long.
		next, acked = 0, 0
	}
	if id != p.start || !p.started {
		if !p.starts.addSighting(suspect{number: id}, startSightings, next, acked, now) {
			return false, false
		}
		p.starts.forget()
		restarted, p.fresh = p.started, p.accepted && !p.started
		p.accepted = p.accepted && !restarted
	}
	p.started, p.start, p.heard = true, id, now
	return restarted, true
}

// receivedSequenced handles a sequenced frame: its sender is not in INIT, so repeated LLR_INITs do not count any
// more.
func (p *partner) receivedSequenced() { p.inits.forget() }
