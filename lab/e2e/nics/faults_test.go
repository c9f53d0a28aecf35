package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"uelink/lab/e2e/nics/guest"
)

// What fails without uelink, too, is the driver's. What does not stays a failure, and both times are told.
func TestFailureIsComparedWithThePlainNIC(t *testing.T) {
	for _, c := range []struct {
		plain  guest.Cell
		want   string
		reason []string
	}{
		{guest.Cell{Outcome: guest.Failed, Why: "nothing arrives"}, guest.Driver, []string{"without uelink", "nothing arrives"}},
		{guest.Cell{Outcome: guest.Died, Why: "Oops"}, guest.Driver, []string{"Oops"}},
		{guest.Cell{Outcome: guest.Hung, Why: "the kernel waits"}, guest.Driver, []string{"waits"}},
		{guest.Cell{Outcome: guest.Clean, Pause: 7.04}, guest.Failed, []string{"LLR is down", "without uelink", "7.0 s"}},
	} {
		cell := guest.Cell{Outcome: guest.Failed, Why: "LLR is down", Log: []string{"evidence"}}
		compareWithout(&cell, c.plain)
		if cell.Outcome != c.want || (cell.Log == nil) != (c.want == guest.Driver) {
			t.Errorf("plain %s: %+v", c.plain.Outcome, cell)
		}
		for _, part := range c.reason {
			if !strings.Contains(cell.Why, part) {
				t.Errorf("plain %s: %q lacks %q", c.plain.Outcome, cell.Why, part)
			}
		}
	}
}

func TestFaultsAreDoneInTheirOrder(t *testing.T) {
	all := guest.FaultNames()
	if got := (&lab{}).wanted(); !slices.Equal(got, all) {
		t.Errorf("%q", got)
	}
	l := &lab{options: options{faults: []string{all[5], all[2]}}}
	if got := l.wanted(); !slices.Equal(got, []string{all[2], all[5]}) {
		t.Errorf("%q", got)
	}
}

// An error reported by a guest's script is not the end of its machine, whatever else is reported.
func TestErrorThatAGuestTells(t *testing.T) {
	if err := fmt.Errorf("%w; the kernel says %q", guestError("LLR is down"), "Oops"); !errors.As(err, new(guestError)) {
		t.Errorf("%v", err)
	}
	if errors.As(errors.New("the guest has ended"), new(guestError)) {
		t.Error("the end of a machine")
	}
}
