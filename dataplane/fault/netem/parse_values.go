package netem

import (
	"strconv"
	"strings"
	"time"
)

// number reports whether the next word begins as a number does, with signed also one below 0.
func (p *parser) number(signed bool) bool {
	if !p.more() {
		return false
	}
	first := p.words[p.next].text[0]
	return first >= '0' && first <= '9' || signed && first == '-'
}

// shares reads shares while there are numbers.
func (p *parser) shares(to ...*Share) {
	for _, s := range to {
		if !p.number(false) {
			return
		}
		*s = p.share("")
	}
}

// chance reads a share and, if a number follows, a correlation.
func (p *parser) chance(subject string) (c Chance) {
	c.P = p.share(subject)
	if p.number(false) {
		c.Correlation = p.share("the correlation")
	}
	return c
}

// share reads a percentage. subject names the value in an error; after an error share returns 0.
func (p *parser) share(subject string) Share {
	w := p.take(subject)
	value, err := strconv.ParseFloat(strings.TrimSuffix(w.text, "%"), 64)
	if err != nil || !(value >= 0 && value <= 100) {
		p.fail(w, "not a percentage from 0%% to 100%%")
		return 0
	}
	return ShareOf(value / 100)
}

// quantity splits a number from its unit, in lower case. ok is false if text has no
// number, or a negative one.
func quantity(text string) (value float64, unit string, ok bool) {
	n := len(text) - len(strings.TrimLeft(text, "0123456789.+-"))
	if rest := text[n:]; len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') {
		n += 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], "0123456789+-"))
	}
	value, err := strconv.ParseFloat(text[:n], 64)
	return value, strings.ToLower(text[n:]), err == nil && value >= 0
}

// time reads a duration with its unit, up to MostDelay. subject names the value in an error; after an error time
// returns 0.
func (p *parser) time(subject string) time.Duration {
	w := p.take(subject)
	value, unit, ok := quantity(w.text)
	factor, found := units[unit]
	if !ok || !found {
		p.fail(w, "not a time, such as 10ms")
		return 0
	}
	if value *= factor; value > float64(MostDelay) {
		p.fail(w, "more than %v", MostDelay)
		return 0
	}
	return time.Duration(value)
}

// whole reads a whole number from least to most. subject names the value in an error; after an error whole returns 0.
func (p *parser) whole(subject string, least, most int) int {
	w := p.take(subject)
	n, err := strconv.ParseInt(w.text, 0, 64)
	if err != nil || n < int64(least) || n > int64(most) {
		p.fail(w, "not a whole number from %d to %d", least, most)
		return 0
	}
	return int(n)
}
