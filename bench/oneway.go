package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"uelink/bench/kernel"
	"uelink/netns"
)

// oneWay is a forwarder in the table of one direction.
type oneWay struct {
	name  string
	start func(b *bed, dir string) (forwarder, error)
	load  func(b *bed, f forwarder, octets int) (*running, error)
}

// forwarder is what is measured.
type forwarder interface {
	stop() error
	failed() error
	freeze()
	thaw()
	cpuTime() (ns int64, err error)
}

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

func device() string { return strconv.Itoa(deviceCPU) }

// oneWays are the forwarders, in the order of the table.
func oneWays(programs []string) []oneWay {
	list := []oneWay{{"testpmd", func(b *bed, _ string) (forwarder, error) {
		return startTestpmd(b.device, device(), [2]string{"edge0", "link0"})
	}, plainLoad}}
	for _, p := range programs {
		list = append(list,
			oneWay{p + ", LLR off", uelinkWith(p, "local: false, remote: false"), plainLoad},
			oneWay{p + " link Tx", uelinkWith(p, "local: false, remote: true"), txLoad},
			oneWay{p + " link Rx", uelinkWith(p, "local: true, remote: false"), rxLoad})
	}
	return list
}

func uelinkWith(program, llr string) func(*bed, string) (forwarder, error) {
	return func(b *bed, dir string) (forwarder, error) {
		return startDaemon(b.device, device(), dir, program, daemonConfig{llr: llr, port: portKeys, top: topKeys})
	}
}

// plainLoad sends frames from gen0 and counts them at part0.
func plainLoad(b *bed, _ forwarder, octets int) (*running, error) {
	return b.fromEdge(octets, (*kernel.Load).Sink, nil)
}

// txLoad is the same with an LLR receiver at part0.
func txLoad(b *bed, f forwarder, octets int) (*running, error) {
	d := f.(*daemon)
	return b.fromEdge(octets, (*kernel.Load).Receive, func(l *kernel.Load) error {
		err := l.Echo(b.load, "part0", func() error { return d.client.ReinitLLR(context.Background(), "link0") })
		if err != nil {
			return err
		}
		return d.await("LLR_TX_STATUS ADVANCE", func() bool {
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

// warmUp is how long a load runs before it is measured.
const warmUp = 100 * time.Millisecond

// window is frames a second of CPU time at the far end, over a time. The device
// works all the time; what others take of its core does not count.
func (r *running) window(f forwarder, over time.Duration) (pps float64, err error) {
	source, err := r.begin()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, source.Stop()) }()
	time.Sleep(warmUp)
	before, err := r.mark(f)
	if err != nil {
		return 0, err
	}
	time.Sleep(over)
	after, err := r.mark(f)
	if err != nil {
		return 0, err
	}
	frames := after.Frames - before.Frames
	if frames == 0 {
		return 0, fmt.Errorf("no frame came through: %s", r.load.State())
	}
	return float64(frames) / float64(after.cpu-before.cpu) * 1e9, nil
}

// mark is where a load is.
type mark struct {
	kernel.Counts
	cpu int64 // ns, of the forwarder
}

func (r *running) mark(f forwarder) (m mark, err error) {
	if m.cpu, err = f.cpuTime(); err == nil {
		m.Counts, err = r.load.Counted()
	}
	return m, err
}

// lane is one forwarder in its bed. It is frozen while others are measured.
type lane struct {
	oneWay
	bed       *bed
	forwarder forwarder
	load      *running
	pps       []float64 // of each round
}

func (l *lane) open(dir string) (err error) {
	if l.bed, err = newBed(filepath.Base(dir)); err != nil {
		return err
	}
	l.forwarder, err = l.start(l.bed, dir)
	return err
}

func (l *lane) close() error {
	var problems []error
	if l.forwarder != nil {
		l.forwarder.thaw()
		problems = append(problems, l.forwarder.stop())
	}
	if l.bed != nil {
		problems = append(problems, l.bed.close())
	}
	return errors.Join(problems...)
}

// prepare makes the load of a size of frame.
func (l *lane) prepare(octets int) (err error) {
	l.forwarder.thaw()
	defer l.forwarder.freeze()
	l.pps = nil
	l.load, err = l.oneWay.load(l.bed, l.forwarder, octets)
	return err
}

// round measures once.
func (l *lane) round(over time.Duration) error {
	l.forwarder.thaw()
	defer l.forwarder.freeze()
	pps, err := l.load.window(l.forwarder, over)
	l.pps = append(l.pps, pps)
	return errors.Join(err, l.forwarder.failed())
}

// race measures lanes side by side, in turns.
func race(lanes []*lane, sizes []int, rounds int, over time.Duration, got func(octets int)) error {
	for _, octets := range sizes {
		for _, l := range lanes {
			if err := l.prepare(octets); err != nil {
				return fmt.Errorf("%s, %d octets: %w", l.name, octets, err)
			}
		}
		for range rounds {
			for _, l := range lanes {
				if err := l.round(over); err != nil {
					return fmt.Errorf("%s, %d octets: %w", l.name, octets, err)
				}
			}
		}
		got(octets)
		for _, l := range lanes {
			if err := l.load.load.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}
