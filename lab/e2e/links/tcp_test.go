package links

import (
	"testing"

	"uelink/lab/e2e/bed"
)

// TestTCPDoesNotNoticeABadWire: a wire that loses one frame in a hundred costs a
// TCP connection through two daemons no retransmission. What it leaves of the
// throughput is logged.
func TestTCPDoesNotNoticeABadWire(t *testing.T) {
	bed.RequireProgram(t, "iperf3", "iperf3")
	top := bed.Cabled(t)
	wire := top.Cable()
	p := top.Daemons(bed.BulkSettings)
	top.OnlyRealLosses()
	good := top.BothWays(p)
	wire.Pull()
	wire = top.Cable("--loss", "0.01")
	bad := top.BothWays(p)
	if n := bed.Dropped(wire.Pull()); n == 0 {
		t.Error("the bad wire dropped nothing")
	}
	t.Logf("a bad wire leaves %.2f of the throughput from A to B, %.2f from B to A", bad[0]/good[0], bad[1]/good[1])
}
