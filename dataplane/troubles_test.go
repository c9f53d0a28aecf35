package dataplane

import (
	"slices"
	"strings"
	"testing"

	"uelink/dataplane/trouble"
)

// Each problem of a port has a word of its own, in letters that a label may have.
func TestFaultReasons(t *testing.T) {
	words := FaultReasons()
	for i, w := range words {
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz_") != "" || slices.Index(words, w) != i {
			t.Errorf("reason %d is %q", i, w)
		}
	}
	a := &attachment{lastErr: "device busy"}
	a.monitor.Set(trouble.MTU, "too small")
	a.monitor.Set(trouble.Descriptors, "refused")
	if got := a.faultReasons(); !slices.Equal(got, []string{"attach", "mtu", "invalid_descriptors"}) {
		t.Errorf("%v", got)
	}
}
