package lldp

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
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
	settings := func(mode, dcbx string) bed.Settings {
		return bed.Settings{Top: bed.Distinct, Link: "dcbx: {mode: " + dcbx + ", version: cee}, lldp: {mode: " + mode +
			", " + timers + "}"}
	}
	top := bed.Direct(t)
	p := top.Daemons(settings("rx-only", "off"))
	l := top.Load(t, bed.Patience)
	ends := [2]*bed.Packets{
		bed.Open(t, top.A, "link0", wire.EtherTypeLLDP), bed.Open(t, top.B, "link0", wire.EtherTypeLLDP),
	}
	p.A.Reload(settings("rx-tx", "on").Text(p.A.Socket))
	p.B.Reload(settings("rx-tx", "on").Text(p.B.Socket))
	times := arrivals(ends, time.Now().Add(*lldpLoad))
	for _, d := range []*bed.Daemon{p.A, p.B} {
		bed.Eventually(t, d.Name+" has a neighbour", func() string {
			if n := len(d.Neighbors()); n != 1 {
				return fmt.Sprintf("it has %d", n)
			}
			return ""
		})
	}
	for _, d := range l.End() {
		t.Logf("%s to %s: %d frames/s", d.From, d.To, d.PPS)
	}
	for i, d := range []*bed.Daemon{p.A, p.B} {
		s := lldpStatistics(d)
		if n := len(d.Neighbors()); n != 1 || s.Remote.Inserts != 1 || s.Remote.Deletes != 0 || s.Rx.ErrorFrames != 0 {
			t.Errorf("%s: %d neighbours, %+v", d.Name, n, s.Counters)
		}
		t.Logf("LLDPDUs to %s, seconds after the first: %.2f", d.Name, times[i])
		if usual {
			onTime(t, d.Name, times[i])
		}
	}
}

// arrivals is when LLDPDUs come to each of two ends until then, in seconds after
// its first.
func arrivals(ends [2]*bed.Packets, until time.Time) (times [2][]float64) {
	var first [2]time.Time
	for time.Now().Before(until) {
		for i, end := range ends {
			if end.Next() == nil {
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
