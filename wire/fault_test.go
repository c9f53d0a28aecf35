package wire

import "testing"

func TestEveryFaultHasWords(t *testing.T) {
	seen := map[string]Fault{}
	for f := NoFault; f <= NumFaults; f++ {
		if other, taken := seen[f.String()]; taken || f.String() == "" {
			t.Errorf("faults %d and %d are both %q", other, f, f)
		}
		seen[f.String()] = f
	}
	if got := Fault(200).Error(); got != "unknown fault" {
		t.Errorf("fault 200: %q", got)
	}
}
