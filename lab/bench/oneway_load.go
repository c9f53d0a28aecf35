package main

import (
	"context"
	"errors"

	"uelink/lab/bench/kernel"
)

// ackEvery is how many frames the partner receives between two LLR_ACK: a batch, as our receiver does under load.
const ackEvery = 64

// lookahead is the most unacknowledged frames of the partner that sends to a daemon.
const lookahead = 512

// plainLoad prepares this load for a forwarder: frames of a length are sent from gen0, and counted at part0.
func plainLoad(b *bed, _ forwarder, octets int) (*running, error) {
	return b.fromEdge(b.sink, octets)
}

// txLoad prepares this load for a daemon that sends with LLR: frames of a length are sent from gen0 to the
// daemon's edge, and an LLR receiver at part0 counts and acknowledges them.
func txLoad(b *bed, f forwarder, octets int) (*running, error) {
	return b.fromEdge(b.receiver(f.(*daemon)), octets)
}

// fromEdge prepares a load that sends a frame of a length from gen0 again and again, as fast as the generator can; far
// attaches the receiver at the other side.
func (b *bed) fromEdge(far farEnd, octets int) (*running, error) {
	frame := kernel.Frame(octets)
	r, err := b.spread(far, 1, kernel.Spread{}, frame, ackEvery)
	if err != nil {
		return nil, err
	}
	r.begin = func() (*kernel.Source, error) { return r.far[0].Source(b.load, loadCPU, frame) }
	return r, nil
}

// advance makes the daemon start LLR on a link again, and answers the daemon's LLR_INIT in the place of a partner
// until the daemon's LLR is in state ADVANCE.
func (b *bed) advance(l *kernel.Load, d *daemon, link int) error {
	port := nth("link", link)
	begin := func() error { return d.client.ReinitLLR(context.Background(), port) }
	return l.Echo(b.load, nth("part", link), begin, func() bool {
		state, err := d.client.LLRInterface(context.Background(), port)
		return err == nil && state.TxStatus.String() == "ADVANCE"
	})
}

// rxLoad prepares this load for a daemon that receives with LLR: an LLR transmitter at part0 sends frames of a
// length, the longest kernel.MaxSequence, and gen0 counts the frames that leave the daemon's edge.
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
	return &running{far: farEnds{load}, begin: sequence, paced: sequence, out: "edge"}, nil
}
