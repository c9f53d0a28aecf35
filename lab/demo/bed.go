package demo

import (
	"context"
	"errors"

	"uelink/control/api"
	"uelink/lab/traffic"
)

// Bed is the running demo with its link up, for callers that send their own traffic.
type Bed struct{ demo *demo }

// With builds the demo (two hosts, two daemons, a wire), waits until LLR is up, calls use, and removes everything
// again, whatever happens. The context of use also ends when a part of the demo fails. Errors: *Error, or the
// error of the failed part.
func With(ctx context.Context, o Options, use func(context.Context, *Bed) error) (err error) {
	if err := o.Validate(); err != nil {
		return &Error{exitUsage, err}
	}
	if err := o.findPrograms(); err != nil {
		return err
	}
	if err := checkKernel(); err != nil {
		return err
	}
	d := &demo{options: o}
	defer func() { err = explained(errors.Join(err, d.close())) }()
	if err := d.start(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.watch(cancel)
	if err := d.established(ctx); err != nil {
		return err
	}
	return use(ctx, &Bed{d})
}

// Stream sends numbered frames between the hosts, both ways at once, as c says (its ends are replaced by the
// hosts), waits for their end, and returns the counts. Errors: those of traffic.Run.
func (b *Bed) Stream(ctx context.Context, c traffic.Config) (traffic.Result, error) {
	return traffic.Run(ctx, b.demo.between(c), nil)
}

// Links asks both daemons and returns the state of their link ports, A's first.
func (b *Bed) Links(ctx context.Context) (links [2]api.Port, err error) {
	for i, s := range b.demo.stations {
		if links[i], _, err = s.ports(ctx); err != nil {
			return links, err
		}
	}
	return links, nil
}

// hostRate is the rate in bit/s at which hosts and edges count the quanta of a pause.
// At 1 Gb/s the longest pause lasts 34 ms.
// So a stalled host has time to renew the pause, also on a busy machine.
const hostRate = 1_000_000_000

// between returns the traffic configuration c with the demo's two hosts as its ends, and with their rate for PFC.
func (d *demo) between(c traffic.Config) traffic.Config {
	c.PFCRate = hostRate
	c.From, c.To = d.options.Traffic.From, d.options.Traffic.To
	c.From.NetNS, c.To.NetNS = d.spaces.hosts[0].Name(), d.spaces.hosts[1].Name()
	return c
}
