package netem

import (
	"math"
	"strings"
)

// slot reads the words behind slot: the times between slots (shortest and longest, or a distribution with mean and
// jitter), then how many packets and bytes may leave in one slot.
func (p *parser) slot() {
	s := &p.spec.Slot
	*s = Slot{}
	if p.number(false) {
		s.Least = p.time("the shortest time between two slots for sending")
		s.Most = s.Least
		if p.number(false) {
			if s.Most = p.time("the longest time between two slots for sending"); s.Most < s.Least {
				p.fail(p.words[p.next-1], "the longest time between two slots for sending is less than the shortest, %v",
					s.Least)
			}
		}
	} else if w := p.take("the time between two slots for sending (or distribution)"); w.text == "distribution" {
		s.Distribution, s.Table = p.table()
		s.Delay = p.time("the mean time between two slots for sending")
		if s.Jitter = p.time("the jitter"); s.Jitter == 0 && p.err == nil {
			p.fail(p.words[p.next-1], "a distribution needs a jitter")
		}
	} else {
		p.fail(w, "neither a time nor distribution")
	}
	if p.follows("packets") {
		s.Frames = p.whole("the most frames that leave in a slot", 0, math.MaxInt32)
	}
	if p.follows("bytes") {
		s.Octets = p.size("the most octets that leave in a slot")
	}
}

// follows reports whether the next word is an option or its abbreviation, and takes it.
func (p *parser) follows(option string) bool {
	if !p.more() || !strings.HasPrefix(option, p.words[p.next].text) {
		return false
	}
	p.next++
	return true
}

// sizeUnits are the units of sizes, in octets.
var sizeUnits = map[string]float64{
	"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30,
	"kbit": 1 << 7, "mbit": 1 << 17, "gbit": 1 << 27,
}

// size reads a number of octets, with or without a unit. subject names the value in an error; after an error size
// returns 0.
func (p *parser) size(subject string) int {
	w := p.take(subject)
	value, unit, ok := quantity(w.text)
	factor, found := sizeUnits[unit]
	if !ok || !found || value*factor > math.MaxInt32 {
		p.fail(w, "not a size, such as 64kb")
		return 0
	}
	return int(value * factor)
}
