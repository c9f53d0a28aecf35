package rule

import (
	"encoding/hex"
	"strconv"
	"strings"

	"uelink/internal/spelling"
	"uelink/wire"
)

// parseFrom reads the condition from: the interfaces, separated by commas, from which frames come: a, b or their names.
func parseFrom(p *parser, value string) error {
	c := condition{key: keyFrom, not: p.not}
	for _, word := range strings.Split(value, ",") {
		switch word {
		case "a", p.names[0]:
			c.set |= 1
		case "b", p.names[1]:
			c.set |= 2
		default:
			return p.fail("%q is not an interface of the cable: write a, b, %s or %s", word, p.names[0], p.names[1])
		}
	}
	p.rule.conditions = append(p.rule.conditions, c)
	return nil
}

// parseKinds reads the condition kind: kinds of messages, separated by commas. Several such conditions allow what each
// of them allows.
func parseKinds(p *parser, value string) error {
	var all kinds
	for _, word := range strings.Split(value, ",") {
		k, ok := parseKind(word)
		if !ok {
			if near := spelling.Nearest(word, strings.Fields(kindWords())); near != "" {
				return p.fail("%q is not a kind: is %s meant?", word, near)
			}
			return p.fail("%q is no kind: %s", word, kindWords())
		}
		all |= k
	}
	if p.not {
		// With only unwanted kinds given, all other kinds of the same sort are wanted: frames, ordered sets or
		// micropackets.
		every := frameKinds
		if all&setKinds != 0 {
			every = setKinds
		} else if all&micropacketKinds != 0 {
			every = micropacketKinds
		}
		all = every &^ all
	}
	if p.kinds {
		all &= p.rule.kinds
	}
	p.rule.kinds, p.kinds = all, true
	return nil
}

// parseSeq reads the condition seq: sequence numbers and ranges of them, separated by commas, or next.
func parseSeq(p *parser, value string) error {
	c := condition{key: keySeq, not: p.not}
	for _, word := range strings.Split(value, ",") {
		if word == "next" {
			c.spans = append(c.spans, span{next: true})
			continue
		}
		first, last, ranged := strings.Cut(word, "..")
		from, relative, err := p.seq(first)
		if err != nil {
			return err
		}
		to := from
		if ranged && last == "" {
			to = from + half - 1
		} else if ranged {
			var alike bool
			if to, alike, err = p.seq(last); err != nil {
				return err
			}
			if alike != relative {
				return p.fail("both ends of a range are absolute, or both have a +")
			}
		}
		c.spans = append(c.spans, span{from: from, to: to, relative: relative})
	}
	p.rule.conditions = append(p.rule.conditions, c)
	return nil
}

// seq reads a sequence number; relative reports that it has a + in front.
func (p *parser) seq(word string) (n uint32, relative bool, err error) {
	digits, relative := strings.CutPrefix(word, "+")
	v, err := strconv.ParseUint(digits, 0, 32)
	if err != nil || v > wire.SeqMask {
		return 0, false, p.fail("%q is not a sequence number: write N from 0 to %d, +N for the Nth number not seen yet, "+
			"or next",
			word, wire.SeqMask)
	}
	return uint32(v), relative, nil
}

// parseSet returns a reader of a condition with values from names, separated by commas; names[i] is bit i of the
// condition's bitmap.
func parseSet(k key, names ...string) func(p *parser, value string) error {
	return func(p *parser, value string) error {
		c := condition{key: k, not: p.not}
	next:
		for _, word := range strings.Split(value, ",") {
			for i, name := range names {
				if name == word {
					c.set |= 1 << i
					continue next
				}
			}
			return p.fail("%q is none of %s", word, strings.Join(names, ", "))
		}
		p.rule.conditions = append(p.rule.conditions, c)
		return nil
	}
}

// parseSmall returns a reader of a condition with numbers up to most and ranges of them; a number n is bit n of the
// condition's bitmap.
func parseSmall(k key, most int) func(p *parser, value string) error {
	return func(p *parser, value string) error {
		spans, err := p.spans(value, uint32(most))
		if err != nil {
			return err
		}
		c := condition{key: k, not: p.not}
		for _, s := range spans {
			for n := s.from; n <= s.to; n++ {
				c.set |= 1 << n
			}
		}
		p.rule.conditions = append(p.rule.conditions, c)
		return nil
	}
}

// parseLen reads lengths of messages.
func parseLen(p *parser, value string) (err error) {
	c := condition{key: keyLen, not: p.not}
	c.spans, err = p.spans(value, 1<<16)
	p.rule.conditions = append(p.rule.conditions, c)
	return err
}

// spans reads numbers up to most, and ranges N..M and N.. of them, separated by commas.
func (p *parser) spans(value string, most uint32) (all []span, err error) {
	for _, word := range strings.Split(value, ",") {
		first, last, ranged := strings.Cut(word, "..")
		from, err := strconv.ParseUint(first, 0, 32)
		to := from
		if ranged && last == "" {
			to = uint64(most)
		} else if ranged && err == nil {
			to, err = strconv.ParseUint(last, 0, 32)
		}
		if err != nil || from > to || to > uint64(most) {
			return nil, p.fail("%q is neither a number nor a range N..M from 0 to %d", word, most)
		}
		all = append(all, span{from: uint32(from), to: uint32(to)})
	}
	return all, nil
}

// maxPlace is the largest offset that a rule may name.
const maxPlace = 16384

// parsePlaces returns a reader of a condition AT:HEX[/MASK], several of them separated by commas: octets at an offset,
// compared in the bits of the mask.
func parsePlaces(k key) func(p *parser, value string) error {
	return func(p *parser, value string) error {
		c := condition{key: k, not: p.not}
		for _, word := range strings.Split(value, ",") {
			word, mask, masked := strings.Cut(word, "/")
			at, octets, err := p.place(word)
			if err != nil {
				return err
			}
			pl := place{at: at, value: octets, mask: make([]byte, len(octets))}
			for i := range pl.mask {
				pl.mask[i] = 0xFF
			}
			if masked {
				if pl.mask, err = hex.DecodeString(mask); err != nil || len(pl.mask) != len(octets) {
					return p.fail("the mask %q has not as many octets in hex as the value", mask)
				}
			}
			c.places = append(c.places, pl)
		}
		p.rule.conditions = append(p.rule.conditions, c)
		return nil
	}
}

// place reads AT:HEX, an offset and octets.
func (p *parser) place(word string) (at int, octets []byte, err error) {
	offset, text, ok := strings.Cut(word, ":")
	n, err := strconv.ParseUint(offset, 0, 16)
	if !ok || err != nil || n > maxPlace {
		return 0, nil, p.fail("%q is not AT:HEX, an offset from 0 to %d and octets, as in 12:88b5", word, maxPlace)
	}
	octets, err = p.hex(text)
	return int(n), octets, err
}

func (p *parser) hex(text string) ([]byte, error) {
	octets, err := hex.DecodeString(text)
	if err != nil || len(octets) == 0 {
		return nil, p.fail("%.20q is not octets in hex, two digits each", text)
	}
	return octets, nil
}
