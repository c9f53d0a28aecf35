package pcap

import (
	"sync/atomic"
	"time"

	"uelink/dataplane/checksum"
	"uelink/dataplane/frame"
)

// The buffers of a tap.
const (
	// chunksPerTap is one chunk to fill, one being written, and some to bridge a slow write.
	chunksPerTap = 4
	chunkSize    = 256 << 10 // octets of a chunk
)

// Device is a tap on another Device: received frames and frames accepted for transmission go into the capture too.
//
// The frame path fills chunks. It wakes the goroutine of the capture only when a chunk is full: that goroutine runs
// every collectEvery, and also collects the chunk being filled. Whoever has swapped the chunk out of filling owns the
// chunk.
type Device struct {
	frame.Device
	capture *Capture
	intf    uint32
	area    []byte
	home    chan *chunk // empty chunks
	full    chan *chunk
	filling atomic.Pointer[chunk]
	closed  atomic.Bool
	carried bool   // received frames are written as an edge carries them
	begun   uint64 // number of chunks begun
	every   uint64 // out of this number of frames, one is captured
	skip    uint64 // frames to pass before the next captured frame
	missed  uint64 // frames to be captured that found no chunk, since the tap was made
}

// Tap returns a device for inner's user that captures all frames of inner. name is the interface name in the file.
// Closing the tap closes inner and leaves the capture open.
func (c *Capture) Tap(inner frame.Device, name string) *Device { return c.Sample(inner, name, 1) }

// Sample returns a device as Tap does, which captures only one frame out of a number of frames. every is that number,
// at least 1.
func (c *Capture) Sample(inner frame.Device, name string, every uint64) *Device {
	d := newTap(c)
	d.Device, d.area, d.every = inner, inner.Area(), max(every, 1)
	d.skip = d.every - 1
	c.add(d, name)
	return d
}

// newTap returns a tap without a device below.
func newTap(c *Capture) *Device {
	d := &Device{capture: c, every: 1, home: make(chan *chunk, chunksPerTap), full: make(chan *chunk, chunksPerTap)}
	for range chunksPerTap {
		d.home <- &chunk{blocks: make([]byte, 0, chunkSize)}
	}
	return d
}

// AsCarried makes the tap write received frames as an edge carries them: with the checksums finished that the host has
// left unfinished. The octets in the device's memory stay as they are. It must be called before the first frame.
func (d *Device) AsCarried() { d.carried = true }

// Receive fills into with frames from the device below, captures them as inbound, and returns their number.
func (d *Device) Receive(into []frame.Desc) int {
	n := d.Device.Receive(into)
	d.record(into[:n], inbound)
	return n
}

// Transmit posts frames to the device below and captures the accepted frames as outbound: also frames that a Kick
// fails to send.
func (d *Device) Transmit(tx []frame.Desc) int {
	n := d.Device.Transmit(tx)
	d.record(tx[:n], outbound)
	return n
}

// Close hands the last frames of the tap to the capture and closes the device below.
func (d *Device) Close() error {
	d.Detach()
	return d.Device.Close()
}

// Detach hands the last frames of the tap to the capture, and leaves the device below open. The tap must not be
// used any more.
func (d *Device) Detach() {
	d.closed.Store(true)
	d.capture.wakeUp()
}

// record copies the frames of a batch that are to be captured, one of every (skip counts the others), into buffers for
// the file. A frame without a free buffer counts as missed. If no frame of the batch is captured, record does not even
// read the time.
func (d *Device) record(batch []frame.Desc, way direction) {
	if uint64(len(batch)) <= d.skip {
		d.skip -= uint64(len(batch))
		return
	}
	if d.capture.stopped.Load() {
		return
	}
	filling, now := d.filling.Swap(nil), time.Now().UnixNano()
	for d.skip < uint64(len(batch)) {
		f := batch[d.skip]
		batch, d.skip = batch[d.skip+1:], d.every-1
		filling = d.add(filling, captured{d.intf, now, way, d.area[f.Addr:][:f.Len], nil})
	}
	d.skip -= uint64(len(batch))
	d.keep(filling)
}

// keep makes filling, unless it is nil, the buffer to which the next frames are added.
func (d *Device) keep(filling *chunk) {
	if filling != nil {
		filling.missed = d.missed
		d.filling.Store(filling)
	}
}

// add appends a frame to the buffer that is being filled, or to the next free buffer, and returns the buffer being
// filled then: nil if there is none, and the frame counts as missed.
func (d *Device) add(filling *chunk, p captured) *chunk {
	size := packetSize(len(p.octets), len(p.comment))
	if filling != nil && len(filling.blocks)+size > cap(filling.blocks) {
		filling.missed = d.missed
		d.full <- filling // full has room for all chunks of the tap
		d.capture.wakeUp()
		filling = nil
	}
	if filling == nil {
		filling = d.empty()
	}
	if filling == nil || len(filling.blocks)+size > cap(filling.blocks) {
		d.missed++
		d.capture.missed.Add(1)
		return filling
	}
	start := len(filling.blocks)
	filling.blocks = appendPacket(filling.blocks, p)
	if d.carried && p.way == inbound {
		checksum.Finish(filling.blocks[start+packetHeader:][:len(p.octets)])
	}
	filling.frames++
	return filling
}

// empty returns the next free buffer for frames, or nil while all are full or being written.
func (d *Device) empty() *chunk {
	select {
	case c := <-d.home:
		d.begun++
		c.number = d.begun
		return c
	default:
		return nil
	}
}

// collect calls put with each full buffer of the tap, the oldest first, and with the last one of a closed tap.
// Only the goroutine of the capture calls collect.
func (d *Device) collect(put func(*Device, *chunk)) {
	last := d.filling.Swap(nil)
	for len(d.full) > 0 {
		c := <-d.full
		if last != nil && c.number > last.number { // chunk c was begun and filled after chunk last
			put(d, last)
			last = nil
		}
		put(d, c)
	}
	if last != nil {
		put(d, last)
	}
}
