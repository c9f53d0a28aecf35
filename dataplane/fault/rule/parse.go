package rule

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"uelink/internal/spelling"
)

// ParseError is the first problem of a rule's text.
type ParseError struct {
	At      int    // octet of the text, from 0
	Word    string // there
	Problem string
}

// Error returns the problem, the word and its place in the text, from 1.
func (e *ParseError) Error() string {
	if e.Word == "" {
		return fmt.Sprintf("column %d: %s", e.At+1, e.Problem)
	}
	return fmt.Sprintf("column %d, %q: %s", e.At+1, e.Word, e.Problem)
}

// parser reads one rule.
type parser struct {
	rule   Rule
	names  [2]string
	at     int             // offset of the present word
	word   string          // the present word
	not    bool            // it has a !
	action bool            // an action was there
	seen   map[string]bool // words that were there
	kinds  bool            // a kind was there
}

// Parse reads a rule. names are the interfaces of the wire, which from= may name. The error is a *ParseError.
func Parse(text string, names [2]string) (Rule, error) {
	p := &parser{names: names, seen: map[string]bool{}}
	p.rule = Rule{Text: text, at: -1, spacing: defaultSpacing, inject: inject{way: -1}}
	if len(text) > MaxText {
		return Rule{}, &ParseError{MaxText, "", fmt.Sprintf("a rule has at most %d octets", MaxText)}
	}
	for at := 0; at < len(text); {
		if text[at] == ' ' || text[at] == '\t' {
			at++
			continue
		}
		end := at
		for end < len(text) && text[end] != ' ' && text[end] != '\t' {
			end++
		}
		p.at, p.word = at, text[at:end]
		if err := p.read(); err != nil {
			return Rule{}, err
		}
		at = end
	}
	p.at, p.word = len(text), ""
	return p.rule, p.finish()
}

// fail returns an error at the present word.
func (p *parser) fail(format string, args ...any) error {
	word := p.word
	if len(word) > 40 {
		word = word[:40]
	}
	return &ParseError{p.at, word, fmt.Sprintf(format, args...)}
}

// read reads the present word into the rule: a condition (with ! its opposite), how often, a name, the action, continue
// or fix.
func (p *parser) read() error {
	name, value, given := strings.Cut(p.word, "=")
	name, p.not = strings.CutPrefix(name, "!")
	if f := conditionOf(name); f != nil {
		return f(p, value, given)
	}
	switch {
	case p.not:
		return p.fail("! is for conditions, such as !kind=ack")
	case p.seen[name]:
		return p.fail("the rule has this word twice, and may have it only once")
	}
	p.seen[name] = true
	if f := otherOf(name); f != nil {
		return f(p, value, given)
	}
	if f := actionOf(name); f != nil {
		if p.action {
			return p.fail("a rule has one action, and it has %v already", p.rule.action)
		}
		p.action = true
		return f(p, value, given)
	}
	switch {
	case name == "continue" && !given:
		p.rule.proceed = true
		return nil
	case name == "fix" && !given:
		p.rule.fix = true
		return nil
	}
	if near := spelling.Nearest(name, words()); near != "" {
		return p.fail("unknown word: is %s meant?", near)
	}
	return p.fail("unknown word: a rule has conditions (%s), how often (%s), and an action (%s)",
		conditionWords, oftenWords, strings.Join(actionNames[:], " "))
}

// The words of a rule, except the actions.
const (
	conditionWords = "from kind seq copy vc pri item fcs len octets inner"
	oftenWords     = "after nth every p burst gap first for on"
	otherWords     = "id spacing continue fix"
)

// words returns all words that may begin a part of a rule.
func words() []string {
	return append(strings.Fields(conditionWords+" "+oftenWords+" "+otherWords), actionNames[:]...)
}

// reader reads the value of a word.
type reader func(p *parser, value string, given bool) error

// needed returns a reader that calls f, and returns an error for a word without a value.
func needed(f func(p *parser, value string) error) reader {
	return func(p *parser, value string, given bool) error {
		if value == "" {
			name, _, _ := strings.Cut(p.word, "=")
			return p.fail("a value is missing: %s=...", name)
		}
		return f(p, value)
	}
}

// conditionOf returns the reader of the condition with this name, or nil.
func conditionOf(name string) reader {
	switch name {
	case "from":
		return needed(parseFrom)
	case "kind":
		return needed(parseKinds)
	case "seq":
		return needed(parseSeq)
	case "copy":
		return needed(parseSet(keyCopy, "first", "again"))
	case "vc":
		return needed(parseSmall(keyVC, 31))
	case "pri":
		return needed(parseSmall(keyPriority, 7))
	case "item":
		return needed(parseSmall(keyItem, 15))
	case "fcs":
		return needed(parseSet(keyFCS, "good", "poisoned", "bad", "none"))
	case "len":
		return needed(parseLen)
	case "octets":
		return needed(parsePlaces(keyOctets))
	case "inner":
		return needed(parsePlaces(keyInner))
	}
	return nil
}

// otherOf returns the reader of a word that says how often, names the rule, or spaces frames; or nil.
func otherOf(name string) reader {
	for _, word := range strings.Fields(oftenWords + " id spacing") {
		if word == name {
			return needed(parseOften(name))
		}
	}
	return nil
}

