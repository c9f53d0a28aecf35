package llr

import "uelink/wire"

// How an LLR_INIT that seems to come from the past is believed in the end: when
// it has come suspectRuns times, alike, at least suspectSpacing nanoseconds
// apart, and no sequenced frame came in between. A transmitter in INIT repeats it
// for ever and sequences nothing; copies that the wire held back are few and
// come together.
const (
	suspectRuns    = 3
	suspectSpacing = initInterval / 2
)

// standing is what the receiver makes of an LLR_INIT.
type standing uint8

const (
	initStale     standing = iota // from the past: not to be acted on
	initTaken                     // next_rx_seq is to be init_seq
	initRestarted                 // likewise, and the partner has restarted
)

// partner is what is remembered of the station at the other end.
type partner struct {
	known    bool // an LLR_INIT was taken
	nonce    [2]byte
	replaced bool // there was another nonce before
	previous [2]byte

	suspect     wire.CtlOS // the last LLR_INIT that seemed stale
	suspectNext uint32     // next_rx_seq when it first came
	suspectAt   int64      // when it was last counted
	runs        int        // how often it was counted
}

// judge weighs an LLR_INIT of the partner against what is known of it. next is
// next_rx_seq.
func (p *partner) judge(c wire.CtlOS, next uint32, now int64) standing {
	s := p.compare(c, next)
	if s == initStale {
		if !p.believe(c, next, now) {
			return initStale
		}
		s = initRestarted
	}
	if s == initRestarted {
		p.previous, p.replaced = p.nonce, true
	}
	p.known, p.nonce, p.runs = true, c.InitData, 0
	return s
}

// compare goes by one LLR_INIT alone. The numbers of a running transmitter never
// go back, and nobody returns to a start before its last.
func (p *partner) compare(c wire.CtlOS, next uint32) standing {
	switch {
	case !p.known:
		return initTaken
	case c.InitData == p.nonce && !wire.SeqBehind(next, c.Seq):
		return initTaken
	case c.InitData == p.nonce, p.replaced && c.InitData == p.previous:
		return initStale
	}
	return initRestarted
}

// believe counts an LLR_INIT that seems stale and tells whether it has insisted
// enough: then it is a restart after all, that happens to have an old nonce.
func (p *partner) believe(c wire.CtlOS, next uint32, now int64) bool {
	switch {
	case p.runs == 0 || c != p.suspect || next != p.suspectNext:
		p.suspect, p.suspectNext, p.runs = c, next, 1
	case now-p.suspectAt < suspectSpacing:
		return false
	default:
		p.runs++
	}
	p.suspectAt = now
	return p.runs >= suspectRuns
}

// sequenced notes a sequenced frame that was not the expected one; one that was
// has moved next_rx_seq.
func (p *partner) sequenced() { p.runs = 0 }
