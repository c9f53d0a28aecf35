package main

import (
	"context"
	"errors"

	"uelink/bench/kernel"
)

// ackEvery is how many frames the partner lets pass before an LLR_ACK: a batch, as
// our own receiver does when it is busy.
const ackEvery = 64

// lookahead is the window of the partner that sends.
const lookahead = 512

// plainLoad sends frames from gen0 and counts them at part0.
func plainLoad(b *bed, _ forwarder, octets int) (*running, error) {
	return b.fromEdge(b.sink, octets)
}

// txLoad is the same with an LLR receiver at part0.
func txLoad(b *bed, f forwarder, octets int) (*running, error) {
	return b.fromEdge(b.receiver(f.(*daemon)), octets)
}

// fromEdge sends one frame from gen0, over and over. A program that knows no rate makes the
// most of them.
func (b *bed) fromEdge(far farEnd, octets int) (*running, error) {
	frame := kernel.Frame(octets)
	r, err := b.spread(far, 1, kernel.Spread{}, frame, ackEvery)
	if err != nil {
		return nil, err
	}
	r.begin = func() (*kernel.Source, error) { return r.far[0].Source(b.load, loadCPU, frame) }
	return r, nil
}

// advance plays the partner of a link in its handshake.
func (b *bed) advance(l *kernel.Load, d *daemon, link int) error {
	port := nth("link", link)
	begin := func() error { return d.client.ReinitLLR(context.Background(), port) }
	return l.Echo(b.load, nth("part", link), begin, func() bool {
		is, err := d.client.LLRInterface(context.Background(), port)
		return err == nil && is.TxStatus.String() == "ADVANCE"
	})
}

// rxLoad has an LLR transmitter at part0 and counts at gen0.
func rxLoad(b *bed, _ forwarder, octets int) (*running, error) {
	index, err := b.index("part0")
	if err != nil {
		return nil, err
	}
	octets = min(octets, kernel.MaxSequence)
	load, err := kernel.New(kernel.Config{Ifindex: index, Octets: octets, Window: lookahead})
	if err != nil {
		return nil, err
	}
	frame, _, _ := kernel.DataImage(octets)
	err = errors.Join(load.Hear(b.load, "part0"), load.Sink(b.load, "gen0"), kernel.Init(b.load, "part0"))
	if err != nil {
		return nil, errors.Join(err, load.Close())
	}
	sequence := func() (*kernel.Source, error) { return load.Sequence(b.load, loadCPU, frame) }
	return &running{far: farEnds{load}, begin: sequence, paced: sequence}, nil
}
