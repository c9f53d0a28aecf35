package demo

import (
	"context"
	"errors"

	"uelink/control"
	"uelink/traffic"
)

// Bed is what the demo runs in, with the link up: for traffic that is somebody else's.
type Bed struct{ demo *demo }

// With builds everything, has use do something with it, and takes everything down again, whatever
// happens. Its context ends also when a part of the bed does. Errors: *Error, or what failed.
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

// Stream sends what c says from host to host, both ways at once; the ends of c are the bed's to
// set. Errors: those of traffic.Run.
func (b *Bed) Stream(ctx context.Context, c traffic.Config) (traffic.Result, error) {
	return traffic.Run(ctx, b.demo.between(c), nil)
}

// Links are the link ports of both stations.
func (b *Bed) Links(ctx context.Context) (links [2]control.Port, err error) {
	for i, s := range b.demo.stations {
		if links[i], _, err = s.ports(ctx); err != nil {
			return links, err
		}
	}
	return links, nil
}

// hostRate is the rate in bit/s at which hosts and edges count the quanta of a pause.
// At 1 Gb/s the longest pause lasts 34 ms.
// So a host that stands still has time to say it again, also on a machine that has other work.
const hostRate = 1_000_000_000

// between is traffic from host to host.
func (d *demo) between(c traffic.Config) traffic.Config {
	c.PFCRate = hostRate
	c.From, c.To = d.options.Traffic.From, d.options.Traffic.To
	c.From.NetNS, c.To.NetNS = d.topology.hosts[0].Name(), d.topology.hosts[1].Name()
	return c
}
