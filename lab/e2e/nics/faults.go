package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"uelink/lab/e2e/nics/guest"
	"uelink/lab/e2e/nics/machine"
)

// faults applies the wanted faults of a case to a link in a virtual machine. After a failed fault it boots another
// machine for the remaining faults. Then it repeats failed faults without uelink. The results go to r.
func (l *lab) faults(ctx context.Context, lane lane, image machine.Image, r *result) (err error) {
	for left := l.wanted(); len(left) > 0 && ctx.Err() == nil; {
		done, problem := l.someFaults(ctx, lane, image, scriptFaults, left, r)
		if err = errors.Join(err, problem); done == 0 {
			break
		}
		left = left[done:]
	}
	return errors.Join(err, l.blame(ctx, lane, image, r))
}

// wanted returns the names of the faults that flag --faults selects, or of all faults, in the order in which they are
// applied.
func (l *lab) wanted() (names []string) {
	for _, name := range guest.FaultNames() {
		if l.options.faults == nil || slices.Contains(l.options.faults, name) {
			names = append(names, name)
		}
	}
	return names
}

// someFaults boots a virtual machine and applies the faults of list there by a script, until all are done or one
// fails. It returns how many have a result. If the machine dies, the fault being applied has the outcome Died.
func (l *lab) someFaults(ctx context.Context, lane lane, image machine.Image, script string, list []string,
	r *result) (done int, err error) {
	t := lane.task(script, macs, image, l.options)
	t.Faults = list
	before := len(r.Cells)
	r.Bed = guest.Bed{}
	err = l.pair(ctx, lane, image, t, r)
	done = len(r.Cells) - before
	// A machine that dies counts as the result of a fault only if its link was up before.
	if err == nil || ctx.Err() != nil || errors.As(err, new(guestError)) || r.Bed == (guest.Bed{}) ||
		done == len(list) {
		return done, err
	}
	l.record(guest.Message{Cell: &guest.Cell{Fault: list[done], Outcome: guest.Died, Why: err.Error()}}, r)
	return done + 1, nil
}

// blame repeats each failed fault of a case without uelink. If the NIC fails then too, the fault's outcome becomes
// Driver: the driver is to blame.
func (l *lab) blame(ctx context.Context, lane lane, image machine.Image, r *result) error {
	for i := range r.Cells {
		c := &r.Cells[i]
		if !c.Bad() || !guest.OfNIC(c.Fault) || ctx.Err() != nil {
			continue
		}
		plain := result{lane: lane}
		plain.Name += " without uelink"
		if _, err := l.someFaults(ctx, lane, image, scriptPlain, []string{c.Fault}, &plain); err != nil {
			return fmt.Errorf("%s: %w", plain.Name, err)
		}
		for _, p := range plain.Cells {
			compareWithout(c, p)
		}
	}
	return nil
}

// compareWithout completes the result c of a failed fault by the result of the same fault without uelink: outcome
// Driver if that failed too, else a note on how long the NIC alone needed.
func compareWithout(c *guest.Cell, plain guest.Cell) {
	if !plain.Bad() {
		c.Why += fmt.Sprintf("; without uelink, frames flow again after %.1f s", plain.Pause)
		return
	}
	c.Outcome, c.Why, c.Log = guest.Driver, "the fault has the same effect without uelink: "+plain.Why, nil
}
