package plan

import (
	"context"
	"errors"
	"fmt"

	"uelink/dataplane/fault/analyzer"
	"uelink/lab/cable"
)

// rules is the wire between the ends: a cable in this process, for the rules of a case.
type rules struct {
	cable *cable.Cable
	stop  context.CancelFunc // ends the cable's run
	ended chan error         // result of the cable's run
}

// plug joins two interfaces by a cable without faults. within runs a function in the network namespace of the
// interfaces.
func plug(within func(func() error) error, a, b string) (*rules, error) {
	ctx, stop := context.WithCancel(context.Background())
	r := &rules{stop: stop, ended: make(chan error, 1)}
	opened := make(chan error, 1)
	go func() {
		r.ended <- within(func() (err error) {
			r.cable, err = cable.Open(cable.Config{A: a, B: b, Mode: cable.ModeUser, Ruled: true, Analyze: true})
			opened <- err
			if err != nil {
				return err
			}
			return errors.Join(r.cable.Run(ctx), r.cable.Close())
		})
	}()
	if err := <-opened; err != nil {
		stop()
		return nil, err
	}
	return r, nil
}

// add puts a rule on the wire and returns its id. On return the wire obeys the rule.
func (r *rules) add(text string) (id string, err error) {
	if id, err = r.cable.AddRule(text); err != nil {
		err = fmt.Errorf("rule %q: %w", text, err)
	}
	return id, err
}

// hits returns how many messages a rule has hit.
func (r *rules) hits(id string) (uint64, error) {
	for _, s := range r.cable.Rules() {
		if s.ID == id {
			return s.Hits, nil
		}
	}
	return 0, fmt.Errorf("the wire has no rule %s", id)
}

// measured returns what the wire has measured of the data from A since the case began.
func (r *rules) measured() (f analyzer.Flow, err error) {
	report, err := r.cable.Report()
	if err != nil {
		return f, err
	}
	return report.Directions[0].Analysis.LLR, nil
}

// forget empties the measurements of the wire.
func (r *rules) forget() error {
	if r == nil {
		return nil
	}
	return r.cable.ClearAnalysis()
}

// remove takes a rule off the wire. Held frames leave.
func (r *rules) remove(id string) error { return r.cable.DeleteRule(id) }

// clear takes all rules off the wire.
func (r *rules) clear() (err error) {
	if r == nil {
		return nil
	}
	for _, s := range r.cable.Rules() {
		err = errors.Join(err, r.cable.DeleteRule(s.ID))
	}
	return err
}

// close unplugs the cable.
func (r *rules) close() error {
	if r == nil {
		return nil
	}
	r.stop()
	return <-r.ended
}
