package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/lab/bench/kernel"
)

const millisecond = time.Millisecond

// Parameters of the search for the highest rate without loss.
const (
	lostPerMillion = 10                     // most lost frames at a rate that holds
	searchAbove    = 1.25                   // upper end of the search, as a multiple of the frames for a CPU second
	searchSteps    = 7                      // steps of the bisection, which finds the rate to 1 %
	searchTries    = 3                      // tries at each rate; the losses of one of them must be low enough
	searchOver     = 200 * time.Millisecond // length of a try
)

// losslessNote returns the note that explains the column "Mpps without loss" of a table.
func losslessNote() string {
	return fmt.Sprintf("Mpps without loss: the highest rate at which no more than %d frames of a million are lost, "+
		"per second of wall-clock time, not of CPU time. A search has %d steps of %v; a rate holds if the losses of one of "+
		"%d tries are low enough. The kernel's generator has no clock: the program drops frames that are not due yet, makes "+
		"up for at most the last 100 µs, and sends frames one by one. A receiving link (link Rx) loses no frames, but LLR's "+
		"window holds the sender back: a frame for the link counts as lost if %d frames already wait for the window, or if "+
		"the frame was sent twice.",
		lostPerMillion, searchSteps, searchOver, searchTries, kernel.WaitingFrames)
}

// trial is the result of frames sent at a rate.
type trial struct {
	sent, lost uint64
	took       time.Duration // time from the first frame to the last
}

// holds reports whether frames were sent and at most lostPerMillion of a million of them were lost.
func (t trial) holds() bool { return t.sent > 0 && t.lost*1e6 <= t.sent*lostPerMillion }

// pps returns how many frames were delivered in a second, from the first frame to the last; 0 without frames.
func (t trial) pps() float64 {
	if t.took <= 0 {
		return 0
	}
	return float64(t.sent-min(t.lost, t.sent)) / t.took.Seconds()
}

// lossless searches, by trials at different rates up to top, the highest rate at which the forwarder loses no more
// frames than the note of the table allows. It returns the rate of delivered frames, a second; 0 if no rate was
// found.
func (l *lane) lossless(top float64) (pps float64, err error) {
	l.forwarder.thaw()
	defer l.forwarder.freeze()
	defer func() { err = errors.Join(err, l.load.far[0].Pace(0), l.forwarder.failed()) }()
	return highest(top, searchSteps, func(rate float64) (came float64, passed bool, err error) {
		for range searchTries {
			t, err := l.load.try(rate, searchOver)
			if err != nil || t.holds() {
				return t.pps(), t.holds(), err
			}
		}
		return 0, false, nil
	})
}

// try sends frames at a rate, in frames a second, for a while, waits until no more arrive, and returns how many
// were sent and lost. Frames that came due and found no room before the sender's window count as lost, too.
func (r *running) try(rate float64, over time.Duration) (t trial, err error) {
	sender := r.far[0]
	if err := sender.Pace(time.Duration(float64(time.Second) / rate)); err != nil {
		return t, err
	}
	before, err := r.far.counted()
	if err != nil {
		return t, err
	}
	source, err := r.paced()
	if err != nil {
		return t, err
	}
	time.Sleep(over)
	if err := source.Stop(); err != nil {
		return t, err
	}
	frames, err := r.far.rest()
	if err != nil {
		return t, err
	}
	sent, err := sender.Paced()
	came := frames - before.Frames
	return trial{sent: sent.Frames, lost: sent.Frames - min(came, sent.Frames) + sent.Late, took: sent.Took}, err
}
