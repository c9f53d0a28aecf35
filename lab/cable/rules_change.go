package cable

import (
	"errors"

	"uelink/dataplane/fault/rule"
	"uelink/wire"
)

// errUnruled is the error of a cable that was opened without Config.Ruled and rules.
var errUnruled = errors.New("the cable has no rules")

// AddRule parses the text of a rule, adds the rule after all others, and returns the id. When AddRule returns, the
// cable obeys the rule. AddRule may be called while Run runs. Errors: the text is no rule, there are too many rules, or
// the cable was opened without rules.
func (c *Cable) AddRule(text string) (id string, err error) {
	r, err := rule.Parse(text, [2]string{c.config.A, c.config.B})
	if err != nil {
		return "", err
	}
	err = c.rule(func(rules *rule.Wire, now wire.Time) (err error) {
		id, err = rules.Add(r, now)
		return err
	})
	return id, err
}

// DeleteRule takes a rule off the cable; frames held by the rule go on. DeleteRule may be called during Run. The only
// error is an unknown rule.
func (c *Cable) DeleteRule(id string) error {
	return c.rule(func(rules *rule.Wire, now wire.Time) error { return rules.Delete(id, now) })
}

// rule runs f with the rules of the cable between two rounds of its loop.
func (c *Cable) rule(f func(*rule.Wire, wire.Time) error) error {
	w, ok := c.wire.(*userWire)
	if !ok {
		return errUnruled
	}
	return w.rule(f)
}
