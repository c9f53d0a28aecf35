package llr

import "uelink/wire"

// What is said to come from the partner and does not fit what is known of it is
// believed in the end, for it may have restarted, or what was believed before was forged:
// an LLR_INIT when it has come initSightings times, and a start id when it has come
// startSightings times; alike, and as suspects.believe says. A transmitter in INIT
// repeats both for ever; copies that the wire held back are few and come together.
const (
	initSightings  = 3
	startSightings = 2
)

// initFarthest is how far ahead of next_rx_seq an LLR_INIT of the same start may be to be believed at once: a
// transmitter that initialises again counts on from its last frame, of which few are lost. One of long ago, whose
// number is ahead again since numbers have gone round, is mostly farther away.
const initFarthest = 1 << 16

// stationTimeout is after how long without STATION, in nanoseconds, a partner is taken
// for an older one, which a restart may have made of it.
const stationTimeout = 3_000_000_000

// standing is what the receiver makes of an LLR_INIT.
type standing uint8

const (
	initStale     standing = iota // does not fit: not to be acted on
	initRepeated                  // repeats the last handshake: it is echoed again, and next_rx_seq stays
	initTaken                     // next_rx_seq is to be init_seq
	initRestarted                 // likewise, and the partner has restarted
)

// partner is what is remembered of the station at the other end.
type partner struct {
	space space
	known bool // an LLR_INIT was taken
	nonce [2]byte

	started bool // it has said its start id
	start   uint32
	fresh   bool  // it had been known without a start id: it may have become a newer one
	heard   int64 // when it last said its start id

	inits  suspects
	starts suspects
}

func newPartner() partner {
	return partner{space: standard, inits: newSuspects(), starts: newSuspects()}
}

// judge weighs an LLR_INIT of the partner against what is known of it. vouched: the
// frame that it came in has the partner's start id. first is what next_rx_seq was
// set to last, next is what it is now, acked is acked_seq of the other direction.
func (p *partner) judge(c wire.CtlOS, vouched bool, first, next, acked uint32, now int64) standing {
	s := p.compare(c, vouched, first, next, now)
	if s == initRepeated {
		return s
	}
	if s == initStale && (vouched || !p.speaks(now)) &&
		p.inits.believe(suspect{nonce: c.InitData, number: c.Seq}, initSightings, next, acked, now) {
		s = initRestarted
		if p.speaks(now) {
			s = initTaken
		}
	}
	if s != initStale {
		p.known, p.nonce, p.fresh = true, c.InitData, false
		p.inits.forget()
	}
	return s
}

// compare goes by one LLR_INIT alone. The numbers of a running transmitter never go
// back, and its start nonce stays. Of a partner that says its start id none is taken
// that comes without it; one with it counts for more than a nonce.
func (p *partner) compare(c wire.CtlOS, vouched bool, first, next uint32, now int64) standing {
	switch {
	case p.speaks(now) && !vouched:
		return initStale
	case !p.known:
		return initTaken
	case c.InitData == p.nonce && p.goesOn(c.Seq, first, next):
		return initTaken
	case p.speaks(now) && c.InitData == p.nonce && p.repeats(c.Seq, first, next):
		return initRepeated
	case c.InitData == p.nonce || !p.speaks(now):
		return initStale
	case p.fresh:
		return initRestarted
	}
	return initTaken
}

// goesOn reports whether the number of an LLR_INIT may be the next one of the transmitter that is known: not behind,
// not far ahead, and not that of the last handshake once frames have followed it, which shows that it is over.
func (p *partner) goesOn(seq, first, next uint32) bool {
	return !p.space.behind(next, seq) && p.space.distance(next, seq) <= initFarthest && (seq != first || next == first)
}

// repeats reports whether an LLR_INIT repeats the last handshake after frames have followed it, at most initFarthest of
// them. After a restart of this end a partner that knows the bookmark gives its frames the same numbers again. Frames
// that it sent before its LLR_INIT may be taken after the LLR_INIT, and while the echo is lost it repeats the LLR_INIT.
// If next_rx_seq went back then, the frames would be delivered twice.
func (p *partner) repeats(seq, first, next uint32) bool {
	return seq == first && next != first && p.space.distance(first, next) <= initFarthest
}

// speaks tells whether the partner says its start id.
func (p *partner) speaks(now int64) bool { return p.started && now-p.heard <= stationTimeout }

// begun takes a start id. It tells whether it shows that the partner has restarted:
// then the next LLR_INIT that it vouches for is taken whatever it says; and whether it
// is the partner's.
func (p *partner) begun(id, next, acked uint32, now int64) (restarted, believed bool) {
	if !p.started {
		next, acked = 0, 0 // whatever comes in between: the partner may have run for long
	}
	if id != p.start || !p.started {
		if !p.starts.believe(suspect{number: id}, startSightings, next, acked, now) {
			return false, false
		}
		p.starts.forget()
		restarted, p.fresh = p.started, p.known && !p.started
		p.known = p.known && !restarted
	}
	p.started, p.start, p.heard = true, id, now
	return restarted, true
}

// sequenced notes a sequenced frame that was not the expected one: its sender is not
// in INIT.
func (p *partner) sequenced() { p.inits.forget() }
