package acd

import (
	"slices"
	"testing"

	"uelink/wire"
)

// ask records questions for an address at some seconds.
func ask(a *Asked, ip uint32, at ...float64) {
	for _, s := range at {
		a.Asks(ip, 0, seconds(s))
	}
}

// A host that asks for an address again and again, and hears of no user, gets no answer. One that asks in haste, seldom
// or once may have got its answer.
func TestUnanswered(t *testing.T) {
	for name, c := range map[string]struct {
		at   []float64
		now  float64
		want bool
	}{
		"three times":               {[]float64{0, 1, 2}, 2, true},
		"three times, and 9 s":      {[]float64{0, 1, 2}, 11, true},
		"three times, and 11 s":     {[]float64{0, 1, 2}, 13, false},
		"for a long time":           {[]float64{0, 1, 2, 6, 7, 8, 12, 13, 14}, 15, true},
		"twice":                     {[]float64{0, 1}, 1, false},
		"in haste":                  {[]float64{0, .1, .2, .3, .4}, 1, false},
		"with long breaks":          {[]float64{0, 6, 12, 18}, 18, false},
		"again after a long break":  {[]float64{0, 1, 60, 61}, 61, false},
		"thrice after a long break": {[]float64{0, 1, 60, 61, 62}, 62, true},
	} {
		var a Asked
		ask(&a, address, c.at...)
		if list := a.Unanswered(seconds(c.now)); slices.Contains(list, "10.0.0.1") != c.want {
			t.Errorf("%s: %q", name, list)
		}
	}
}

// An address that somebody uses is answered, in its VLAN; others are not by that.
func TestAnswered(t *testing.T) {
	var a Asked
	ask(&a, address, 0, 1, 2)
	ask(&a, another, 0, 1, 2)
	a.Answered(address, 7)
	if list := a.Unanswered(seconds(2)); len(list) != 2 {
		t.Errorf("answered in another VLAN: %q", list)
	}
	a.Answered(address, 0)
	if list := a.Unanswered(seconds(2)); !slices.Equal(list, []string{"10.0.0.9"}) {
		t.Errorf("%q", list)
	}
	a.Answered(another, 0)
	if a.any || len(a.Unanswered(seconds(2))) != 0 {
		t.Errorf("%+v", a)
	}
}

// A host that asks for many addresses, each twice, makes no address unanswered.
func TestScan(t *testing.T) {
	var a Asked
	for round := range 2 {
		for i := range uint32(254) {
			a.Asks(address+i, 0, seconds(float64(2*round)))
		}
	}
	if list := a.Unanswered(seconds(5)); len(list) != 0 {
		t.Errorf("%q", list)
	}
	if n := testing.AllocsPerRun(100, func() { a.Asks(address, 0, wire.Time(1)); a.Answered(address, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
