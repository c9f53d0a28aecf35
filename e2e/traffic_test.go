package e2e

import (
	"testing"

	"uelink/traffic"
)

// between returns a run of numbered frames between the hosts, both ways at once, without sizes and length.
func (top *topology) between() traffic.Config {
	c := traffic.DefaultConfig()
	c.From = traffic.End{Interface: "eth0", NetNS: top.hostA.Name(), Label: "hostA"}
	c.To = traffic.End{Interface: "eth0", NetNS: top.hostB.Name(), Label: "hostB"}
	return c
}

// untouched sends numbered frames and demands that each was delivered exactly once, in order and unchanged.
func untouched(t testing.TB, c traffic.Config) traffic.Result {
	t.Helper()
	r, err := traffic.Run(t.Context(), c, nil)
	must(t, err)
	for _, d := range r.Directions {
		if !d.Clean() || d.Delivered == 0 {
			t.Errorf("%s to %s: %+v", d.From, d.To, d)
		}
		t.Logf("%s to %s: %d frames, %.0f Mbit/s, %d frames/s", d.From, d.To, d.Delivered, float64(d.GoodputBPS)/1e6, d.PPS)
	}
	return r
}
