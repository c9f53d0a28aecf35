package netem

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SyntaxError is the error for words that netem does not have.
type SyntaxError struct {
	Position int    // of the first octet of the wrong word, from 1; behind the last word if one is missing
	Word     string // "" if a word is missing
	Reason   string
}

// Error returns a message with the position of the wrong word.
func (e *SyntaxError) Error() string {
	if e.Word == "" {
		return fmt.Sprintf("netem: at position %d, behind the last word: %s", e.Position, e.Reason)
	}
	return fmt.Sprintf("netem: %q at position %d: %s", e.Word, e.Position, e.Reason)
}

// Parse reads the words that follow netem in a line of tc, or a whole line of tc. As in tc, a share is in percent with
// or without the sign, a delay without a unit in microseconds, a rate without a unit in bits per second, and words may
// be abbreviated. file returns the table of a distribution that Distribution does not have. Error: *SyntaxError.
func Parse(text string, file func(name string) ([]int16, error)) (Spec, error) {
	p := &parser{words: split(text), end: len(text) + 1, file: file, spec: Spec{Limit: DefaultLimit}}
	if i := slices.IndexFunc(p.words, func(w word) bool { return w.text == "netem" }); i >= 0 {
		p.words = p.words[i+1:]
	}
	for p.more() {
		p.option()
	}
	if p.err == nil {
		p.check()
	}
	if p.err != nil {
		return Spec{}, p.err
	}
	return p.spec, nil
}

type word struct {
	text string
	at   int // of its first octet, from 1
}

// split returns the words of a text.
func split(text string) (words []word) {
	begin := -1
	for i, r := range text + " " {
		switch space := strings.ContainsRune(" \t\r\n", r); {
		case space && begin >= 0:
			words = append(words, word{text[begin:i], begin + 1})
			begin = -1
		case !space && begin < 0:
			begin = i
		}
	}
	return words
}

// parser reads words from left to right. After the first error there are no more words.
type parser struct {
	words []word
	next  int
	end   int // position behind the text, for an error about a missing word
	file  func(name string) ([]int16, error)
	spec  Spec
	seen  []word // the options so far
	err   *SyntaxError
}

// more reports whether there is another word.
func (p *parser) more() bool { return p.err == nil && p.next < len(p.words) }

// take returns the next word. If no word is left, it records an error that calls the missing word by subject.
func (p *parser) take(subject string) word {
	if !p.more() {
		p.fail(word{"", p.end}, "%s is missing", subject)
		return word{}
	}
	p.next++
	return p.words[p.next-1]
}

// fail records the first error.
func (p *parser) fail(w word, format string, args ...any) {
	if p.err == nil {
		p.err = &SyntaxError{w.at, w.text, fmt.Sprintf(format, args...)}
	}
}

// options are the words of netem, in the order in which tc tries abbreviations.
var options = []string{"limit", "latency", "delay", "loss", "drop", "seed", "ecn", "reorder", "corrupt", "gap",
	"duplicate", "distribution", "rate", "slot"}

// option reads an option, perhaps abbreviated, and its values into the Spec, or records an error.
func (p *parser) option() {
	w := p.take("an option")
	i := slices.IndexFunc(options, func(o string) bool { return strings.HasPrefix(o, w.text) })
	if i < 0 {
		p.fail(w, "not an option of netem; the options are: %s", strings.Join(options, ", "))
		return
	}
	name := options[i]
	p.seen = append(p.seen, word{name, w.at})
	switch name {
	case "limit":
		p.spec.Limit = p.whole("the most frames in the queue of netem", 1, math.MaxInt32)
	case "latency", "delay":
		p.delay()
	case "loss", "drop":
		if p.spec.Loss.On() {
			p.fail(w, "loss was given before")
		}
		p.loss()
	case "seed":
		p.seed()
	case "reorder":
		p.spec.Reorder = p.chance("the share of reordered frames")
	case "corrupt":
		p.spec.Corrupt = p.chance("the share of damaged frames")
	case "duplicate":
		p.spec.Duplicate = p.chance("the share of doubled frames")
	case "gap":
		p.spec.Gap = uint32(p.whole("the gap", 0, math.MaxInt32))
	case "distribution":
		p.distribution()
	case "rate":
		p.rate()
	case "ecn":
		p.spec.ECN = true
	case "slot":
		p.slot()
	}
}

// MostDelay bounds the latency and the jitter.
const MostDelay = 10 * time.Second

// delay reads the words behind delay: latency, jitter and the jitter's correlation.
func (p *parser) delay() {
	p.spec.Latency = p.time("the delay")
	if !p.number(false) {
		return
	}
	p.spec.Jitter = p.time("the jitter")
	if p.number(false) {
		p.spec.DelayCorrelation = p.share("the correlation")
	}
}

