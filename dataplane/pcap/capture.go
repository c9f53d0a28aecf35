// Package pcap is a tap: a frame.Device that writes the frames which another device receives and transmits to a
// pcapng file, with the direction in each packet's flags.
//
// The frame path copies frames into memory and makes no system call; a goroutine of the capture writes the file.
// When the goroutine cannot keep up, frames are missing in the file and counted, and traffic goes on.
package pcap

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Capture is one pcapng file that any number of taps write to. A hanging write blocks Close and nothing else.
type Capture struct {
	wake    chan struct{} // signals data to write before the next tick
	quit    chan struct{}
	done    chan struct{}
	stopped atomic.Bool // taps stop copying frames
	missed  atomic.Uint64
	limit   atomic.Int64 // octets of the file
	closing sync.Once
	asks    chan *pause
	paused  *pause // request of Suspend; nil: the file is written

	// For the writing goroutine. That goroutine alone also changes the fields guarded by mu, but for interfaces,
	// number and taps.
	file     io.WriteCloser
	name     string
	reported []uint64 // by interface: number of missing frames in its last statistics block of the file
	fullAt   int64    // the limit that ended the capture

	mu         sync.Mutex // guards the fields below; not held during a write
	interfaces []byte     // blocks of new interfaces
	number     uint32     // of interfaces
	taps       []*Device  // taps that are open, or have chunks left
	counts     Counts
	err        error
}

// Counts is the progress of a capture.
type Counts struct {
	Frames uint64 // frames in the file
	Missed uint64 // frames that passed a tap while the file could not keep up
	Octets int64  // size of the file
	Full   bool   // the limit is reached: the capture has ended
}

// chunk is packet blocks between a tap and the file, in a buffer that goes back and forth.
type chunk struct {
	number uint64 // in the order in which the tap began the chunks
	blocks []byte
	frames uint64
	missed uint64 // frames of the tap missing so far
}

// collectEvery is how soon a frame is in the file, unless its chunk gets full before.
const collectEvery = 20 * time.Millisecond

// New returns a capture that writes to w. Close closes w. The name is for messages, limit the largest size of the
// file, in octets.
func New(w io.WriteCloser, name string, limit int64) *Capture {
	c := newCapture(w, name, limit)
	c.writeOrEnd(section(), 0)
	go c.run()
	return c
}

// newCapture returns a capture that writes to w, whose goroutine is not started yet. name names the file in errors,
// limit is the largest file size in octets.
func newCapture(w io.WriteCloser, name string, limit int64) *Capture {
	c := &Capture{
		wake: make(chan struct{}, 1),
		quit: make(chan struct{}),
		done: make(chan struct{}),
		asks: make(chan *pause),
		file: w,
		name: name,
	}
	c.limit.Store(limit)
	return c
}

// Err returns the error of the file that stopped the capture, or nil.
func (c *Capture) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Counts returns how many frames and octets the capture has written, and how many frames it has missed.
func (c *Capture) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := c.counts
	counts.Missed = c.missed.Load()
	return counts
}

// SetLimit sets the largest size of the file, in octets. A capture that has ended at a smaller limit goes on.
func (c *Capture) SetLimit(limit int64) {
	c.limit.Store(limit)
	c.wakeUp()
}

// Close writes the frames that the taps have handed over, and closes the file. Taps still in use pass frames on
// without capturing them. Close returns the error that stopped the capture, if any.
func (c *Capture) Close() error {
	c.closing.Do(func() {
		close(c.quit)
		<-c.done
		c.fail("close", c.file.Close())
	})
	return c.Err()
}

