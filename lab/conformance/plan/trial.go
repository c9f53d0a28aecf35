package plan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uelink/control/api"
	"uelink/llr"
)

// trial is one run of a case on a bed.
type trial struct {
	*bed
	replay  string // kind of replay of both ends
	figures []Figure
	rules   []string // the rules that the case has put on the wire, as written
}

// impossible is the reason why a case cannot run between these ends.
type impossible struct{ reason string }

// Error returns the reason.
func (e *impossible) Error() string { return e.reason }

// run runs a case and returns its result. After an error, the result says why the case broke off, and fails.
func (b *bed) run(ctx context.Context, c Case, replay string) Result {
	t := &trial{bed: b, replay: replay}
	began := time.Now()
	err := b.wire.forget()
	if err == nil {
		err = c.run(ctx, t)
	}
	err = errors.Join(err, b.wire.clear())
	r := Result{Case: c, Rules: t.rules, Figures: t.figures, Seconds: time.Since(began).Seconds()}
	if c.lossy {
		r.Replay = replay
	}
	r.judge()
	var not *impossible
	switch {
	case errors.As(err, &not):
		r.Verdict, r.Why = NotPossible, not.reason
	case err != nil:
		r.Verdict, r.Why = Fails, err.Error()
	}
	return r
}

// equal records a quantity that must have a value.
func equal[T comparable](t *trial, name string, want, got T) {
	t.figure(name, fmt.Sprint(want), got, got == want)
}

// within records a quantity that must be in a range, both ends included.
func within[T uint64 | int | float64 | time.Duration](t *trial, name string, least, most, got T) {
	t.figure(name, fmt.Sprintf("%v to %v", least, most), got, least <= got && got <= most)
}

// least records a quantity that must reach a value.
func least[T uint64 | int | float64 | time.Duration](t *trial, name string, want, got T) {
	t.figure(name, fmt.Sprintf("at least %v", want), got, got >= want)
}

// most records a quantity that must not exceed a value.
func most[T uint64 | int | float64 | time.Duration](t *trial, name string, want, got T) {
	t.figure(name, fmt.Sprintf("at most %v", want), got, got <= want)
}

// figure records a quantity with the expectation in words.
func (t *trial) figure(name, expected string, seen any, ok bool) {
	t.figures = append(t.figures, Figure{What: name, Expected: expected, Seen: fmt.Sprint(seen), OK: ok})
}

// show records a quantity that is not judged.
func (t *trial) show(name string, seen any) {
	t.figures = append(t.figures, Figure{What: name, Seen: fmt.Sprint(seen), OK: true})
}

// rule puts a rule on the wire.
func (t *trial) rule(text string) (id string, err error) {
	t.rules = append(t.rules, text)
	return t.wire.add(text)
}

// onlyRule puts a rule on the wire in place of the case's earlier rules.
func (t *trial) onlyRule(text string) error {
	if err := t.wire.clear(); err != nil {
		return err
	}
	_, err := t.rule(text)
	return err
}

// counters returns the LLR counters of end i, 0 for A and 1 for B.
func (t *trial) counters(ctx context.Context, i int) (llr.Counters, error) {
	l, err := t.link(ctx, i)
	return l.Counters, err
}

// link returns the LLR state of the link of end i, 0 for A and 1 for B.
func (t *trial) link(ctx context.Context, i int) (api.LLRInterface, error) {
	return t.ends[i].client.LLRInterface(ctx, t.ends[i].port)
}

// both returns the LLR counters of A and B.
func (t *trial) both(ctx context.Context) (counters [2]llr.Counters, err error) {
	for i := range counters {
		if counters[i], err = t.counters(ctx, i); err != nil {
			return counters, err
		}
	}
	return counters, nil
}

// Times of waiting.
const (
	patience = 10 * time.Second     // longest wait for an event, or for the end of a daemon
	askEvery = 5 * time.Millisecond // time between two questions of await
)

// await asks until ask reports true. After patience it returns an error with the last state in words.
func await(ctx context.Context, event string, ask func() (ok bool, state string)) error {
	return awaitFor(ctx, patience, event, ask)
}

// awaitFor waits like await, with a patience of its own.
func awaitFor(ctx context.Context, patience time.Duration, event string, ask func() (ok bool, state string)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	every := time.NewTicker(askEvery)
	defer every.Stop()
	for {
		ok, state := ask()
		if ok {
			return nil
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: not within %v: %s", event, patience, state)
		}
	}
}
