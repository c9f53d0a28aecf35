package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"uelink/control/api"
	"uelink/dataplane/fault"
	"uelink/lab/traffic"
	"uelink/llr"
)

// How long the demo waits for its parts.
const (
	setUpPatience = 20 * time.Second      // wait until the link is up
	stopPatience  = 5 * time.Second       // wait until a child has ended
	askPatience   = 5 * time.Second       // wait for a daemon's counters at the end
	askEvery      = 20 * time.Millisecond // time between two looks at a part that the demo waits for
)

// demo is one run.
type demo struct {
	options  Options
	dir      string
	spaces   *spaces
	stations [2]*station
	wire     *badWire
}

// Run builds the demo, streams frames both ways, and removes everything again, whatever happens. progress may be nil;
// Run calls it a few times a second while frames flow. If ctx ends or a part fails during the stream, Run returns the
// result so far beside the error. Errors: *Error, or the error of the failed part.
func Run(ctx context.Context, o Options, progress func(traffic.Progress)) (r Result, err error) {
	err = With(ctx, o, func(ctx context.Context, b *Bed) (err error) {
		r, err = b.demo.stream(ctx, progress)
		return err
	})
	return r, err
}

// start makes the namespaces and their veths and starts the cable and both daemons in them. After an error, close
// removes what was made.
func (d *demo) start() (err error) {
	if err := d.options.makeCapture(); err != nil {
		return err
	}
	if d.spaces, err = buildSpaces(); err != nil {
		return err
	}
	if d.dir, err = makeDir(); err != nil {
		return err
	}
	if d.wire, err = startWire(d.spaces.wire, d.options.Tool, d.options.Fault); err != nil {
		return err
	}
	for i, name := range []string{"A", "B"} {
		if d.stations[i], err = startStation(d.spaces.stations[i], name, d.dir, d.options); err != nil {
			return err
		}
	}
	return nil
}

// children returns the processes of the demo started so far: the cable and the daemons.
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

// watch cancels the run, with an error that names the process, as soon as the cable or a daemon ends by itself. It
// returns at once.
func (d *demo) watch(cancel context.CancelCauseFunc) {
	for _, c := range d.children() {
		go func() {
			<-c.Ended
			cancel(c.failure(fmt.Errorf("ended by itself: %v", c.Cmd.ProcessState)))
		}()
	}
}

// established waits until frames cross the wire and LLR (with channels, CBFC too) is up at both ends.
func (d *demo) established(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, setUpPatience,
		fmt.Errorf("the link did not come up within %v", setUpPatience))
	defer cancel()
	every := time.NewTicker(askEvery)
	defer every.Stop()
	for {
		up, state := d.wire.ready(), []string(nil)
		for _, s := range d.stations {
			ok, reason := s.established(ctx)
			up, state = up && ok, append(state, reason)
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

// notEstablished returns the error for a link that did not come up before ctx ended. After a time-out the error
// has the state of the link and the output of every process.
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

// stream sends the frames, waits for their end, reads the counters of the daemons, ends the cable and reads its
// counters, and returns all as the result. progress may be nil.
func (d *demo) stream(ctx context.Context, progress func(traffic.Progress)) (Result, error) {
	sent, err := traffic.Run(ctx, d.between(d.options.Traffic), progress)
	if len(sent.Directions) == 0 {
		return Result{}, err
	}
	if ctx.Err() != nil { // the end of a child explains all later errors
		err = errStopped
		if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
			err = cause
		}
	}
	d.settle(ctx)
	stations, askErr := d.counted()
	wire, wireErr := d.unplug()
	r := newResult(sent, wire, stations, &d.options)
	r.Captures = d.options.captures(stations)
	if d.options.Traffic.Stall.Duration > 0 {
		r.Stalled = newStalled(d.options.Traffic, sent.Directions, stations[0].blocked)
	}
	return r, errors.Join(err, askErr, wireErr)
}

// counted is the counters of one station, for the direction that begins at the station.
type counted struct {
	in, out door         // of the edge
	replays uint64       // replays of LLR, or micropackets that HIPPI-6400-PH has sent again
	blocked int64        // how long frames of the stalled channel waited for credits, ns
	llr     llr.Counters // of the link
	hippi   *api.HIPPI   // of a link that speaks HIPPI-6400-PH, else nil
}

// counted asks the daemons that still run for their counters. The counters of a daemon that has ended are 0.
func (d *demo) counted() (counts [2]counted, err error) {
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
		counts[i] = counted{in: doorIn(edge), out: doorOut(edge)}
		if link.HIPPI != nil {
			counts[i].replays, counts[i].hippi = link.HIPPI.Counters.TxRetransmitted, link.HIPPI
			continue
		}
		counts[i].replays, counts[i].llr = link.LLR.Counters.TxReplay, link.LLR.Counters
		counts[i].blocked = blocked(link, d.options.Stall)
	}
	return counts, errors.Join(problems...)
}

// unplug ends the cable, if it still runs, and returns its counters of the frames from A and of those from B.
func (d *demo) unplug() (counters [2]fault.Counters, err error) {
	if !d.wire.cable.Running() {
		return counters, nil // the end of the cable has been reported
	}
	return d.wire.unplug()
}

// close stops all processes of the demo at the same time, and removes the namespaces and the directory.
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
	if d.spaces != nil {
		problems = append(problems, d.spaces.close())
	}
	return errors.Join(append(problems, removeDir(d.dir))...)
}
