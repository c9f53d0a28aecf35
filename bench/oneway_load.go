package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uelink/bench/kernel"
	"uelink/netns"
)

// running is the load of a forwarder: its far ends, and the frame and program
// that begin is to start the source with.
type running struct {
	load  *kernel.Load
	begin func() (*kernel.Source, error)
}

// ackEvery is how many frames the partner lets pass before an LLR_ACK: a batch.
const ackEvery = 32

// lookahead is the window of the partner that sends.
const lookahead = 512

// plainLoad sends frames from gen0 and counts them at part0.
func plainLoad(b *bed, _ forwarder, octets int) (*running, error) {
	return b.fromEdge(octets, (*kernel.Load).Sink, nil)
}

// txLoad is the same with an LLR receiver at part0.
func txLoad(b *bed, f forwarder, octets int) (*running, error) {
	d := f.(*daemon)
	return b.fromEdge(octets, (*kernel.Load).Receive, func(l *kernel.Load) error {
		begin := func() error { return d.client.ReinitLLR(context.Background(), "link0") }
		return l.Echo(b.load, "part0", begin, func() bool {
			link, err := d.client.LLRInterface(context.Background(), "link0")
			return err == nil && link.TxStatus == "ADVANCE"
		})
	})
}

// rxLoad has an LLR transmitter at part0 and counts at gen0.
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
	err = errors.Join(load.Hear(b.load, "part0"), load.Sink(b.load, "gen0"), kernel.Init(b.load, "part0"))
	if err != nil {
		return nil, errors.Join(err, load.Close())
	}
	return &running{load, func() (*kernel.Source, error) { return load.Sequence(b.load, loadCPU, frame) }}, nil
}

// fromEdge sends frames from gen0; far is what part0 does with them.
func (b *bed) fromEdge(octets int, far func(*kernel.Load, *netns.NS, string) error, greet func(*kernel.Load) error) (*running, error) {
	index, err := b.index("gen0")
	if err != nil {
		return nil, err
	}
	load, err := kernel.New(kernel.Config{Ifindex: index, AckEvery: ackEvery})
	if err != nil {
		return nil, err
	}
	err = far(load, b.load, "part0")
	if err == nil && greet != nil {
		err = greet(load)
	}
	if err != nil {
		return nil, errors.Join(err, load.Close())
	}
	return &running{load, func() (*kernel.Source, error) { return load.Source(b.load, loadCPU, kernel.Frame(octets)) }}, nil
}

// warmUp is how long frames come through before they are measured, and patience
// how long the first of them may take.
const (
	warmUp   = 100 * time.Millisecond
	patience = 10 * time.Second
)

// undisturbed is the share of its core that the generator must have had, or the
// forwarder has waited for frames; attempts is how often that is tried.
const (
	undisturbed = 0.97
	attempts    = 8
)

// window is frames a second of CPU time at the far end, over a time. The device
// works all the time; what others take of its core does not count. Of a window in
// which others took the generator's core the least disturbed attempt counts.
func (r *running) window(f forwarder, over time.Duration) (pps float64, err error) {
	source, err := r.begin()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, source.Stop()) }()
	if err := r.warm(); err != nil {
		return 0, err
	}
	best := 0.0
	for range attempts {
		p, share, err := r.attempt(f, source, over)
		if err != nil {
			return 0, err
		}
		if share > best {
			best, pps = share, p
		}
		if best >= undisturbed {
			break
		}
	}
	if best == 0 {
		return 0, fmt.Errorf("frames have stopped: %s", r.load.State())
	}
	return pps, nil
}

// attempt is one window, and the share of its core that the generator had.
func (r *running) attempt(f forwarder, source *kernel.Source, over time.Duration) (pps, share float64, err error) {
	before, err := r.mark(f, source)
	if err != nil {
		return 0, 0, err
	}
	time.Sleep(over)
	after, err := r.mark(f, source)
	if err != nil {
		return 0, 0, err
	}
	frames, cpu := after.Frames-before.Frames, after.cpu-before.cpu
	if frames == 0 || cpu == 0 { // others had the forwarder's core
		return 0, 0, f.failed()
	}
	return float64(frames) / float64(cpu) * 1e9, float64(after.source-before.source) / float64(after.at.Sub(before.at)), nil
}

// warm waits until frames come through, and a while longer.
func (r *running) warm() error {
	before, err := r.load.Counted()
	for deadline := time.Now().Add(patience); err == nil && time.Now().Before(deadline); {
		time.Sleep(warmUp)
		var now kernel.Counts
		if now, err = r.load.Counted(); now.Frames > before.Frames {
			time.Sleep(warmUp)
			return err
		}
	}
	return errors.Join(err, fmt.Errorf("no frame came through: %s", r.load.State()))
}

// mark is where a load is.
type mark struct {
	kernel.Counts
	at     time.Time
	cpu    int64 // ns, of the forwarder
	source int64 // ns of CPU time, of the generator
}

func (r *running) mark(f forwarder, source *kernel.Source) (m mark, err error) {
	m.at = time.Now()
	if m.source, err = threadTime(fmt.Sprintf("/proc/self/task/%d", source.Thread())); err != nil {
		return m, err
	}
	if m.cpu, err = f.cpuTime(); err == nil {
		m.Counts, err = r.load.Counted()
	}
	return m, err
}
