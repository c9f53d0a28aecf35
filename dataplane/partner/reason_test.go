package partner

import (
	"slices"
	"testing"
)

// Each problem has a word of its own.
func TestReasons(t *testing.T) {
	list := Reasons()
	if len(list) != int(VCsHere) || slices.Contains(list, "") || None.Reason() != "" || Reason(0)+Reason(255) != "" {
		t.Errorf("%q", list)
	}
	for p := EtherType; p <= VCsHere; p++ {
		if i := slices.Index(list, p.Reason()); i != int(p)-1 {
			t.Errorf("%d is %q, at %d", p, p.Reason(), i)
		}
	}
}
