package view

import (
	"strings"
	"testing"

	"uelink/control/api"
)

// Why a port has no PFC, or which, is told behind the table; a static one needs no word.
func TestAgreementOnPFC(t *testing.T) {
	for _, c := range []struct {
		is   api.PFC
		want string
	}{
		{api.PFC{Enabled: []int{3}}, ""},
		{api.PFC{Dynamic: true, DCBX: "not_running"},
			"edge0: no PFC, because DCBX does not run with the host (uelink dcbx show)\n"},
		{api.PFC{Dynamic: true, DCBX: "not_agreed"},
			"edge0: no PFC, because DCBX has not agreed with the host (uelink dcbx show)\n"},
		{api.PFC{Dynamic: true, DCBX: "agreed"}, "edge0: DCBX has agreed with the host that no priority has PFC\n"},
		{api.PFC{Dynamic: true, DCBX: "agreed", Enabled: []int{3, 4}},
			"edge0: DCBX has agreed with the host on PFC, priorities 3,4\n"},
	} {
		var b strings.Builder
		WritePFC(&b, []api.Port{{Name: "edge0", PFC: &c.is}})
		lines := strings.SplitAfterN(b.String(), "\n", 3)
		if got := lines[len(lines)-1]; got != c.want {
			t.Errorf("%+v: %q", c.is, got)
		}
	}
}
