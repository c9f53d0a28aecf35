package main

import (
	"context"
	"errors"

	"uelink/lab/bench/kernel"
)

// ackEvery is how many frames the partner receives between two LLR_ACK: a batch, as our receiver does under load.
const ackEvery = 64

// lookahead is the window of the sending partner.
const lookahead = 512

// plainLoad sends frames from gen0 and counts them at part0.
func plainLoad(b *bed, _ forwarder, octets int) (*running, error) {
	return b.fromEdge(b.sink, octets)
}

// txLoad sends frames from gen0 to an LLR receiver at part0.
func txLoad(b *bed, f forwarder, octets int) (*running, error) {
	return b.fromEdge(b.receiver(f.(*daemon)), octets)
}

// fromEdge sends a frame from gen0 repeatedly, by the program without a rate, which is the fastest.
func (b *bed) fromEdge(far farEnd, octets int) (*running, error) {
	frame := kernel.Frame(octets)
	r, err := b.spread(far, 1, kernel.Spread{}, frame, ackEvery)
	if err != nil {
		return nil, err
	}
	r.begin = func() (*kernel.Source, error) { return r.far[0].Source(b.load, loadCPU, frame) }
	return r, nil
}

// advance answers the handshake of the daemon on a link, as its partner.
func (b *bed) advance(l *kernel.Load, d *daemon, link int) error {
	port := nth("link", link)
	begin := func() error { return d.client.ReinitLLR(context.Background(), port) }
	return l.Echo(b.load, nth("part", link), begin, func() bool {
		is, err := d.client.LLRInterface(context.Background(), port)
		return err == nil && is.TxStatus.String() == "ADVANCE"
	})
}

// rxLoad starts an LLR transmitter at part0 and counts frames at gen0.
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
	err = errors.Join(load.ReceiveAcks(b.load, "part0"), load.Sink(b.load, "gen0"), kernel.Init(b.load, "part0"))
	if err != nil {
		return nil, errors.Join(err, load.Close())
	}
	sequence := func() (*kernel.Source, error) { return load.Sequence(b.load, loadCPU, frame) }
	return &running{far: farEnds{load}, begin: sequence, paced: sequence}, nil
}
