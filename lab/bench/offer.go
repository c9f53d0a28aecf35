package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/lab/bench/kernel"
)

// offer is a rate of frames to the edges of all links together.
type offer struct {
	pps   int // frames a second; 0: the highest rate of the generator
	burst int // frames to one edge before the next edge's turn
}

// String returns the rate and the bursts, as tables show them.
func (o offer) String() string {
	manner := "one by one"
	if o.burst > 1 {
		manner = fmt.Sprintf("bursts of %d", o.burst)
	}
	if o.pps == 0 {
		return "saturated, " + manner
	}
	return fmt.Sprintf("%d kpps, %s", o.pps/1000, manner)
}

// interval returns the time between the beginnings of two bursts; 0 for the highest rate.
func (o offer) interval() time.Duration {
	if o.pps == 0 {
		return 0
	}
	return time.Second * time.Duration(o.burst) / time.Duration(o.pps)
}

// spread returns the settings of the generator for this load: burst length and the time between two bursts.
func (o offer) spread() kernel.Spread { return kernel.Spread{Burst: o.burst, Interval: o.interval()} }

// spread prepares a load: frame goes to the edges of a number of links in turn, with the settings s. The load begins to
// send when r.begin or r.paced is called. far is called for the far end of each link, to attach a receiver. An LLR
// receiver sends an LLR_ACK for each group of frames; acknowledged is the size of the group.
func (b *bed) spread(far farEnd, links int, s kernel.Spread, frame []byte, acknowledged int) (r *running, err error) {
	r = &running{out: "link"}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.far.close())
		}
	}()
	if s.Ifindexes, err = b.indexes("gen", links); err != nil {
		return r, err
	}
	for i := range links {
		l, err := kernel.New(kernel.Config{Ifindex: s.Ifindexes[0], AckEvery: acknowledged, Spread: s})
		if err != nil {
			return r, err
		}
		r.far = append(r.far, l)
		if err := far(l, i); err != nil {
			return r, fmt.Errorf("link %d of %d: %w", i, links, err)
		}
	}
	r.begin = func() (*kernel.Source, error) { return r.far[0].Spread(b.load, loadCPU, frame) }
	r.paced = r.begin
	return r, nil
}

// farEnd attaches the partner of a link.
type farEnd func(l *kernel.Load, link int) error

// receiver returns a function that attaches an LLR receiver, in the kernel, to the far end of a link, and brings
// the LLR of daemon d on this link up.
func (b *bed) receiver(d *daemon) farEnd {
	return func(l *kernel.Load, link int) error {
		return errors.Join(l.Receive(b.load, nth("part", link)), b.advance(l, d, link))
	}
}

// sink attaches a program to the far end of a link that counts and drops the frames.
func (b *bed) sink(l *kernel.Load, link int) error { return l.Sink(b.load, nth("part", link)) }
