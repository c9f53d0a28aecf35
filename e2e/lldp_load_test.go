package e2e

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"uelink/wire"
)

// lldpLoad is how long LLDP is watched under load. From two minutes on it is run
// with its own timers, and the times of its frames are judged.
var lldpLoad = flag.Duration("lldp.load", 5*time.Second,
	"how long LLDP is watched under load; from 2m on with the usual timers")

// Two daemons with every feature of the frame path in use: neither loses its neighbour, and LLDPDUs leave on time,
// five in four seconds and then one every tx_interval (DCBX, 2.3.1.1).
func TestLLDPUnderFullLoad(t *testing.T) {
	usual := *lldpLoad >= 2*time.Minute
	timers := "tx_interval: 1s"
	if usual {
		timers = "tx_interval: 30s"
	}
	with := func(mode, dcbx string) settings {
		return settings{top: distinct, link: "dcbx: {mode: " + dcbx + "}, lldp: {mode: " + mode + ", " + timers + "}"}
	}
	top := direct(t)
	p := top.daemons(with("rx-only", "off"))
	l := top.load(t, patience)
	ends := [2]*packets{open(t, top.A, "link0", wire.EtherTypeLLDP), open(t, top.B, "link0", wire.EtherTypeLLDP)}
	p.a.reload(with("rx-tx", "on").text(p.a.socket))
	p.b.reload(with("rx-tx", "on").text(p.b.socket))
	times := arrivals(ends, time.Now().Add(*lldpLoad))
	for _, d := range []*daemon{p.a, p.b} {
		eventually(t, d.name+" has a neighbour", func() string {
			if n := len(d.neighbors()); n != 1 {
				return fmt.Sprintf("it has %d", n)
			}
			return ""
		})
	}
	for _, d := range l.end() {
		t.Logf("%s to %s: %d frames/s", d.From, d.To, d.PPS)
	}
	for i, d := range []*daemon{p.a, p.b} {
		s := d.lldpStatistics()
		if n := len(d.neighbors()); n != 1 || s.Remote.Inserts != 1 || s.Remote.Deletes != 0 || s.Rx.ErrorFrames != 0 {
			t.Errorf("%s: %d neighbours, %+v", d.name, n, s.Counters)
		}
		t.Logf("LLDPDUs to %s, seconds after the first: %.2f", d.name, times[i])
		if usual {
			onTime(t, d.name, times[i])
		}
	}
}

// arrivals is when LLDPDUs come to each of two ends until then, in seconds after
// its first.
func arrivals(ends [2]*packets, until time.Time) (times [2][]float64) {
	var first [2]time.Time
	for time.Now().Before(until) {
		for i, end := range ends {
			if end.next() == nil {
				continue
			}
			if first[i].IsZero() {
				first[i] = time.Now()
			}
			times[i] = append(times[i], time.Since(first[i]).Seconds())
		}
	}
	return times
}

// onTime demands an LLDPDU at 0 to 4 s, and every 30 s from then on. An LLDPDU about a change counts among the first
// five, so the next one may be a second early.
func onTime(t testing.TB, to string, times []float64) {
	t.Helper()
	for i := 0; ; i++ {
		due := float64(min(i, 4) + 30*max(0, i-4))
		if due > lldpLoad.Seconds()-5 { // the agents began a little later than the watch
			return
		}
		if !slices.ContainsFunc(times, func(at float64) bool { return math.Abs(at-due) <= 1.5 }) {
			t.Errorf("no LLDPDU came to %s at %.0f s, but at %.2f", to, due, times)
		}
	}
}
