package main

import (
	"context"
	"errors"

	"uelink/internal/netns"
	"uelink/lab/e2e/nics/guest"
	"uelink/lab/e2e/nics/machine"
)

// lossy is the flags of the wire that replaces the clean wire.
var lossy = []string{"--loss", "0.01"}

// crossing runs a case with two virtual machines, a client and a server, each with one NIC, on one wire. The wire
// loses nothing until the client asks for the lossy one. The results go to r.
func (l *lab) crossing(ctx context.Context, lane lane, image machine.Image, r *result) (err error) {
	ns, err := netns.New("nics")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ns.Close()) }()
	near := lane.nics(lane.Model, macs, tap(0), "")[:1]
	return l.withMachine(ctx, image, near, ns.Start, r, func(client *machine.Guest) error {
		far := lane.nics(lane.Far, farMACs, tap(2), "")[:1]
		return l.withMachine(ctx, image, far, ns.Start, r, func(server *machine.Guest) error {
			return l.compare(ns, lane, image, client, server, r)
		})
	})
}

// compare starts the wire and the scripts of client and server, and stores the client's results in r: the same
// conversations over a clean wire and then over a lossy one.
func (l *lab) compare(ns *netns.NS, lane lane, image machine.Image, client, server *machine.Guest, r *result) error {
	for _, name := range []string{taps[0], taps[2]} {
		if err := errors.Join(ns.SetMTU(name, wireMTU), ns.SetLink(name, true)); err != nil {
			return err
		}
	}
	wire, err := l.plug(ns, nil, taps[0], taps[2])
	if err != nil {
		return err
	}
	defer func() { _ = wire.pull() }() // pulled already, unless another step failed
	if err := begin(server, lane.task("server", farMACs, image, l.options)); err != nil {
		return err
	}
	if err := begin(client, lane.task(scriptClient, macs, image, l.options)); err != nil {
		return err
	}
	worse := func(g *machine.Guest, a guest.Ask) (err error) {
		if a.Verb != guest.AskBadWire {
			return serve(g, a)
		}
		if err := wire.report(r); err != nil {
			return err
		}
		wire, err = l.plug(ns, lossy, taps[0], taps[2])
		return err
	}
	if err := l.converse(client, r, worse); err != nil {
		return errors.Join(err, l.endGuest(server, r))
	}
	return errors.Join(l.endGuest(server, r), wire.report(r))
}
