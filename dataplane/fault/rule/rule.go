package rule

import "time"

// Limits of a rule and of a wire.
const (
	MaxText   = 16384 // octets of a rule
	MaxRules  = 1000
	MaxCopies = 1000 // N of duplicate
	MaxBehind = 256  // largest number of reorder and of replay
	MaxHold   = time.Hour
)

// Action is the effect of a rule on a message that it hits.
type Action uint8

// The actions.
const (
	Drop Action = iota
	Corrupt
	Poison
	Duplicate
	Hold
	Reorder
	Rewrite
	Replay
	Inject
	Count
	numActions
)

var actionNames = [numActions]string{"drop", "corrupt", "poison", "duplicate", "hold", "reorder", "rewrite", "replay",
	"inject", "count"}

// String returns the word of the action in a rule.
func (a Action) String() string { return actionNames[a] }

// Rule is a parsed rule.
type Rule struct {
	ID   string // "": the wire chooses an ID
	Text string // as it was written

	conditions []condition
	kinds      kinds
	occurrence Occurrence
	lasts      time.Duration // time from the first match after which the rule is done; 0: without end
	on         string        // "": armed from the beginning
	proceed    bool          // later rules look at the message, too

	action  Action
	at      int    // offset of pattern; -1: a random bit
	pattern []byte // corrupt, poison: bits to flip
	fix     bool   // checks are repaired after damage
	n       int    // duplicate, reorder, replay
	hold    time.Duration
	parked  bool // hold=released
	rewrite rewrite
	inject  inject
	spacing time.Duration // between injected frames
}

// Occurrence chooses which matches are hits. The zero value chooses each match.
type Occurrence struct {
	After  uint64 // matches passed over at the beginning
	Nth    uint64 // only the match of this number, from 1
	Every  uint64 // every match whose number is a multiple of this
	Chance uint64 // probability that a match is a hit, in units of 2^-63
	Burst  uint64 // matches in a row that are hits, from a hit on
	Gap    uint64 // matches passed over after a burst
	First  uint64 // number of hits after which the rule is done
}

// counter counts the matches and hits of a rule.
type counter struct {
	matched, hits uint64
	burst, gap    uint64 // matches left in the present burst, and in the gap after it
}

// match counts a match and reports whether it is a hit by o: matches are passed over at the beginning, and after each
// burst of hits. draw returns random numbers of 63 bits.
func (c *counter) match(o *Occurrence, draw func() uint64) bool {
	c.matched++
	if c.matched <= o.After || o.First > 0 && c.hits >= o.First {
		return false
	}
	switch {
	case c.burst > 0:
		c.burst--
	case c.gap > 0:
		c.gap--
		return false
	case !o.begins(c.matched-o.After, draw):
		return false
	default:
		c.burst = max(o.Burst, 1) - 1
	}
	if c.burst == 0 {
		c.gap = o.Gap
	}
	c.hits++
	return true
}

// begins reports whether match n, from 1, is a hit by number or by chance.
func (o *Occurrence) begins(n uint64, draw func() uint64) bool {
	switch {
	case o.Nth > 0:
		return n == o.Nth
	case o.Every > 0:
		return n%o.Every == 0
	case o.Chance > 0:
		return draw() < o.Chance
	}
	return true
}

// over reports whether no match can be a hit any more.
func (c *counter) over(o *Occurrence) bool {
	return o.First > 0 && c.hits >= o.First || o.Nth > 0 && c.matched >= o.After+o.Nth && c.burst == 0
}
