package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/bench/kernel"
)

// offer is a rate at which frames come to the edges of all links together.
type offer struct {
	pps   int // 0: what the generator can make
	burst int // frames that come to one edge at once, before the next edge's turn
}

func (o offer) String() string {
	how := "one by one"
	if o.burst > 1 {
		how = fmt.Sprintf("bursts of %d", o.burst)
	}
	if o.pps == 0 {
		return "saturated, " + how
	}
	return fmt.Sprintf("%d kpps, %s", o.pps/1000, how)
}

// interval is how long after a burst the next one comes.
func (o offer) interval() time.Duration {
	if o.pps == 0 {
		return 0
	}
	return time.Second * time.Duration(o.burst) / time.Duration(o.pps)
}

// spread is the source of frames that makes this offer.
func (o offer) spread() kernel.Spread { return kernel.Spread{Burst: o.burst, Interval: o.interval()} }

// spread prepares the frames that are sent to the edges of several links, as s says but for its interfaces, which are
// the bed's. far is what the far end of each link does with them: an LLR receiver acknowledges one frame in
// acknowledged. The program of the first far end also sends.
func (b *bed) spread(far farEnd, links int, s kernel.Spread, frame []byte, acknowledged int) (r *running, err error) {
	r = &running{}
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

// farEnd plays the partner of a link.
type farEnd func(l *kernel.Load, link int) error

// receiver is an LLR receiver.
func (b *bed) receiver(d *daemon) farEnd {
	return func(l *kernel.Load, link int) error {
		return errors.Join(l.Receive(b.load, nth("part", link)), b.advance(l, d, link))
	}
}

// sink counts.
func (b *bed) sink(l *kernel.Load, link int) error { return l.Sink(b.load, nth("part", link)) }
