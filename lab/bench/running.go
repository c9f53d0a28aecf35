package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/lab/bench/kernel"
)

// running is the load of a forwarder: its far ends, and starters of the source.
type running struct {
	far   farEnds
	begin func() (*kernel.Source, error) // starts the source for windows of measurement
	paced func() (*kernel.Source, error) // starts the source at the rate set by Pace of the first far end
	out   string                         // prefix of the names of the interfaces by which the forwarder sends
}

// farEnds are the counters of delivered frames, one for each link.
type farEnds []*kernel.Load

// counted returns the sum of the counters of all ends.
func (f farEnds) counted() (sum kernel.Counts, err error) {
	for _, l := range f {
		c, err := l.Counted()
		if err != nil {
			return sum, err
		}
		sum.Frames, sum.Octets, sum.Wrong = sum.Frames+c.Frames, sum.Octets+c.Octets, sum.Wrong+c.Wrong
	}
	return sum, nil
}

// rest waits until no more frames arrive at the far ends of the links, and returns how many have arrived there in
// all. It returns an error if frames still arrive after 10 s.
func (f farEnds) rest() (frames uint64, err error) {
	c, err := f.counted()
	for deadline := time.Now().Add(patience); err == nil && time.Now().Before(deadline); {
		frames = c.Frames
		time.Sleep(warmUp)
		if c, err = f.counted(); c.Frames == frames {
			return frames, err
		}
	}
	return frames, errors.Join(err, fmt.Errorf("frames still arrive %v after the last frame was sent", patience))
}

func (f farEnds) close() error {
	var problems []error
	for _, l := range f {
		problems = append(problems, l.Close())
	}
	return errors.Join(problems...)
}

// warmUp is how long frames arrive before a window. patience is how long the first frame may take.
const (
	warmUp   = 50 * time.Millisecond
	patience = 10 * time.Second
)

// undisturbed is the least share of its core that the generator must have in a window; below, the forwarder waited
// for frames. attempts is how many windows are tried.
const (
	undisturbed = 0.97
	attempts    = 8
)

// window measures the forwarder for a time, as bestOf does, in up to 8 windows.
func (r *running) window(f forwarder, over time.Duration) (stretch, error) {
	return r.bestOf(attempts, f, over)
}

// bestOf starts the source of frames, waits until frames arrive, measures the forwarder for a time, and stops the
// source. It measures up to a number of windows until other processes leave the generator's core alone, and returns
// the window with the least disturbance.
func (r *running) bestOf(windows int, f forwarder, over time.Duration) (best stretch, err error) {
	source, err := r.begin()
	if err != nil {
		return best, err
	}
	defer func() { err = errors.Join(err, source.Stop()) }()
	if err := warm(func() (uint64, error) { c, err := r.far.counted(); return c.Frames, err }); err != nil {
		return best, fmt.Errorf("frames do not arrive at the far end: %w: %s", err, r.far[0].State())
	}
	for range windows {
		w, err := r.attempt(f, source, over)
		if err != nil {
			return best, err
		}
		if best.frames == 0 || w.undisturbed() > best.undisturbed() {
			best = w
		}
		if best.undisturbed() >= undisturbed {
			break
		}
	}
	if best.frames == 0 {
		return best, fmt.Errorf("frames no longer arrive at the far end: %s", r.far[0].State())
	}
	return best, nil
}

// attempt sleeps for a time and returns the forwarder's work meanwhile: frames delivered, its CPU time, and the
// CPU time of the source. The result is zero if there was no frame or no CPU time.
func (r *running) attempt(f forwarder, source *kernel.Source, over time.Duration) (w stretch, err error) {
	before, err := r.mark(f, source)
	if err != nil {
		return w, err
	}
	time.Sleep(over)
	after, err := r.mark(f, source)
	if err != nil {
		return w, err
	}
	w = stretch{
		frames: after.Frames - before.Frames, took: after.at.Sub(before.at),
		cpu: after.cpu - before.cpu, source: after.source - before.source,
	}
	if w.frames == 0 || w.cpu == 0 { // other processes had the forwarder's core
		return stretch{}, f.failed()
	}
	return w, nil
}

// stretch is the work of a forwarder during a time.
type stretch struct {
	frames uint64 // frames delivered to the far ends
	took   time.Duration
	cpu    int64   // ns, of the forwarder
	source int64   // ns of CPU time, of the generator
	live   float64 // share of the frames sent by a daemon that left live
}

// liveShare returns which share of the frames sent by the daemon left as live XDP frames, 0 to 1.
func (w stretch) liveShare() float64 { return w.live }

// undisturbed returns which share of the time the generator had its core, 0 to 1; the rest went to other
// processes.
func (w stretch) undisturbed() float64 {
	if w.took == 0 {
		return 0
	}
	return float64(w.source) / float64(w.took)
}

// perCPUSecond returns how many frames were delivered for each second of the forwarder's CPU time. Other processes
// on its core do not count.
func (w stretch) perCPUSecond() float64 { return float64(w.frames) / float64(w.cpu) * 1e9 }

func (w stretch) pps() float64 { return float64(w.frames) / w.took.Seconds() }

// perFrame returns the forwarder's CPU time for each delivered frame, ns.
func (w stretch) perFrame() float64 { return float64(w.cpu) / float64(w.frames) }

// errStill reports that no frame arrived in time.
var errStill = fmt.Errorf("no frame within %v", patience)

// warm waits until frames, a function that returns a count, returns a higher count than at first, and then for the
// length warmUp. It returns an error if the count does not rise within 10 s.
func warm(frames func() (uint64, error)) error {
	before, err := frames()
	for deadline := time.Now().Add(patience); err == nil && time.Now().Before(deadline); {
		time.Sleep(warmUp)
		var now uint64
		if now, err = frames(); now > before {
			time.Sleep(warmUp)
			return err
		}
	}
	if err == nil {
		err = errStill
	}
	return err
}

// mark is the counters of a load at one moment.
type mark struct {
	kernel.Counts
	at     time.Time
	cpu    int64 // ns, of the forwarder
	source int64 // ns of CPU time, of the generator
}

// mark reads the time, the CPU time of source and forwarder, and the counters of the far ends.
func (r *running) mark(f forwarder, source *kernel.Source) (m mark, err error) {
	m.at = time.Now()
	if m.source, err = threadTime(fmt.Sprintf("/proc/self/task/%d", source.Thread())); err != nil {
		return m, err
	}
	if m.cpu, err = f.cpuTime(); err == nil {
		m.Counts, err = r.far.counted()
	}
	return m, err
}