// actionOf returns the reader of the action with this name, or nil.
func actionOf(name string) reader {
	switch name {
	case "drop":
		return parseBare(Drop)
	case "count":
		return parseBare(Count)
	case "corrupt":
		return parseCorrupt
	case "poison":
		return parsePoison
	case "duplicate":
		return parseTimes(Duplicate, MaxCopies)
	case "hold":
		return needed(parseHold)
	case "reorder":
		return parseTimes(Reorder, MaxBehind)
	case "replay":
		return parseTimes(Replay, MaxBehind)
	case "rewrite":
		return needed(parseRewrite)
	case "inject":
		return needed(parseInject)
	}
	return nil
}

// finish checks the rule as a whole, after its last word. A rule without a kind looks at all frames.
func (p *parser) finish() error {
	r, o := &p.rule, &p.rule.occurrence
	if !p.kinds {
		r.kinds = frameKinds
	}
	triggers := 0
	for _, set := range []bool{o.Nth > 0, o.Every > 0, o.Chance > 0} {
		if set {
			triggers++
		}
	}
	switch {
	case !p.action:
		return p.fail("an action is missing, one of %s", strings.Join(actionNames[:], " "))
	case triggers > 1:
		return p.fail("a rule has only one of nth, every and p")
	case r.kinds == 0:
		return p.fail("the kind conditions exclude every kind of message")
	case r.fix && r.action != Corrupt:
		return p.fail("fix is for corrupt alone: rewrite corrects every checksum anyway, and other actions damage none")
	case r.action == Poison && r.kinds&dataKinds == 0:
		return p.fail("poison is for frames with an FCS image: kind=data, plain or cc_update")
	case r.action == Inject:
		return p.finishInject()
	case p.seen["spacing"]:
		return p.fail("spacing is for inject")
	}
	return nil
}

// finishInject checks a rule that injects frames, and sets its way, its number of frames (1 by default), and no kinds:
// it matches nothing.
func (p *parser) finishInject() error {
	r := &p.rule
	for _, c := range r.conditions {
		if c.key != keyFrom || c.not {
			return p.fail("inject takes only the condition from=")
		}
		switch c.set {
		case 1, 2:
			r.inject.way = int(c.set) - 1
		}
	}
	o := &r.occurrence
	switch {
	case p.kinds:
		return p.fail("inject takes only the condition from=; name the kind to send in inject=KIND:VALUE")
	case r.inject.way < 0:
		return p.fail("inject needs the interface that the frames come from: from=a or from=b")
	case o.After+o.Nth+o.Every+o.Chance+o.Burst+o.Gap > 0 || r.lasts > 0:
		return p.fail("besides from, inject takes only first=N (default 1), spacing=T and on=ID")
	}
	if o.First == 0 {
		o.First = 1
	}
	r.kinds = 0
	return nil
}

// parseOften returns a reader for the word name, which says how often the rule hits, names the rule, or names the rule
// whose hit arms it.
func parseOften(name string) func(p *parser, value string) error {
	return func(p *parser, value string) (err error) {
		r, o := &p.rule, &p.rule.occurrence
		switch name {
		case "id":
			r.ID, err = p.name(value)
		case "on":
			r.on, err = p.name(value)
		case "after":
			o.After, err = p.count(value, 0)
		case "nth":
			o.Nth, err = p.count(value, 1)
		case "every":
			o.Every, err = p.count(value, 1)
		case "burst":
			o.Burst, err = p.count(value, 1)
		case "gap":
			o.Gap, err = p.count(value, 1)
		case "first":
			o.First, err = p.count(value, 1)
		case "p":
			o.Chance, err = p.share(value)
		case "for":
			r.lasts, err = p.duration(value)
		case "spacing":
			r.spacing, err = p.duration(value)
		}
		return err
	}
}

// name checks the name of a rule, and returns it.
func (p *parser) name(value string) (string, error) {
	for _, c := range value {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return "", p.fail("a name has letters, digits, - and _")
		}
	}
	if len(value) > 32 {
		return "", p.fail("a name has at most 32 letters")
	}
	return value, nil
}

// count reads a number of matches.
func (p *parser) count(value string, least uint64) (uint64, error) {
	n, err := strconv.ParseUint(value, 10, 32)
	if err != nil || n < least {
		return 0, p.fail("not a number from %d to %d", least, uint32(math.MaxUint32))
	}
	return n, nil
}

// share reads a share of matches, with a percent sign or as a number up to 1, in units of 2^-63.
func (p *parser) share(value string) (uint64, error) {
	text, percent := strings.CutSuffix(value, "%")
	f, err := strconv.ParseFloat(text, 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f > 0 && f <= 1) {
		return 0, p.fail("a share is more than 0 %% and at most 100%%, as in p=5%% or p=0.05")
	}
	return max(1, uint64(f*(1<<63))), nil
}

func (p *parser) duration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || d > MaxHold {
		return 0, p.fail("a time is missing, as in 20ms, more than 0 and at most %v", MaxHold)
	}
	return d, nil
}
