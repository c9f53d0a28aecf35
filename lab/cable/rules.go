package cable

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"uelink/dataplane/fault/rule"
	"uelink/internal/table"
	"uelink/wire"
)

// readRules parses the rules of the command line.
func (o *options) readRules() error {
	for i, text := range o.rules {
		r, err := rule.Parse(text, [2]string{o.A, o.B})
		if err != nil {
			return fmt.Errorf("rule %d: %w", i+1, err)
		}
		o.Rules = append(o.Rules, r)
	}
	return nil
}

// openRules makes the rules of the configuration, if it has some or may get some.
func (w *userWire) openRules(c Config) error {
	if !c.ruled() {
		return nil
	}
	w.rules = rule.New(rule.Settings{Names: [2]string{c.A, c.B}, Data: c.DataType, Control: c.ControlType,
		Seed: c.Fault.Seed})
	for _, r := range c.Rules {
		if _, err := w.rules.Add(r, w.clock()); err != nil {
			return err
		}
	}
	return nil
}

// rule calls f with the rules of the wire, while the loop that moves frames is between two rounds.
func (w *userWire) rule(f func(*rule.Wire, wire.Time) error) error {
	if w.rules == nil {
		return errors.New("the cable has no rules")
	}
	w.ruling.Lock()
	defer w.ruling.Unlock()
	return f(w.rules, w.clock())
}

// RuleStatus is a rule with its counts.
type RuleStatus struct {
	rule.Status
	Last *RuleHit `json:"last,omitempty"`
}

// RuleHit is a message that a rule has hit.
type RuleHit struct {
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	From string    `json:"from"` // interface at which the message arrived
	Kind string    `json:"kind"`
	Seq  *int      `json:"seq,omitempty"`
	VC   *int      `json:"vc,omitempty"`
	Copy int       `json:"copy,omitempty"` // for a data frame: 1 for the first copy, 2 for a later copy
}

// Rules returns the rules of a cable with their counts; nil for a cable without rules. Rules may be called during Run.
func (c *Cable) Rules() (all []RuleStatus) {
	w, ok := c.wire.(*userWire)
	if !ok {
		return nil
	}
	_ = w.rule(func(rules *rule.Wire, now wire.Time) error {
		for _, s := range rules.Statuses(now) {
			shown := RuleStatus{Status: s}
			if s.Last != nil {
				shown.Last = c.hit(*s.Last, now)
			}
			all = append(all, shown)
		}
		return nil
	}) // without rules the list is empty
	return all
}

// hit returns a hit with the time of day and the name of the interface. now is the present time of the wire's clock, by
// which h has its time.
func (c *Cable) hit(h rule.Hit, now wire.Time) *RuleHit {
	shown := &RuleHit{ID: h.ID, Time: time.Now().Add(-now.Sub(h.Time)), From: c.ends[h.Way].name, Kind: h.Kind.String(),
		Copy: h.Copy}
	if h.Seq >= 0 {
		shown.Seq = &h.Seq
	}
	if h.VC >= 0 {
		shown.VC = &h.VC
	}
	return shown
}

// writeRules prints the rules as a table, a row for each.
func (r Report) writeRules(to io.Writer) error {
	if len(r.Rules) == 0 {
		return nil
	}
	t := table.Table{Keys: 1, Titles: []string{"rule", "state", ">matched", ">hits", ">held", ">overflow", ">misfits",
		"words"}}
	for _, s := range r.Rules {
		cells := []string{s.ID, s.State.String()}
		for _, n := range []uint64{s.Matched, s.Hits, s.Held, s.Overflow, s.Misfits} {
			cells = append(cells, strconv.FormatUint(n, 10))
		}
		t.Add(append(cells, shortened(s.Rule))...)
	}
	if err := t.Write(to); err != nil {
		return err
	}
	for _, s := range r.Rules {
		if s.Note == "" {
			continue
		}
		if _, err := fmt.Fprintf(to, "rule %s %s\n", s.ID, s.Note); err != nil {
			return err
		}
	}
	return nil
}

// shortened returns the words of a rule, or their beginning.
func shortened(text string) string {
	if len(text) <= 60 {
		return text
	}
	return text[:60] + "..."
}
