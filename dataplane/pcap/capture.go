// Package pcap is a tap: a frame.Device that writes what another one receives
// and transmits to a pcapng file, with the direction in each packet's flags.
//
// The frame path copies frames into memory and does no system call; a goroutine
// of the capture writes the file. When it cannot keep up, frames are missing in
// the file and counted, and traffic goes on.
package pcap

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Capture is one pcapng file that any number of taps write to. While a write hangs, nothing of it but
// Close waits.
type Capture struct {
	wake    chan struct{} // there is something to write before the next tick
	quit    chan struct{}
	done    chan struct{}
	stopped atomic.Bool // no more frames are wanted
	missed  atomic.Uint64
	limit   atomic.Int64 // octets of the file
	closing sync.Once

	// Of the goroutine that writes, which alone changes what is guarded by mu, too, but for interfaces, number
	// and taps.
	file   io.WriteCloser
	name   string
	told   []uint64 // by tap: how many frames the file says are missing
	fullAt int64    // the limit that ended the capture

	mu         sync.Mutex // what follows; it is not held during a write
	interfaces []byte     // blocks of new interfaces
	number     uint32     // of interfaces
	taps       []*Device  // that are not closed, or have something left
	counts     Counts
	err        error
}

// Counts is how far a capture has come.
type Counts struct {
	Frames uint64 // in the file
	Missed uint64 // passed a tap while the file could not keep up
	Octets int64  // size of the file
	Full   bool   // the limit is reached: the capture has ended
}

// chunk is packet blocks on their way from a tap to the file, in one piece of
// memory that goes back and forth.
type chunk struct {
	number uint64 // in the order in which the tap has begun them
	blocks []byte
	frames uint64
	missed uint64 // frames of the tap that are missing so far
}

// collectEvery is how soon a frame is in the file, when its chunk does not get full before.
const collectEvery = 20 * time.Millisecond

// New writes to w, which Close closes. The name is for messages.
func New(w io.WriteCloser, name string, limit int64) *Capture {
	c := &Capture{
		wake: make(chan struct{}, 1),
		quit: make(chan struct{}),
		done: make(chan struct{}),
		file: w,
		name: name,
	}
	c.limit.Store(limit)
	c.writeOrEnd(appendSection(nil), 0)
	go c.run()
	return c
}

// Err is what stopped the capture, if it was an error of the file.
func (c *Capture) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Counts reads how far the capture has come.
func (c *Capture) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := c.counts
	counts.Missed = c.missed.Load()
	return counts
}

// SetLimit sets how many octets the file may grow to. A capture that has ended at a smaller limit goes on.
func (c *Capture) SetLimit(limit int64) {
	c.limit.Store(limit)
	c.wakeUp()
}

// Close writes what the taps have handed over and closes the file. Taps that are
// still in use go on without it. It returns the error that stopped the capture.
func (c *Capture) Close() error {
	c.closing.Do(func() {
		close(c.quit)
		<-c.done
		c.fail("close", c.file.Close())
	})
	return c.Err()
}

// add takes a new tap, whose interface is written ahead of its frames.
func (c *Capture) add(d *Device, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interfaces = appendInterface(c.interfaces, name)
	d.intf = c.number
	c.number++
	c.taps = append(c.taps, d)
	c.wakeUp()
}

// wakeUp has the goroutine of the capture write what there is. It never waits.
func (c *Capture) wakeUp() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *Capture) run() {
	defer close(c.done)
	tick := time.NewTicker(collectEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-c.wake:
		case <-c.quit:
			c.stopped.Store(true)
			c.collect()
			return
		}
		c.collect()
	}
}

// collect writes what the taps have.
func (c *Capture) collect() {
	c.mu.Lock()
	taps := slices.Clone(c.taps)
	c.mu.Unlock()
	c.goOn()
	c.putInterfaces()
	for _, d := range taps {
		closed := d.closed.Load() // before it is emptied for the last time
		d.collect(c.put)
		if closed {
			c.forget(d)
		}
	}
}

// goOn has a capture go on whose limit is larger than the one that ended it.
func (c *Capture) goOn() {
	if !c.counts.Full || c.limit.Load() <= c.fullAt {
		return
	}
	c.mu.Lock()
	c.counts.Full = false
	c.mu.Unlock()
	c.stopped.Store(c.err != nil)
}

// forget lets go of a tap that was closed.
func (c *Capture) forget(d *Device) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taps = slices.DeleteFunc(c.taps, func(one *Device) bool { return one == d })
}

// putInterfaces writes the interfaces that are new.
func (c *Capture) putInterfaces() {
	c.mu.Lock()
	blocks := c.interfaces
	c.interfaces = nil
	c.told = append(c.told, make([]uint64, int(c.number)-len(c.told))...)
	c.mu.Unlock()
	if len(blocks) > 0 {
		c.writeOrEnd(blocks, 0)
	}
}

// put writes a chunk of a tap, or what of it the limit allows, and sends it home.
func (c *Capture) put(d *Device, chunk *chunk) {
	if c.counts.Octets+int64(len(chunk.blocks)) <= c.limit.Load() {
		c.writeOrEnd(chunk.blocks, chunk.frames)
	} else {
		for b := chunk.blocks; len(b) > 0; b = b[firstBlock(b):] {
			c.writeOrEnd(b[:firstBlock(b)], 1)
		}
	}
	c.tell(d.intf, chunk.missed)
	chunk.blocks, chunk.frames = chunk.blocks[:0], 0
	d.home <- chunk
}

// tell writes how many frames of a tap are missing, if there are more than it says already.
func (c *Capture) tell(intf uint32, missed uint64) {
	if missed > c.told[intf] {
		c.told[intf] = missed
		c.writeOrEnd(appendStatistics(nil, intf, time.Now().UnixNano(), missed), 0)
	}
}

// writeOrEnd writes whole blocks, which hold so many frames, or ends the capture: there where they would
// go beyond the limit, and at an error of the file.
func (c *Capture) writeOrEnd(blocks []byte, frames uint64) {
	if c.err != nil || c.counts.Full {
		return
	}
	if c.counts.Octets+int64(len(blocks)) > c.limit.Load() {
		c.stopped.Store(true)
		c.fullAt = c.limit.Load()
		c.count(Counts{Full: true})
		return
	}
	n, err := c.file.Write(blocks)
	if err != nil {
		c.cut()
		c.fail("write", err)
		return
	}
	c.count(Counts{Frames: frames, Octets: int64(n)})
}

// count adds to the counts.
func (c *Capture) count(more Counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Frames += more.Frames
	c.counts.Octets += more.Octets
	c.counts.Full = c.counts.Full || more.Full
}

// cut takes a block off the file that was written in part, so that readers take the rest.
func (c *Capture) cut() {
	if f, ok := c.file.(interface{ Truncate(size int64) error }); ok {
		_ = f.Truncate(c.counts.Octets) // the error of before is told
	}
}

// fail keeps the first error and ends the capture.
func (c *Capture) fail(what string, err error) {
	if err == nil || c.err != nil {
		return
	}
	c.stopped.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = fmt.Errorf("capture %s: %s: %w", c.name, what, err)
}
