package rule

import (
	"encoding/hex"
	"strconv"
	"strings"

	"uelink/wire"
)

// parseBare returns a reader of an action without a value.
func parseBare(a Action) func(p *parser, value string, given bool) error {
	return func(p *parser, _ string, given bool) error {
		p.rule.action = a
		if given {
			return p.fail("%v has no value", a)
		}
		return nil
	}
}

func parseCorrupt(p *parser, value string, given bool) (err error) {
	p.rule.action = Corrupt
	if given {
		p.rule.at, p.rule.pattern, err = p.place(value)
	}
	return err
}

// parsePoison reads poison, with or without the octets to flip in the FCS.
func parsePoison(p *parser, value string, given bool) error {
	p.rule.action = Poison
	if !given {
		return nil
	}
	text, ok := strings.CutPrefix(value, "xor:")
	octets, err := hex.DecodeString(text)
	if !ok || err != nil || len(octets) != wire.FCSLen {
		return p.fail("poison takes xor: and the %d octets to flip in hex, as in poison=xor:aaaaaaaa", wire.FCSLen)
	}
	p.rule.pattern = octets
	return nil
}

// parseTimes returns a reader of an action that may have a number from 1 to most; without it the number is 1.
func parseTimes(a Action, most int) func(p *parser, value string, given bool) error {
	return func(p *parser, value string, given bool) error {
		p.rule.action, p.rule.n = a, 1
		if !given {
			return nil
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > most {
			return p.fail("%v takes a number from 1 to %d", a, most)
		}
		p.rule.n = n
		return nil
	}
}

// parseHold reads hold with the time to hold a message, or released: until a rule releases it.
func parseHold(p *parser, value string) (err error) {
	p.rule.action = Hold
	if value == "released" {
		p.rule.parked = true
		return nil
	}
	if p.rule.hold, err = p.duration(value); err != nil {
		return p.fail("hold takes a time of up to %v, as in 20ms, or the word released", MaxHold)
	}
	return nil
}

// amount reads a number; a number with a sign is a difference.
func (p *parser) amount(text string, most int64) (a amount, err error) {
	a.relative = strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-")
	a.n, err = strconv.ParseInt(text, 0, 64)
	if err != nil || a.n > most || a.n < -most || !a.relative && a.n < 0 {
		return amount{}, p.fail("%q is neither a number from 0 to %d nor a difference with a sign, such as +1", text, most)
	}
	return a, nil
}

// parseRewrite reads rewrite with the field to change and its new value, as the field has it: a kind, a number or an
// amount to add, octets, or octets at a place.
func parseRewrite(p *parser, value string) (err error) {
	p.rule.action = Rewrite
	name, text, ok := strings.Cut(value, ":")
	r := &p.rule.rewrite
	r.field = field(len(fieldNames))
	for i, fieldName := range fieldNames {
		if fieldName == name {
			r.field = field(i)
		}
	}
	if !ok || int(r.field) == len(fieldNames) {
		return p.fail("rewrite takes FIELD:VALUE, of %s", strings.Join(fieldNames[:], ", "))
	}
	switch r.field {
	case fieldType:
		k, ok := parseKind(text)
		if !ok || k&(setKinds|micropacketKinds) == 0 || text == "any" {
			return p.fail("%q is not a kind of control ordered set or micropacket", text)
		}
		r.kind = k.first()
	case fieldSeq:
		r.value, err = p.amount(text, wire.SeqMask)
	case fieldVC:
		r.value, err = p.amount(text, 31)
	case fieldCredit:
		r.value, err = p.amount(text, wire.SeqMask)
	case fieldQuanta:
		r.value, err = p.amount(text, 65535)
	case fieldInitData:
		if r.octets, err = p.hex(text); err == nil && len(r.octets) != 2 {
			return p.fail("init_data must have exactly two octets")
		}
	default:
		r.at, r.octets, err = p.place(text)
	}
	return err
}

// parseInject reads inject with the message to send, KIND:VALUE with further values behind colons, or a frame or
// ordered set in hex.
func parseInject(p *parser, value string) (err error) {
	p.rule.action = Inject
	in := &p.rule.inject
	parts := strings.Split(value, ":")
	number := func(i int, most int64) (a amount) {
		if err == nil {
			a, err = p.amount(parts[i], most)
		}
		return a
	}
	in.kind = Native
	switch word, n := parts[0], len(parts); {
	case word == "frame" && n == 2:
		in.framed = true
		if in.octets, err = p.hex(parts[1]); err == nil && len(in.octets) < wire.HeaderLen {
			return p.fail("a frame must have at least %d octets", wire.HeaderLen)
		}
	case word == "set" && n == 2:
		if in.octets, err = p.hex(parts[1]); err == nil && len(in.octets) != wire.CtlOSLen {
			return p.fail("a control ordered set must have exactly %d octets", wire.CtlOSLen)
		}
	case (word == "ack" || word == "nack") && n == 2, (word == "init" || word == "init_echo") && (n == 2 || n == 3):
		k, _ := parseKind(word)
		in.kind, in.seq = k.first(), number(1, wire.SeqMask)
		if n == 3 && err == nil {
			if in.octets, err = p.hex(parts[2]); err == nil && len(in.octets) != 2 {
				return p.fail("init_data must have exactly two octets")
			}
		}
	case word == "cf_update" && n == 3:
		in.kind, in.vc, in.value = CFUpdate, uint8(number(1, 31).n)&31, number(2, 1<<wire.CCBitsSeed-1)
	case word == "pfc" && n == 3:
		in.kind, in.vc, in.value = PFC, uint8(number(1, 7).n)&7, number(2, 65535)
	case word == "pause" && n == 2:
		in.kind, in.value = Pause, number(1, 65535)
	default:
		return p.fail("inject takes ack:SEQ, nack:SEQ, init:SEQ[:DATA], init_echo:SEQ[:DATA], cf_update:VC:COUNT, " +
			"pfc:PRIORITY:QUANTA, pause:QUANTA, set:HEX or frame:HEX")
	}
	return err
}
