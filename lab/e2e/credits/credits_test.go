package credits

import (
	"context"
	"fmt"
	"strings"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// phase waits until a virtual channel is in a phase of sending under credits.
func phase(d *bed.Daemon, vc int, phase string) {
	d.T.Helper()
	bed.Eventually(d.T, fmt.Sprintf("%s: VC %d %s", d.Name, vc, phase), func() string {
		if v := d.VC(vc); v.Phase != phase {
			return fmt.Sprintf("%s %s", v.Phase, v.Note)
		}
		return ""
	})
}

// underCredits waits until virtual channels are under credits both ways.
func underCredits(p bed.Pair, vcs ...int) {
	p.A.T.Helper()
	for _, vc := range vcs {
		phase(p.A, vc, "lossless")
		phase(p.B, vc, "lossless")
	}
}

// atRest waits until the counts of virtual channels are equal, S_CC = R_CC = R_CF = S_CF, both ways.
func atRest(p bed.Pair, vcs ...int) {
	p.A.T.Helper()
	for _, vc := range vcs {
		for _, way := range [][2]*bed.Daemon{{p.A, p.B}, {p.B, p.A}} {
			bed.Eventually(p.A.T, fmt.Sprintf("VC %d at rest", vc), func() string {
				s, r := way[0].VC(vc), way[1].VC(vc)
				n := s.CreditsConsumed
				if n != s.CreditsFreed || n != r.RxCreditsConsumed || n != r.RxCreditsFreed {
					return fmt.Sprintf("%s: S_CC %d, S_CF %d; R_CC %d, R_CF %d",
						way[0].Name, n, s.CreditsFreed, r.RxCreditsConsumed, r.RxCreditsFreed)
				}
				return ""
			})
		}
	}
}

// bounded demands that no sender of virtual channels has ever used more credits than granted, and that no receiver
// has counted more.
func bounded(p bed.Pair, vcs ...int) {
	p.A.T.Helper()
	for _, d := range []*bed.Daemon{p.A, p.B} {
		for _, vc := range vcs {
			v := d.VC(vc)
			if v.CreditsUsedWatermark > v.SenderCreditLimit || v.Counters.Overruns+v.Counters.CFIgnored > 0 {
				d.T.Errorf("%s: %+v", d.Name, v)
			}
		}
	}
}

// blocked demands that frames of a virtual channel have waited because all credits were in use.
func blocked(d *bed.Daemon, vc int) {
	d.T.Helper()
	v := d.VC(vc)
	if n := &v.Counters; n.BlockedTime == 0 || n.BlockedFrames == 0 ||
		v.CreditsUsedWatermark != v.SenderCreditLimit {
		d.T.Errorf("%s: VC %d was not stopped by credits: %+v", d.Name, vc, v)
	}
}

// noDrops demands that a daemon and its sockets have dropped no frame.
func noDrops(d *bed.Daemon) {
	d.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bed.Patience)
	defer cancel()
	ports, err := d.Client.Ports(ctx)
	bed.Must(d.T, err)
	for _, p := range ports {
		for _, f := range api.Fields(p.Counters) {
			drop := strings.Contains(f.Key, "drop") || f.Key == "tx_flushed" || f.Key == "rx_refused" || f.Key == "rx_oversized"
			if drop && f.Value.(uint64) > 0 {
				d.T.Errorf("%s: %s of %s is %v", d.Name, f.Key, p.Name, f.Value)
			}
		}
		if s := p.Socket; s.RxDropped+s.RxRingFull > 0 {
			d.T.Errorf("%s: sockets of %s: %+v", d.Name, p.Name, s)
		}
		for _, q := range p.QueueStats {
			if q.Dropped > 0 {
				d.T.Errorf("%s: queue %d of %s has dropped %d frames", d.Name, q.Queue, p.Name, q.Dropped)
			}
		}
	}
}

// pausing returns the PFC state of a priority at an edge.
func pausing(d *bed.Daemon, edge string, priority int) api.PFCPriority {
	d.T.Helper()
	if pfc := d.Port(edge).PFC; pfc != nil {
		for _, p := range pfc.Priorities {
			if p.Priority == priority {
				return p
			}
		}
	}
	d.T.Fatalf("%s: %s has no PFC for priority %d", d.Name, edge, priority)
	return api.PFCPriority{}
}
