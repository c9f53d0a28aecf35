package guest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"uelink/lab/traffic"
)

// load is numbered frames between the hosts, both ways, until end.
type load struct {
	stop  context.CancelFunc
	ended chan struct{}

	mu        sync.Mutex
	delivered [2]uint64
	since     [2]time.Time  // time of the latest arrival, by direction
	pause     time.Duration // longest time without arrivals in a direction

	result traffic.Result
	err    error
}

// onTheWay is the window: frames sent ahead of those that arrived, each way.
const onTheWay = 64

// writeOff is how long traffic waits for the frames of a direction without arrivals, before it sends others in their
// place. It applies where frames may be lost.
const writeOff = 2 * time.Second

// lossless is the time after which a frame counts as lost where no loss is allowed: this long after later frames
// arrived, four times as long if none arrives, which is longer than any fault takes.
const lossless = 8 * time.Second

// frames returns the settings of numbered frames between the interfaces ifname of both hosts, both ways, without end.
// A frame that has not arrived after lossTimeout counts as lost. Nothing is sent yet.
func (b *bed) frames(ifname string, lossTimeout time.Duration) traffic.Config {
	c := traffic.DefaultConfig()
	c.From = traffic.End{Interface: ifname, NetNS: b.hostA.Name(), Label: "hostA"}
	c.To = traffic.End{Interface: ifname, NetNS: b.hostB.Name(), Label: "hostB"}
	c.Frames, c.Size, c.Window = 0, "imix", onTheWay
	c.LossTimeout, c.GiveUp = lossTimeout, 30*time.Second
	return c
}

// load starts to send numbered frames between the hosts, and waits until frames flow both ways.
func (b *bed) load(lossTimeout time.Duration) (*load, error) {
	return startLoad(b.frames("eth0", lossTimeout))
}

// startLoad starts to send the numbered frames of c, and waits until frames flow both ways.
func startLoad(c traffic.Config) (*load, error) {
	return startRun(func(ctx context.Context, note func(traffic.Progress)) (traffic.Result, error) {
		return traffic.Run(ctx, c, note)
	})
}

// startRun starts a load by calling run in the background, and waits until frames flow both ways, else it returns an
// error beside the load. run must send until its context ends, and call its second argument with each progress.
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
	l.pause = 0 // the time before the first frames is no pause
	l.mu.Unlock()
	return l, err
}

// flowing bounds the time until frames flow.
const flowing = 30 * time.Second

// note records progress p of a load: how many frames have arrived each way, and the longest time without arrivals.
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

// arrived returns how many frames of the load have arrived so far, in each direction.
func (l *load) arrived() [2]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.delivered
}

// flows waits until, in each direction, five windows of frames more have arrived, at most for the time bound.
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
				return fmt.Sprintf("%d frames have arrived one way and %d the other, of these %d and %d "+
					"before this wait began", now[0], now[1], before[0], before[1])
			}
		}
		return ""
	})
}

// end stops the sending, waits for frames in flight, and returns the error of the load.
func (l *load) end() error {
	l.stop()
	<-l.ended
	return l.err
}

// sum adds the counts of frames of both directions, and the longest pause, to the result c.
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
