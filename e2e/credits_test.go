package e2e

import (
	"context"
	"fmt"
	"strings"

	"uelink/control"
)

// vc returns a virtual channel of a daemon's link.
func (d *daemon) vc(index int) control.VirtualChannel {
	d.t.Helper()
	for _, v := range d.credits().VCs {
		if v.VC == index {
			return v
		}
	}
	d.t.Fatalf("%s has no VC %d with credits", d.name, index)
	return control.VirtualChannel{}
}

// phase waits until a virtual channel is in a phase of sending under credits.
func (d *daemon) phase(vc int, phase string) {
	d.t.Helper()
	eventually(d.t, fmt.Sprintf("%s: VC %d %s", d.name, vc, phase), func() string {
		if v := d.vc(vc); v.Phase != phase {
			return fmt.Sprintf("%s %s", v.Phase, v.Note)
		}
		return ""
	})
}

// lossless waits until virtual channels are under credits both ways.
func (p pair) lossless(vcs ...int) {
	p.a.t.Helper()
	for _, vc := range vcs {
		p.a.phase(vc, "lossless")
		p.b.phase(vc, "lossless")
	}
}

// atRest waits until the counts of virtual channels are equal, S_CC = R_CC = R_CF = S_CF, both ways.
func (p pair) atRest(vcs ...int) {
	p.a.t.Helper()
	for _, vc := range vcs {
		for _, way := range [][2]*daemon{{p.a, p.b}, {p.b, p.a}} {
			eventually(p.a.t, fmt.Sprintf("VC %d at rest", vc), func() string {
				s, r := way[0].vc(vc), way[1].vc(vc)
				n := s.CreditsConsumed
				if n != s.CreditsFreed || n != r.RxCreditsConsumed || n != r.RxCreditsFreed {
					return fmt.Sprintf("%s: S_CC %d, S_CF %d; R_CC %d, R_CF %d",
						way[0].name, n, s.CreditsFreed, r.RxCreditsConsumed, r.RxCreditsFreed)
				}
				return ""
			})
		}
	}
}

// bounded demands that no sender of virtual channels has ever used more credits than granted, and that no receiver
// has counted more.
func (p pair) bounded(vcs ...int) {
	p.a.t.Helper()
	for _, d := range []*daemon{p.a, p.b} {
		for _, vc := range vcs {
			v := d.vc(vc)
			if v.CreditsUsedWatermark > v.SenderCreditLimit || v.Counters.Overruns+v.Counters.CFIgnored > 0 {
				d.t.Errorf("%s: %+v", d.name, v)
			}
		}
	}
}

// blocked demands that frames of a virtual channel have waited because all credits were in use.
func (d *daemon) blocked(vc int) {
	d.t.Helper()
	v := d.vc(vc)
	if n := &v.Counters; n.BlockedTime == 0 || n.BlockedFrames == 0 ||
		v.CreditsUsedWatermark != v.SenderCreditLimit {
		d.t.Errorf("%s: VC %d was not stopped by credits: %+v", d.name, vc, v)
	}
}

// noDrops demands that a daemon and its sockets have dropped no frame.
func (d *daemon) noDrops() {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ports, err := d.client.Ports(ctx)
	must(d.t, err)
	for _, p := range ports {
		for _, f := range control.Fields(p.Counters) {
			drop := strings.Contains(f.Key, "drop") || f.Key == "tx_flushed" || f.Key == "rx_refused" || f.Key == "rx_oversized"
			if drop && f.Value.(uint64) > 0 {
				d.t.Errorf("%s: %s of %s is %v", d.name, f.Key, p.Name, f.Value)
			}
		}
		if s := p.Socket; s.RxDropped+s.RxRingFull > 0 {
			d.t.Errorf("%s: sockets of %s: %+v", d.name, p.Name, s)
		}
		for _, q := range p.QueueStats {
			if q.Dropped > 0 {
				d.t.Errorf("%s: queue %d of %s has dropped %d frames", d.name, q.Queue, p.Name, q.Dropped)
			}
		}
	}
}

// pausing returns the PFC state of a priority at an edge.
func (d *daemon) pausing(edge string, priority int) control.PFCPriority {
	d.t.Helper()
	if pfc := d.port(edge).PFC; pfc != nil {
		for _, p := range pfc.Priorities {
			if p.Priority == priority {
				return p
			}
		}
	}
	d.t.Fatalf("%s: %s has no PFC for priority %d", d.name, edge, priority)
	return control.PFCPriority{}
}
