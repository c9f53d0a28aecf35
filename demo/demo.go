package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"uelink/dataplane/fault"
	"uelink/llr"
	"uelink/traffic"
)

const (
	setUpPatience = 20 * time.Second      // until the link works
	stopPatience  = 5 * time.Second       // until a child has ended
	askPatience   = 5 * time.Second       // for a daemon's counters at the end
	askEvery      = 20 * time.Millisecond // while waiting for the link
)

// demo is one run.
type demo struct {
	options  Options
	dir      string
	topology *topology
	stations [2]*station
	wire     *badWire
}

// Run builds everything, streams frames both ways, and takes everything down
// again, whatever happens. progress may be nil; it is called a few times a
// second while frames flow. When ctx ends or a part fails while they do, the
// result is that of what was sent, beside the error. Errors: *Error, or what
// failed.
func Run(ctx context.Context, o Options, progress func(traffic.Progress)) (r Result, err error) {
	err = With(ctx, o, func(ctx context.Context, b *Bed) (err error) {
		r, err = b.demo.stream(ctx, progress)
		return err
	})
	return r, err
}

// start builds the namespaces and starts the children in them.
func (d *demo) start() (err error) {
	if err := d.options.makeCapture(); err != nil {
		return err
	}
	if d.topology, err = buildTopology(); err != nil {
		return err
	}
	if d.dir, err = makeDir(); err != nil {
		return err
	}
	if d.wire, err = startWire(d.topology.wire, d.options.Tool, d.options.Fault); err != nil {
		return err
	}
	for i, name := range []string{"A", "B"} {
		if d.stations[i], err = startStation(d.topology.stations[i], name, d.dir, d.options); err != nil {
			return err
		}
	}
	return nil
}

// children are those that have been started.
func (d *demo) children() (all []child) {
	if d.wire != nil {
		all = append(all, d.wire.cable)
	}
	for _, s := range d.stations {
		if s != nil {
			all = append(all, child{s.daemon.Process})
		}
	}
	return all
}

// watch cancels when a child ends by itself.
func (d *demo) watch(cancel context.CancelCauseFunc) {
	for _, c := range d.children() {
		go func() {
			<-c.Ended
			cancel(c.failure(fmt.Errorf("ended by itself: %v", c.Cmd.ProcessState)))
		}()
	}
}

// established waits until frames cross the wire and both ends of the link know
// each other.
func (d *demo) established(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, setUpPatience,
		fmt.Errorf("the link did not come up within %v", setUpPatience))
	defer cancel()
	every := time.NewTicker(askEvery)
	defer every.Stop()
	for {
		up, state := d.wire.ready(), []string(nil)
		for _, s := range d.stations {
			ok, how := s.established(ctx)
			up, state = up && ok, append(state, how)
		}
		if up {
			return nil
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return d.notEstablished(ctx, state)
		}
	}
}

// notEstablished says why the waiting ended, with all that is known when nobody
// interrupted it.
func (d *demo) notEstablished(ctx context.Context, state []string) error {
	cause := context.Cause(ctx)
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		if errors.Is(cause, context.Canceled) {
			return errors.New("interrupted before the link was up")
		}
		return cause
	}
	problems := []error{cause, errors.New(strings.Join(state, "\n"))}
	for _, c := range d.children() {
		problems = append(problems, c.failure(errors.New("runs")))
	}
	return errors.Join(problems...)
}

// stream sends the frames and asks everybody what they counted.
func (d *demo) stream(ctx context.Context, progress func(traffic.Progress)) (Result, error) {
	sent, err := traffic.Run(ctx, d.between(d.options.Traffic), progress)
	if len(sent.Directions) == 0 {
		return Result{}, err
	}
	if ctx.Err() != nil { // a child's end explains whatever else went wrong
		err = errStopped
		if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
			err = cause
		}
	}
	d.settle(ctx)
	stations, askErr := d.counted()
	wire, wireErr := d.unplug()
	r := newResult(sent, wire, stations, d.options.Fault.Seed)
	r.Captures = d.options.captures(stations)
	if d.options.Traffic.Stall.Duration > 0 {
		r.Stalled = newStalled(d.options.Traffic, sent.Directions, stations[0].blocked)
	}
	return r, errors.Join(err, askErr, wireErr)
}

// counted is what one station says of the direction that begins at it.
type counted struct {
	in, out door // of its edge
	replays uint64
	blocked int64        // for how long frames of the channel that stands still waited for credits, ns
	llr     llr.Counters // of its link
}

// counted asks the daemons that still run.
func (d *demo) counted() (by [2]counted, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), askPatience)
	defer cancel()
	var problems []error
	for i, s := range d.stations {
		if !s.daemon.Running() {
			continue
		}
		link, edge, err := s.ports(ctx)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		by[i] = counted{in: doorIn(edge), out: doorOut(edge), replays: link.LLR.Counters.TxReplay,
			blocked: blocked(link, d.options.Stall), llr: link.LLR.Counters}
	}
	return by, errors.Join(problems...)
}

// unplug ends the cable, if it still runs, and asks what it did.
func (d *demo) unplug() (by [2]fault.Counters, err error) {
	if !d.wire.cable.Running() {
		return by, nil // its end has been reported
	}
	return d.wire.unplug()
}

// close ends the children at once, and removes what was built.
func (d *demo) close() error {
	children := d.children()
	problems := make([]error, len(children), len(children)+2)
	var stopping sync.WaitGroup
	for i, c := range children {
		if c.Running() {
			stopping.Go(func() { problems[i] = c.stop(stopPatience) })
		}
	}
	stopping.Wait()
	for _, s := range d.stations {
		if s != nil {
			s.daemon.Close()
		}
	}
	if d.topology != nil {
		problems = append(problems, d.topology.close())
	}
	return errors.Join(append(problems, removeDir(d.dir))...)
}
