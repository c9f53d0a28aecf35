package main

import (
	"strings"
	"testing"

	"uelink/control"
)

// Why a port has no PFC, or which, is told behind the table; a static one needs no word.
func TestAgreementOnPFC(t *testing.T) {
	for _, c := range []struct {
		is   control.PFC
		want string
	}{
		{control.PFC{Enabled: []int{3}}, ""},
		{control.PFC{Dynamic: true, DCBX: "not_running"},
			"edge0: no PFC, for DCBX does not run with the host (dcbx show)\n"},
		{control.PFC{Dynamic: true, DCBX: "not_agreed"},
			"edge0: no PFC, for DCBX has not agreed with the host (dcbx show)\n"},
		{control.PFC{Dynamic: true, DCBX: "agreed"}, "edge0: DCBX has agreed with the host that no priority has PFC\n"},
		{control.PFC{Dynamic: true, DCBX: "agreed", Enabled: []int{3, 4}},
			"edge0: DCBX has agreed with the host on PFC, priorities 3,4\n"},
	} {
		var b strings.Builder
		writePFC(&b, []control.Port{{Name: "edge0", PFC: &c.is}})
		lines := strings.SplitAfterN(b.String(), "\n", 3)
		if got := lines[len(lines)-1]; got != c.want {
			t.Errorf("%+v: %q", c.is, got)
		}
	}
}
