package demo

import (
	"context"
	"fmt"
	"path/filepath"

	"uelink/cbfc"
	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/rig"
)

// station is one end of the link: a daemon and its client.
type station struct {
	name     string
	protocol string
	channels int // lossless virtual channels in its configuration
	daemon   *rig.Daemon
}

// startStation writes the configuration of station name (A or B) below dir and starts its daemon, without waiting
// until the daemon is ready.
func startStation(ns *netns.NS, name, dir string, o Options) (*station, error) {
	d, err := rig.NewDaemon(filepath.Join(dir, name), func(socket string) string { return configText(name, socket, o) })
	if err != nil {
		return nil, err
	}
	if err := d.Start(ns, "uelinkd at "+name, apart(d.Command(o.Daemon))); err != nil {
		d.Close()
		return nil, err
	}
	return &station{name: name, protocol: o.Protocol, channels: o.VCs, daemon: d}, nil
}

// established reports whether LLR works both ways and, with virtual channels, all of them have credits. The text
// describes the present state for messages.
func (s *station) established(ctx context.Context) (bool, string) {
	if s.protocol == hippi {
		return s.normal(ctx)
	}
	l, err := s.daemon.Client.LLRInterface(ctx, "link0")
	if err != nil {
		return false, fmt.Sprintf("%s: %v", s.name, err)
	}
	up := l.Established()
	if up && s.channels > 0 {
		return s.lossless(ctx)
	}
	return up, fmt.Sprintf("%s: tx_status %s, rx_status %s, partner_known %v %s", s.name, l.TxStatus, l.RxStatus,
		l.PartnerKnown, l.PartnerProblem)
}

// normal reports whether the station's link, which speaks HIPPI-6400-PH, carries frames. The returned text has the
// link's present state, for messages.
func (s *station) normal(ctx context.Context) (bool, string) {
	l, err := s.daemon.Client.HIPPIOf(ctx, "link0")
	if err != nil {
		return false, fmt.Sprintf("%s: %v", s.name, err)
	}
	return l.Ready, fmt.Sprintf("%s: %s, signal %v %s", s.name, l.LinkState, l.Activity, l.PartnerProblem)
}

// lossless reports whether every virtual channel has credits. The text says how many have, for messages.
func (s *station) lossless(ctx context.Context) (bool, string) {
	c, err := s.daemon.Client.CBFCOf(ctx, "link0")
	if err != nil {
		return false, fmt.Sprintf("%s: %v", s.name, err)
	}
	ready := 0
	for _, vc := range c.VCs {
		if vc.Phase == cbfc.Lossless.String() {
			ready++
		}
	}
	return ready == s.channels, fmt.Sprintf("%s: the partner grants credits to %d of %d virtual channels",
		s.name, ready, s.channels)
}

// ports asks the daemon and returns the state of its link port and of its edge port.
func (s *station) ports(ctx context.Context) (link, edge api.Port, err error) {
	if link, err = s.daemon.Client.Port(ctx, "link0"); err == nil {
		edge, err = s.daemon.Client.Port(ctx, "edge0")
	}
	if err != nil {
		err = fmt.Errorf("ask uelinkd at %s: %w", s.name, err)
	}
	return link, edge, err
}
