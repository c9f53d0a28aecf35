package bed

import (
	"testing"

	"uelink/lab/traffic"
	"uelink/wire"
)

// Between returns the configuration of numbered frames between hostA and hostB, both ways at once. The caller may set
// sizes and length. No frame is sent yet.
func (top *Topology) Between() traffic.Config {
	c := traffic.DefaultConfig()
	c.From = traffic.End{Interface: "eth0", NetNS: top.HostA.Name(), Label: "hostA"}
	c.To = traffic.End{Interface: "eth0", NetNS: top.HostB.Name(), Label: "hostB"}
	return c
}

// Untouched sends the numbered frames of c and waits for their end. It reports an error of the test unless each
// frame was delivered exactly once, in order and unchanged, and at least one each way. It returns the counts.
func Untouched(t testing.TB, c traffic.Config) traffic.Result {
	t.Helper()
	r, err := traffic.Run(t.Context(), c, nil)
	Must(t, err)
	for _, d := range r.Directions {
		if !d.Clean() || d.Delivered == 0 {
			t.Errorf("%s to %s: %+v", d.From, d.To, d)
		}
		t.Logf("%s to %s: %d frames, %.0f Mbit/s, %d frames/s", d.From, d.To, d.Delivered, float64(d.GoodputBPS)/1e6, d.PPS)
	}
	return r
}

// EverySize is how many sizes a frame can have, from the least to that of the MTU.
const EverySize = wire.HeaderLen + EdgeMTU - wire.MinFrameLen + 1
