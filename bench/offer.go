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

// spread sends frames to all edges of a daemon at the rate of an offer; the
// partner of each link is an LLR receiver that acknowledges every so manyeth
// frame. The first of its far ends knows what was sent.
func (b *bed) spread(d *daemon, links int, o offer, octets, acknowledged int) (r *running, err error) {
	r = &running{}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.far.close())
		}
	}()
	config := kernel.Config{AckEvery: acknowledged, Spread: kernel.Spread{Burst: o.burst, Interval: o.interval()}}
	for i := range links {
		index, err := b.index(nth("gen", i))
		if err != nil {
			return r, err
		}
		config.Spread.Ifindexes = append(config.Spread.Ifindexes, index)
	}
	for i := range links {
		l, err := kernel.New(config)
		if err != nil {
			return r, err
		}
		r.far = append(r.far, l)
		if err := errors.Join(l.Receive(b.load, nth("part", i)), b.advance(l, d, i)); err != nil {
			return r, fmt.Errorf("link %d of %d: %w", i, links, err)
		}
	}
	r.begin = func() (*kernel.Source, error) { return r.far[0].Spread(b.load, loadCPU, kernel.Frame(octets)) }
	return r, nil
}
