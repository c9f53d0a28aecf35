package guest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"uelink/traffic"
)

// load is numbered frames between the hosts, both ways, until it is ended.
type load struct {
	stop  context.CancelFunc
	ended chan struct{}

	mu        sync.Mutex
	delivered [2]uint64
	since     [2]time.Time // when that many had arrived
	pause     time.Duration

	result traffic.Result
	err    error
}

// onTheWay is how many frames are sent ahead of those that have arrived, each way.
const onTheWay = 64

// writeOff is how long the frames of a direction in which nothing arrives are waited for, before
// others are sent in their place, where frames may be lost.
const writeOff = 2 * time.Second

// lossless is the time after which a frame is lost where none may be: when later ones have come, and
// four times as long where none comes, which is longer than any fault takes.
const lossless = 8 * time.Second

// frames is a load between interfaces of the hosts.
func (b *bed) frames(ifname string, lossTimeout time.Duration) traffic.Config {
	c := traffic.DefaultConfig()
	c.From = traffic.End{Interface: ifname, NetNS: b.hostA.Name(), Label: "hostA"}
	c.To = traffic.End{Interface: ifname, NetNS: b.hostB.Name(), Label: "hostB"}
	c.Frames, c.Size, c.Window = 0, "imix", onTheWay
	c.LossTimeout, c.GiveUp = lossTimeout, 30*time.Second
	return c
}

// load starts one and waits until frames flow both ways.
func (b *bed) load(lossTimeout time.Duration) (*load, error) {
	return startLoad(b.frames("eth0", lossTimeout))
}

func startLoad(c traffic.Config) (*load, error) {
	return startRun(func(ctx context.Context, note func(traffic.Progress)) (traffic.Result, error) {
		return traffic.Run(ctx, c, note)
	})
}

// startRun starts a load that run makes until its context ends.
func startRun(run func(context.Context, func(traffic.Progress)) (traffic.Result, error)) (*load, error) {
	ctx, stop := context.WithCancel(context.Background())
	now := time.Now()
	l := &load{stop: stop, ended: make(chan struct{}), since: [2]time.Time{now, now}}
	go func() {
		defer close(l.ended)
		l.result, l.err = run(ctx, l.note)
	}()
	err := l.flows(flowing)
	l.mu.Lock()
	l.pause = 0 // until frames flow nothing pauses
	l.mu.Unlock()
	return l, err
}

// flowing is how long frames may take to flow, or to flow again.
const flowing = 30 * time.Second

// note remembers when frames arrived.
func (l *load) note(p traffic.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, d := range p.Directions {
		now := time.Now()
		l.pause = max(l.pause, now.Sub(l.since[i]))
		if d.Delivered != l.delivered[i] {
			l.delivered[i], l.since[i] = d.Delivered, now
		}
	}
}

// arrived is how many frames have, each way.
func (l *load) arrived() [2]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.delivered
}

// flows waits until several windows of frames more have arrived each way.
func (l *load) flows(bound time.Duration) error {
	before := l.arrived()
	return within(bound, "frames both ways", func() string {
		select {
		case <-l.ended:
			return fmt.Sprintf("the traffic has ended: %v", l.err)
		default:
		}
		now := l.arrived()
		for i := range now {
			if now[i] < before[i]+5*onTheWay {
				return fmt.Sprintf("%d and %d have arrived, at first %d and %d", now[0], now[1], before[0], before[1])
			}
		}
		return ""
	})
}

// end ends it, and waits for what is on its way.
func (l *load) end() error {
	l.stop()
	<-l.ended
	return l.err
}

// sum counts the frames of both directions into a cell.
func (l *load) sum(c *Cell) {
	for _, d := range l.result.Directions {
		c.Sent += d.Sent
		c.Lost += d.Lost
		c.Duplicated += d.Duplicated
		c.Reordered += d.Reordered
		c.Corrupted += d.CorruptedDelivered
	}
	c.Pause = l.pause.Round(time.Millisecond).Seconds()
}