// loss reads the words behind loss: a share, or a model with the shares that tc-netem(8) names. Absent shares have
// tc's defaults.
func (p *parser) loss() {
	l := &p.spec.Loss
	if p.number(false) {
		l.Random = p.chance("the share of lost frames")
		return
	}
	switch w := p.take("the share of lost frames"); w.text {
	case "random":
		l.Random = p.chance("the share of lost frames")
	case "gemodel":
		l.Model = GilbertElliott
		l.P = p.share("p")
		l.R, l.H, l.K = All-l.P, 0, 0
		p.shares(&l.R, &l.H, &l.K)
		if p.given(w) > 2 {
			l.H = All - l.H // the word is 1-h
		}
	case "state":
		l.Model = FourStates
		l.P13 = p.share("p13")
		l.P31, l.P32, l.P23, l.P14 = All-l.P13, 0, All, 0
		p.shares(&l.P31, &l.P32, &l.P23, &l.P14)
	default:
		p.fail(w, "neither a share nor one of random, gemodel, state")
	}
}

// given returns how many words, up to the next one to read, follow the word w.
func (p *parser) given(w word) int {
	return p.next - 1 - slices.IndexFunc(p.words, func(o word) bool { return o.at == w.at })
}

// units of times, in nanoseconds.
var units = map[string]float64{
	"": 1e3, "us": 1e3, "usec": 1e3, "usecs": 1e3, "ms": 1e6, "msec": 1e6, "msecs": 1e6, "s": 1e9, "sec": 1e9, "secs": 1e9,
	"ns": 1, "nsec": 1, "nsecs": 1,
}

// rateUnits are the units of rates, in bits per second.
var rateUnits = map[string]float64{
	"": 1, "bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9, "tbit": 1e12,
	"kibit": 1 << 10, "mibit": 1 << 20, "gibit": 1 << 30, "tibit": 1 << 40,
	"bps": 8, "kbps": 8e3, "mbps": 8e6, "gbps": 8e9, "tbps": 8e12,
	"kibps": 8 << 10, "mibps": 8 << 20, "gibps": 8 << 30, "tibps": 8 << 40,
}

// rate reads the words behind rate: the rate and, as far as they are there, the overhead of a packet, the cell size and
// the overhead of a cell.
func (p *parser) rate() {
	w := p.take("the rate")
	value, unit, ok := quantity(w.text)
	factor, found := rateUnits[unit]
	if !ok || !found || value*factor < 8 || value*factor > 1e13 {
		p.fail(w, "not a rate, such as 100mbit")
		return
	}
	r := &p.spec.Rate
	r.BPS = uint64(value * factor)
	if p.number(true) {
		r.PacketOverhead = p.whole("", -1<<16, 1<<16)
	}
	if p.number(false) {
		r.CellSize = p.whole("", 0, 1<<16)
	}
	if p.number(true) {
		r.CellOverhead = p.whole("", -1<<16, 1<<16)
	}
}

func (p *parser) seed() {
	w := p.take("the seed")
	n, err := strconv.ParseUint(w.text, 10, 64)
	if err != nil {
		p.fail(w, "not an integer from 0 to 2^64-1")
	}
	p.spec.Seed, p.spec.Seeded = n, true
}

func (p *parser) distribution() { p.spec.Distribution, p.spec.Table = p.table() }

// table reads the name of a distribution, and returns it with its table: a computed one, or one that the function file
// reads.
func (p *parser) table() (name string, table []int16) {
	w := p.take("the name of the distribution of times (such as normal)")
	table, ok := Distribution(w.text)
	if !ok && p.err == nil {
		var err error
		if table, err = p.file(w.text); err != nil {
			p.fail(w, "none of uniform, normal, pareto, paretonormal, and no file: %v", err)
		}
	}
	return w.text, table
}

// last returns the last word of an option in the text.
func (p *parser) last(names ...string) word {
	for _, w := range slices.Backward(p.seen) {
		if slices.Contains(names, w.text) {
			return w
		}
	}
	return word{}
}

// check records an error for the combinations of options that tc refuses. Reorder without a gap gets the gap 1, as in
// tc.
func (p *parser) check() {
	s := &p.spec
	switch {
	case s.Reorder.P > 0 && s.Latency == 0:
		p.fail(p.last("reorder"), "reorder needs a delay: the reordered frames are those sent without the delay")
	case s.Reorder.P > 0 && s.Gap == 0:
		s.Gap = 1
	case s.Reorder.P == 0 && s.Gap > 0:
		p.fail(p.last("gap"), "a gap needs reorder")
	}
	if s.ECN && !s.Loss.On() {
		p.fail(p.last("ecn"), "ecn needs a loss: frames are marked instead of lost")
	}
	if s.Distribution != "" && (s.Latency == 0 || s.Jitter == 0) {
		p.fail(p.last("distribution"), "a distribution needs a delay and a jitter")
	}
}
