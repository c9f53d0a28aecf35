package links

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
	"uelink/lab/traffic"
)

// hippi is a daemon whose link speaks HIPPI-6400-PH: keys of its section hippi, of the link port, and of the edge.
type hippi struct{ keys, link, edge string }

// Text returns the daemon's configuration.
func (h hippi) Text(socket string) string {
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
ports:
  - {name: link0, interface: link0, role: link, protocol: hippi6400, hippi: {%s}%s}
  - {name: edge0, interface: edge0, role: edge%s}
xconnects: [{edge: edge0, link: link0}]
`, socket, h.keys, bed.AppendKeys(h.link), bed.AppendKeys(h.edge))
}

// joined starts a daemon at each end, and waits until the link carries frames.
func (h hippi) joined(top *bed.Topology) bed.Pair {
	top.T.Helper()
	p := bed.Pair{A: bed.NewDaemon(top.T, top.A, "A", h), B: bed.NewDaemon(top.T, top.B, "B", h)}
	p.A.Start()
	p.B.Start()
	normal(p)
	return p
}

// hippiOf returns the state of a daemon's link.
func hippiOf(d *bed.Daemon) *api.HIPPI {
	d.T.Helper()
	return d.Link().HIPPI
}

// normal waits until the link carries frames, and returns how long that took.
func normal(p bed.Pair) time.Duration {
	p.A.T.Helper()
	return bed.Eventually(p.A.T, "Normal at both ends", func() string {
		if a, b := hippiOf(p.A), hippiOf(p.B); !a.Ready || !b.Ready {
			return fmt.Sprintf("A is in %s, B in %s", a.LinkState, b.LinkState)
		}
		return ""
	})
}

// hippiStall is how long a virtual channel stands still in TestHIPPIChannelThatStandsStill.
var hippiStall = flag.Duration("hippi.stall", 2*time.Second, "how long a virtual channel stands still")

// Keys of a link with a virtual channel for each of three priorities, and of edges that obey and send PFC for them.
const (
	hippiChannels = "qos: {tc_to_vc_map: default}"
	hippiPFC      = "qos: {trust: dot1p}, pfc: {mode: static, priorities: [0, 1, 2], xoff: 64, xon: 32, headroom: 1024, " +
		"rate: 1Gbps}"
)

// stall returns traffic of three priorities between the hosts, of which hostB stops draining the second after a second.
func stall(top *bed.Topology, duration time.Duration) traffic.Config {
	c := top.Between()
	c.Priorities, c.Frames, c.Rate, c.Duration = []uint8{0, 1, 2}, 0, 2000, 2*time.Second+duration
	c.RingSize, c.PFCRate = 8192, 1e9
	c.Stall = traffic.Stall{Priority: 1, Begin: time.Second, Duration: duration}
	return c
}

// A virtual channel that a host stops draining, by PFC, stops at the sending host: nothing is lost, and the other
// channels keep their rate.
func TestHIPPIChannelThatStandsStill(t *testing.T) {
	top := bed.Direct(t)
	p := hippi{link: hippiChannels, edge: hippiPFC}.joined(top)
	r, err := traffic.Run(t.Context(), stall(top, *hippiStall), nil)
	bed.Must(t, err)
	bed.NothingLost(t, r.Directions)
	for _, d := range r.Directions {
		during, besides := float64(d.DeliveredInStall)/hippiStall.Seconds(), float64(d.Delivered-d.DeliveredInStall)/2
		t.Logf("%s, priority %d: %.0f frames a second in the stall, %.0f besides", d.From, d.Priority, during, besides)
		if d.Priority == 1 && d.From == r.Directions[0].From {
			if during > besides/2 {
				t.Errorf("the stalled channel got %.0f frames a second", during)
			}
			continue
		}
		if during < 0.95*besides {
			t.Errorf("%s, priority %d: %.0f frames a second beside the stall, %.0f without", d.From, d.Priority, during, besides)
		}
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if n := hippiOf(d).Counters; n.Shutdowns+n.TxLostAtReset > 0 {
			t.Errorf("%s: %+v", d.Name, n)
		}
	}
}

// With a credit timeout, a virtual channel that stands still shuts the link down. What was lost is counted and told,
// and recover brings the link back while the channel still stands still.
func TestHIPPICreditTimeout(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := hippi{keys: "credit_timeout: 2s, recover: 200ms", link: hippiChannels, edge: hippiPFC}.joined(top)
	events := p.A.Watch()
	c := stall(top, 4*time.Second)
	c.LossTimeout = 500 * time.Millisecond
	r, err := traffic.Run(t.Context(), c, nil)
	bed.Must(t, err)
	bed.NeverTwice(t, r.Directions)
	events.Await("hippi", "VC1 without credit for 2s (credit_timeout)")
	events.Await("hippi", "Link Reset to leave the shutdown (recover)")
	events.Await("hippi", "Messages in transit were lost (tx_lost_at_reset, rx_lost_at_reset)")
	normal(p)
	var lost, counted uint64
	for _, d := range r.Directions {
		lost += d.Lost
		if d.Priority != 1 && d.Delivered < d.Sent/2 {
			t.Errorf("%s to %s, priority %d: %+v", d.From, d.To, d.Priority, d)
		}
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		n := hippiOf(d).Counters
		counted += n.TxLostAtReset + n.RxLostAtReset + n.TxShutdownDiscard + n.RxMessageError
		for _, port := range []api.Port{d.Link(), d.Port("edge0")} {
			k := port.Counters
			counted += k.TxDropQueueFull + k.RxDropNoBuffer + k.RxDropPFC + k.TxDropDown
		}
	}
	a := hippiOf(p.A)
	t.Logf("%d frames lost, %d counted; %d shutdowns, %+v", lost, counted, a.Counters.Shutdowns, a.Counters)
	if a.Channels[1].CreditTimeoutError == 0 || a.Counters.Shutdowns == 0 || lost == 0 || lost > counted {
		t.Errorf("%d frames lost, %d counted, %d shutdowns, %+v", lost, counted, a.Counters.Shutdowns, a.Channels[1])
	}
}

// Both daemons are upgraded in turn under traffic: every frame arrives once and in order, and the link is never reset.
func TestHIPPIUpgradesLoseNothing(t *testing.T) {
	top := bed.Direct(t)
	p := hippi{}.joined(top)
	p.A.EndsLast()
	p.B.EndsLast()
	c := top.Between()
	c.Size, c.Rate, c.RingSize = "imix", 5000, 8192
	load := bed.NewLoad(t, c)
	for range hippiUpgrades {
		for _, d := range []*bed.Daemon{p.A, p.B} {
			took := d.Upgrade()
			load.Reach(load.Least() + 200)
			t.Logf("%s upgraded in %v; longest time without a frame %v", d.Name, took, load.LongestGap())
		}
	}
	bed.NothingLost(t, load.End())
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if n := hippiOf(d).Counters; n.LinkResets != 1 || n.Shutdowns+n.TxLostAtReset+n.RxLostAtReset > 0 {
			t.Errorf("%s: %+v", d.Name, n)
		}
	}
}

// hippiUpgrades is how often each daemon is upgraded in TestHIPPIUpgradesLoseNothing.
const hippiUpgrades = 5

// A partner that is killed and starts again is Normal again at once, and no frame comes twice.
func TestHIPPIPartnerIsKilled(t *testing.T) {
	top := bed.Direct(t)
	p := hippi{}.joined(top)
	load := top.Load(t, 300*time.Millisecond)
	load.Reach(2000)
	p.B.Signal(syscall.SIGKILL)
	p.B.Wait()
	p.B.Start()
	took := normal(p)
	t.Logf("Normal %v after the partner was ready", took)
	if took > bed.Resumption {
		t.Errorf("Normal %v after the partner was ready", took)
	}
	load.Reach(load.Least() + 500)
	bed.NeverTwice(t, load.End())
}

// A dead wire shuts the link down by retries. Recover brings the link back when the wire carries frames again; without
// it the link stays shut down until uelink hippi reset.
func TestHIPPIDeadWire(t *testing.T) {
	t.Parallel()
	for _, recover := range []string{"1s", "0"} {
		t.Run("recover "+recover, func(t *testing.T) {
			t.Parallel()
			top := bed.Bridged(t, bed.LinkMTU)
			p := hippi{keys: "retries: 3, silence: 1m, recover: " + recover}.joined(top)
			events := p.A.Watch()
			from := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
			blackhole(t, top.Wire, "b", true)
			shutDown := func() string {
				from.Send(bed.Probe(1, 200))
				if s := hippiOf(p.A); s.Counters.Shutdowns == 0 {
					return fmt.Sprintf("A is in %s after %d retries", s.LinkState, s.Events.RetryCount)
				}
				return ""
			}
			bed.Eventually(t, "a shutdown at A", shutDown)
			events.Await("hippi", "shut down: 3 retransmissions in a row without success (retries)")
			if recover == "0" {
				if a := p.A.Tool("status", "-o", "table"); a.Code != 1 || !strings.Contains(a.Stdout, "uelink hippi reset link0") {
					t.Errorf("exit %d: %s", a.Code, a.Stdout)
				}
			}
			blackhole(t, top.Wire, "b", false)
			if recover == "0" {
				if s := hippiOf(p.A); s.LinkState != "Shutdown" {
					t.Errorf("A is in %s", s.LinkState)
				}
				p.A.Tool("hippi", "reset", "link0").Succeeds()
			}
			normal(p)
			events.Await("hippi", "Normal")
			bed.AwaitCrossing(from, bed.Open(t, top.HostB, "eth0", bed.ProbeType), bed.Patience)
		})
	}
}

// Two ends that speak different protocols say so by name, each.
func TestHIPPIAndLLRTellEachOther(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	a, b := bed.NewDaemon(t, top.A, "A", hippi{}), bed.NewDaemon(t, top.B, "B", bed.Settings{})
	a.Start()
	b.Start()
	bed.Eventually(t, "partner_problem at both ends", func() string {
		near, far := hippiOf(a).PartnerProblem, b.LLR().PartnerProblem
		if !strings.Contains(near, "partner speaks protocol llr") ||
			!strings.Contains(far, "partner speaks protocol hippi6400") {
			return fmt.Sprintf("%q, %q", near, far)
		}
		return ""
	})
}

// A reload that changes the protocol of both ends starts the link again, and values of section hippi change without.
func TestHIPPIReload(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Settings{}), B: bed.NewDaemon(t, top.B, "B", bed.Settings{})}
	p.Start()
	p.A.Reload(hippi{}.Text(p.A.Socket))
	p.B.Reload(hippi{}.Text(p.B.Socket))
	normal(p)
	before := hippiOf(p.A).Counters.LinkResets
	p.A.Reload(hippi{keys: "retries: 7, credit_timeout: 3s"}.Text(p.A.Socket))
	s := hippiOf(p.A)
	if s.Timeouts.Retries != 7 || s.Timeouts.Credit != 3*time.Second || s.Counters.LinkResets != before || !s.Ready {
		t.Errorf("%+v, %d Link Resets, %d before", s.Timeouts, s.Counters.LinkResets, before)
	}
	ctx, cancel := context.WithTimeout(t.Context(), bed.Patience)
	defer cancel()
	if err := p.A.Client.SetLLRLocal(ctx, "link0", true); err == nil ||
		!strings.Contains(err.Error(), "speaks hippi6400, not llr") {
		t.Errorf("LLR of this link: %v", err)
	}
	for _, view := range []string{"interface", "credits", "events"} {
		if text := p.A.ToolText("hippi", view); !slices.Contains(strings.Fields(text), "link0") {
			t.Error(text)
		}
	}
	p.A.Reload(bed.Settings{}.Text(p.A.Socket))
	p.B.Reload(bed.Settings{}.Text(p.B.Socket))
	p.Advance()
}

// Frames of four priorities cross on four virtual channels if both ends allow VC3, and on three if an end takes its
// permission back: none is lost, before and after.
func TestHIPPIVC3NeedsBothEnds(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	at := func(vc3 bool) hippi {
		return hippi{keys: fmt.Sprintf("vc3: %t", vc3), link: hippiChannels, edge: "qos: {trust: dot1p}"}
	}
	p := at(true).joined(top)
	c := top.Between()
	c.Priorities, c.Size, c.Rate, c.RingSize = []uint8{0, 1, 2, 3}, "imix", 200, 8192
	load := bed.NewLoad(t, c)
	load.Reach(150)
	agreed := func(want bool) {
		bed.Eventually(t, fmt.Sprintf("VC3 at both ends: %t", want), func() string {
			if a, b := hippiOf(p.A), hippiOf(p.B); a.VC3 != want || b.VC3 != want {
				return fmt.Sprintf("A %t, B %t", a.VC3, b.VC3)
			}
			return ""
		})
		load.Reach(load.Least() + 150)
	}
	agreed(true)
	p.B.Reload(at(false).Text(p.B.Socket))
	agreed(false)
	p.B.Reload(at(true).Text(p.B.Socket))
	agreed(true)
	bed.NothingLost(t, load.End())
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if n := hippiOf(d).Counters; n.RxRefused+n.TxRejected > 0 {
			t.Errorf("%s: %+v", d.Name, n)
		}
	}
}
