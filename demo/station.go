package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"uelink/control"
	"uelink/netns"
)

// station is one end of the link: a daemon and the way to ask it.
type station struct {
	name   string
	daemon *child
	client *control.Client
}

// startStation writes a configuration and starts a daemon with it.
func startStation(ns *netns.NS, name, dir string, o Options) (*station, error) {
	socket, file := filepath.Join(dir, name+".sock"), filepath.Join(dir, name+".yaml")
	if err := os.WriteFile(file, []byte(configText(socket, o.Dialect)), 0o600); err != nil {
		return nil, err
	}
	daemon, err := startChild(ns, "uelinkd at "+name, []string{"STATE_DIRECTORY=" + dir}, o.Daemon, "--config", file)
	if err != nil {
		return nil, err
	}
	return &station{name: name, daemon: daemon, client: control.NewClient(socket)}, nil
}

// established says whether LLR works both ways, and how far it is if not.
func (s *station) established(ctx context.Context) (bool, string) {
	l, err := s.client.LLRInterface(ctx, "link0")
	if err != nil {
		return false, fmt.Sprintf("%s: %v", s.name, err)
	}
	up := (l.TxStatus == "ADVANCE" || l.TxStatus == "REPLAY") && l.RxStatus != "OFF" && l.PartnerKnown
	return up, fmt.Sprintf("%s: tx_status %s, rx_status %s, partner_known %v %s", s.name, l.TxStatus, l.RxStatus, l.PartnerKnown, l.PartnerProblem)
}

// ports is the state of both ports of the daemon.
func (s *station) ports(ctx context.Context) (link, edge control.Port, err error) {
	if link, err = s.client.Port(ctx, "link0"); err == nil {
		edge, err = s.client.Port(ctx, "edge0")
	}
	if err != nil {
		err = fmt.Errorf("ask uelinkd at %s: %w", s.name, err)
	}
	return link, edge, err
}
