package cable

import (
	"strings"
	"testing"
)

// Parse takes what the command takes, and its error is that of the command.
func TestParse(t *testing.T) {
	c, err := Parse(strings.Fields("--loss 0.01 --seed 7 --control x a b"))
	if err != nil || c.Fault.Loss != 0.01 || c.Fault.Seed != 7 || !c.Ruled || c.A != "a" || c.B != "b" {
		t.Errorf("%+v, %v", c, err)
	}
	for args, want := range map[string]string{
		"--los 1 a b": "unknown flag", "--loss 2 a b": "if 2 % is meant", "--queue 5 a b": "queue needs a delay",
		"a b c": "one interface too many", "": "name one or two interfaces", "--rule kind=dta a b": "is data meant?",
	} {
		if _, err := Parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