// add adds a tap (a device whose frames are captured) under an interface name, whose block is written ahead of its
// frames.
func (c *Capture) add(d *Device, name string) {
	d.intf = c.addInterface(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taps = append(c.taps, d)
	c.wakeUp()
}

// addInterface adds an interface to the file and returns its number.
func (c *Capture) addInterface(name string) (number uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interfaces = appendInterface(c.interfaces, name)
	c.number++
	return c.number - 1
}

// wakeUp wakes the writing goroutine. wakeUp never blocks.
func (c *Capture) wakeUp() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run writes the frames of all taps to the file: at every tick, when a chunk of a tap is full, and before each answer
// to a request of Suspend. Nothing is written until the request is over.
func (c *Capture) run() {
	defer close(c.done)
	tick := time.NewTicker(collectEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-c.wake:
		case p := <-c.asks:
			c.collect()
			p.answer <- c.state()
			select {
			case <-p.over:
			case <-c.quit:
			}
		case <-c.quit:
			c.stopped.Store(true)
			c.collect()
			return
		}
		c.collect()
	}
}

// collect writes the frames that the taps have handed over to the file, and removes closed taps.
func (c *Capture) collect() {
	c.mu.Lock()
	taps := slices.Clone(c.taps)
	c.mu.Unlock()
	c.resume()
	c.putInterfaces()
	for _, d := range taps {
		closed := d.closed.Load() // read before the tap is emptied for the last time
		d.collect(c.put)
		if closed {
			c.remove(d)
		}
	}
}

// resume lets a capture that has ended at its size limit go on, if the limit has been raised.
func (c *Capture) resume() {
	if !c.counts.Full || c.limit.Load() <= c.fullAt {
		return
	}
	c.mu.Lock()
	c.counts.Full = false
	c.mu.Unlock()
	c.stopped.Store(c.err != nil)
}

// remove removes a closed tap from the capture.
func (c *Capture) remove(d *Device) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taps = slices.DeleteFunc(c.taps, func(tap *Device) bool { return tap == d })
}

// putInterfaces writes the pcapng interface blocks of taps added since the last call.
func (c *Capture) putInterfaces() {
	c.mu.Lock()
	blocks := c.interfaces
	c.interfaces = nil
	c.reported = append(c.reported, make([]uint64, int(c.number)-len(c.reported))...)
	c.mu.Unlock()
	if len(blocks) > 0 {
		c.writeOrEnd(blocks, 0)
	}
}

// put writes the packet blocks in a tap's buffer to the file, or as many as the limit allows, and gives the buffer
// back to the tap.
func (c *Capture) put(d *Device, chunk *chunk) {
	if c.counts.Octets+int64(len(chunk.blocks)) <= c.limit.Load() {
		c.writeOrEnd(chunk.blocks, chunk.frames)
	} else {
		for b := chunk.blocks; len(b) > 0; b = b[firstBlock(b):] {
			c.writeOrEnd(b[:firstBlock(b)], 1)
		}
	}
	c.reportMissed(d.intf, chunk.missed)
	chunk.blocks, chunk.frames = chunk.blocks[:0], 0
	d.home <- chunk
}

// reportMissed writes a statistics block with the number of frames of a tap that are missing, if the number has
// grown.
func (c *Capture) reportMissed(intf uint32, missed uint64) {
	if missed > c.reported[intf] {
		c.reported[intf] = missed
		c.writeOrEnd(appendStatistics(nil, intf, time.Now().UnixNano(), missed), 0)
	}
}

// writeOrEnd writes whole blocks, which hold the given number of frames. It ends the capture instead if the blocks
// would exceed the limit, and after an error of the file.
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

// count adds more to the counts of the capture.
func (c *Capture) count(more Counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Frames += more.Frames
	c.counts.Octets += more.Octets
	c.counts.Full = c.counts.Full || more.Full
}

// cut truncates the file after the last whole block, so that readers accept it after a failed write.
func (c *Capture) cut() {
	if f, ok := c.file.(interface{ Truncate(size int64) error }); ok {
		_ = f.Truncate(c.counts.Octets) // the error of the write is reported
	}
}

// fail records the first error of the file, with the action that failed, and ends the capture.
func (c *Capture) fail(action string, err error) {
	if err == nil || c.err != nil {
		return
	}
	c.stopped.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = fmt.Errorf("capture %s: %s: %w", c.name, action, err)
}
