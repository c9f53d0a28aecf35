package status

import (
	"testing"
	"time"

	"uelink/control/api"
)

// lineOf returns a line with a problem of a port.
func lineOf(port, problem string, kinds ...string) Line {
	l := newLine(Warning, problem, "", "")
	l.Port, l.kinds = port, kinds
	return l
}

// ageOf records lines at a time, and returns the age of the first.
func ageOf(o *Onsets, now time.Time, lines ...Line) time.Duration {
	o.Update(lines, now)
	o.Mark(lines, now)
	if len(lines) == 0 || lines[0].Since == nil {
		return -1
	}
	if age := now.Sub(*lines[0].Since).Truncate(time.Second); age != time.Duration(lines[0].Age)*time.Second {
		return -2
	}
	return time.Duration(lines[0].Age) * time.Second
}

// A problem keeps its time while its text changes, and while it is away for a moment; it begins again after that. A
// line of several faults has been there since the oldest.
func TestOnsets(t *testing.T) {
	var o Onsets
	begin := time.Now()
	after := func(s float64) time.Time { return begin.Add(time.Duration(s * float64(time.Second))) }
	for i, c := range []struct {
		at   float64
		line Line
		want time.Duration
	}{
		{0, lineOf("link0", "lost 5 of 10 frames"), 0},
		{2, lineOf("link0", "lost 70 of 100 frames"), 2 * time.Second},
		{4, lineOf("link1", "lost 70 of 100 frames"), 0},              // another port
		{4.5, lineOf("link0", "lost 8 of 9 frames"), 4 * time.Second}, // a moment later
		{9, lineOf("link0", "lost 8 of 9 frames"), 0},                 // over meanwhile
		{10, lineOf("link0", "silent: a", "partner silent"), 0},
		{12, lineOf("link0", "silent: b, or a", "partner silent"), 2 * time.Second},
		{13, lineOf("edge0", "x", "mtu"), 0},
		{15, lineOf("edge0", "x; y", "vlan", "mtu"), 2 * time.Second},
		{17, lineOf("edge0", "y", "vlan"), 2 * time.Second},
	} {
		if age := ageOf(&o, after(c.at), c.line); age != c.want {
			t.Errorf("%d: age %v, want %v", i, age, c.want)
		}
	}
	if age := ageOf(&o, after(18), newLine(Fine, "up", "", "")); age != -1 {
		t.Errorf("a line without a problem has the age %v", age)
	}
	var none *Onsets
	if age := ageOf(none, after(0), lineOf("link0", "x")); age != -1 {
		t.Errorf("without onsets an age of %v", age)
	}
}

// Another process goes on with the times; what it does not see for a while is over.
func TestOnsetsOfTheProcessBefore(t *testing.T) {
	var before, next Onsets
	begin := time.Now().Round(0)
	ageOf(&before, begin, lineOf("link0", "x", "silent"), lineOf("edge0", "y", "mtu"))
	text, changed := before.Save()
	if _, again := before.Save(); !changed || again {
		t.Errorf("changed %v, and again %v", changed, again)
	}
	next.Load(text, begin.Add(time.Minute))
	if age := ageOf(&next, begin.Add(70*time.Second), lineOf("link0", "x", "silent")); age != 70*time.Second {
		t.Errorf("after a start: %v", age)
	}
	ageOf(&next, begin.Add(time.Minute+settling+time.Second), lineOf("link0", "x", "silent"))
	if age := ageOf(&next, begin.Add(time.Minute+settling+2*time.Second), lineOf("edge0", "y", "mtu")); age != 0 {
		t.Errorf("it was over: %v", age)
	}
	for _, text := range []string{"", "{", `[{"Port":"link0","Kind":"x","Since":"2999-01-01T00:00:00Z"}]`} {
		var o Onsets
		o.Load([]byte(text), begin)
		if age := ageOf(&o, begin.Add(time.Second), lineOf("link0", "x", "x")); age != 0 {
			t.Errorf("%q: %v", text, age)
		}
	}
}

// Each problem of a list of ports has a time, and no line without a problem.
func TestEveryProblemHasATime(t *testing.T) {
	link, edge, _ := wanting()
	var o Onsets
	lines := Judge([]api.Port{edge, link}, nil, nil, Unmet([]api.Port{edge, link}, nil), "the log is lost")
	o.Update(lines, time.Now())
	o.Mark(lines, time.Now())
	for _, l := range Lines(lines) {
		if (l.Since == nil) != (l.State == "ok") {
			t.Errorf("%+v", l)
		}
	}
}
