package main

import (
	"errors"
	"path/filepath"
	"time"
)

// forwarder is a program under test.
type forwarder interface {
	stop() error                    // ends the forwarder
	failed() error                  // an error if the forwarder has ended by itself
	freeze()                        // stops the forwarder until thaw
	thaw()                          // continues the forwarder
	cpuTime() (ns int64, err error) // CPU time since the start
}

// lane is one forwarder in its bed. It is frozen while others are measured.
type lane struct {
	oneWay
	bed       *bed
	forwarder forwarder
	load      *running
}

// open makes the interfaces and starts the forwarder, with its files in dir.
func (l *lane) open(dir string) (err error) {
	if l.bed, err = newBed(filepath.Base(dir), max(1, l.links)); err != nil {
		return err
	}
	if l.forwarder, err = l.start(l.bed, dir); err != nil {
		l.forwarder = nil // the forwarder has ended
	}
	return err
}

// fits reports whether this forwarder is to be measured with frames of that many octets.
func (l *lane) fits(octets int) bool { return octets >= l.from && (l.to == 0 || octets <= l.to) }

// close stops the forwarder and removes the interfaces.
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

// prepare sets the load of the forwarder up, with frames of a length in octets, but sends no frames for a
// measurement yet. The forwarder runs meanwhile and is frozen afterwards.
func (l *lane) prepare(octets int) (err error) {
	l.forwarder.thaw()
	defer l.forwarder.freeze()
	if l.load, err = l.oneWay.load(l.bed, l.forwarder, octets); err != nil {
		return err
	}
	return l.awaitLive()
}

// awaitLive waits until the frames of the load leave a daemon live. For other forwarders it does nothing.
func (l *lane) awaitLive() error {
	d, isDaemon := l.forwarder.(*daemon)
	if !isDaemon {
		return nil
	}
	return d.awaitLive(l.load.out)
}

// round lets the forwarder run, measures one window under its load, and freezes the forwarder again. For a daemon
// the result includes the share of frames sent live.
func (l *lane) round(over time.Duration) (w stretch, err error) {
	l.forwarder.thaw()
	defer l.forwarder.freeze()
	share, err := l.liveShare(func() (err error) { w, err = l.load.window(l.forwarder, over); return err })
	w.live = share
	return w, errors.Join(err, l.forwarder.failed())
}

// liveShare calls send, in which frames pass the forwarder, and returns which share of the frames that a daemon sent
// meanwhile left live, 0 to 1; 0 for other forwarders.
func (l *lane) liveShare(send func() error) (share float64, err error) {
	d, isDaemon := l.forwarder.(*daemon)
	if !isDaemon {
		return 0, send()
	}
	before, err := d.sent()
	if err != nil {
		return 0, err
	}
	err = send()
	after, problem := d.sent()
	if frames := after.all - before.all; frames > 0 {
		share = float64(after.live-before.live) / float64(frames)
	}
	return share, errors.Join(err, problem)
}

// unload removes the forwarder's load: the XDP programs are detached and unloaded. Without a load it does nothing.
func (l *lane) unload() error {
	if l.load == nil {
		return nil
	}
	err := l.load.far.close()
	l.load = nil
	return err
}
