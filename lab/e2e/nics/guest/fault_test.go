package guest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"uelink/lab/traffic"
)

func TestNamesOfFaultsAreUnique(t *testing.T) {
	names := FaultNames()
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) || len(names) < 10 {
		t.Errorf("%q", names)
	}
}

func TestFaultsOfTheNIC(t *testing.T) {
	for name, want := range map[string]bool{"link down, up": true, "function reset": true, "kill -9": false,
		"program taken off": false} {
		if OfNIC(name) != want || !slices.Contains(FaultNames(), name) {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// counted is a cell of frames that a load counted.
func counted(d traffic.Direction, pause float64) *Cell {
	c := &Cell{}
	(&load{result: traffic.Result{Directions: []traffic.Direction{d, {Sent: 10, Delivered: 10}}}}).sum(c)
	c.Pause = pause
	return c
}

func TestOutcomes(t *testing.T) {
	const waiting = "it was in memory"
	for _, c := range []struct {
		name    string
		exempt  string
		refused []string
		frames  traffic.Direction
		pause   float64
		err     error
		want    string
	}{
		{name: "all came", want: Clean},
		{name: "one lost", frames: traffic.Direction{Lost: 1}, want: Failed},
		{name: "one twice", frames: traffic.Direction{Duplicated: 1}, want: Failed},
		{name: "one late", frames: traffic.Direction{Reordered: 1}, want: Failed},
		{name: "one changed", frames: traffic.Direction{CorruptedDelivered: 1}, want: Failed},
		{name: "refused", refused: []string{"no"}, want: Refused},
		{name: "refused, and one lost", refused: []string{"no"}, frames: traffic.Direction{Lost: 1}, want: Failed},
		{name: "exempt, all came", exempt: waiting, want: Exempt},
		{name: "exempt, what was under way", exempt: waiting, frames: traffic.Direction{Lost: 2 * onTheWay}, want: Exempt},
		{name: "exempt, more", exempt: waiting, frames: traffic.Direction{Lost: 2*onTheWay + 1}, want: Failed},
		{name: "exempt, away for longer", exempt: waiting, frames: traffic.Direction{Lost: 4 * onTheWay}, pause: 3, want: Exempt},
		{name: "exempt, and one twice", exempt: waiting, frames: traffic.Direction{Duplicated: 1}, want: Failed},
		{name: "nothing came any more", err: errors.New("frames both ways"), want: Failed},
		{name: "no such thing", err: fmt.Errorf("%w: reset", errAbsent), want: Absent},
	} {
		bed := &bed{a: newDaemon("A", nil, 1, Task{}), b: newDaemon("B", nil, 1, Task{})}
		trial := &trial{bed: bed, fault: fault{exempt: c.exempt}, refused: c.refused}
		got := counted(c.frames, c.pause)
		trial.judge(got, c.err)
		if got.Outcome != c.want || (got.Why == "") != (c.want == Clean) || got.Sent != 10 {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

func TestStepThatIsRefused(t *testing.T) {
	tr := &trial{load: &load{}}
	err := errors.New("the program is not there")
	if got := tr.try(err); got != err || len(tr.refused) > 0 {
		t.Errorf("%v, refused %q", got, tr.refused)
	}
}

func TestPlacesInTheKernel(t *testing.T) {
	const stack = "[<0>] msleep+0x2d/0x40\n[<0>] napi_disable_locked+0x3a/0x90\n"
	if got := frames(stack); got != "msleep < napi_disable_locked" {
		t.Errorf("%q", got)
	}
	if got := frames(""); got != "" {
		t.Errorf("%q", got)
	}
}

func TestLastLines(t *testing.T) {
	o := &output{}
	for i := range 5 {
		fmt.Fprintf(o, "line %d\n", i)
	}
	if got := strings.Join(o.tail(2), "|"); got != "line 3|line 4" {
		t.Errorf("%q", got)
	}
	o.clear()
	if got := strings.Join(o.tail(2), "|"); got != "" {
		t.Errorf("%q", got)
	}
}
