package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uelink/lab/bench/kernel"
)

// Announcements of addresses: at a rate at which every bridge can learn, and each address announceTimes times,
// because a frame may be lost.
const (
	announceEvery = 20 * time.Microsecond
	announceTimes = 2
)

// announce makes the forwarder, a bridge, learn addresses: it sends frames from the given number of different
// source addresses into the far end of each link, and waits until the bridge knows all of them.
func (b *bed) announce(f forwarder, links, addresses int) (err error) {
	indexes, err := b.indexes("part", links)
	if err != nil {
		return err
	}
	spread := kernel.Spread{Ifindexes: indexes, Interval: announceEvery, Addresses: addresses, Announce: true}
	load, err := kernel.New(kernel.Config{Spread: spread})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, load.Close()) }()
	source, err := load.Spread(b.load, loadCPU, kernel.Frame(announceOctets))
	if err != nil {
		return err
	}
	err = awaitSent(load, uint64(announceTimes*links*addresses))
	if err = errors.Join(err, source.Stop(), f.failed()); err != nil {
		return err
	}
	return awaitLearned(f.(learner), links*addresses)
}

// announceOctets is the length of the frames that announce an address.
const announceOctets = 64

// awaitSent waits until a running source of the load has sent the given number of frames; it returns an error if
// the source takes much longer than its rate says.
func awaitSent(load *kernel.Load, frames uint64) error {
	within := patience + time.Duration(2*frames)*announceEvery
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(millisecond) {
		if sent, err := load.Paced(); err != nil || sent.Frames >= frames {
			return err
		}
	}
	return errors.New("the generator did not send in time all frames that announce addresses to the bridge")
}

// learner is a forwarder that learns addresses.
type learner interface {
	learned() (addresses int, err error)
}

// awaitLearned waits until a bridge knows the given number of addresses, and returns an error after 10 s. A bridge
// would flood frames to unknown addresses.
func awaitLearned(bridge learner, addresses int) (err error) {
	learned := 0
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * millisecond) {
		if learned, err = bridge.learned(); err != nil || learned >= addresses {
			return err
		}
	}
	return fmt.Errorf("the bridge has learned %d addresses, of %d that have sent frames", learned, addresses)
}

// learned returns how many addresses all bridges of a daemon together have learned.
func (d *daemon) learned() (addresses int, err error) {
	bridges, err := d.client.Bridges(context.Background())
	for _, b := range bridges {
		addresses += b.Entries
	}
	return addresses, err
}
