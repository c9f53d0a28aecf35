package pcap

import (
	"sync/atomic"
	"time"

	"uelink/dataplane/frame"
)

const (
	// chunksPerTap is one to fill, one that is written, and some to bridge a slow write.
	chunksPerTap = 4
	chunkSize    = 256 << 10 // octets
)

// Device is a tap on another Device: what that one receives and takes to
// transmit goes into the capture too.
//
// The frame path fills chunks. It wakes nobody but when one is full: the goroutine of the capture comes by
// every collectEvery, and takes the one that is being filled as well. Whoever has swapped that out owns it.
type Device struct {
	frame.Device
	capture *Capture
	intf    uint32
	area    []byte
	home    chan *chunk // empty ones
	full    chan *chunk
	filling atomic.Pointer[chunk]
	closed  atomic.Bool
	begun   uint64 // chunks
	every   uint64 // one of so many frames is captured
	skip    uint64 // frames to pass before the next one that is
	missed  uint64 // of those to be captured, since the tap was made
}

// Tap puts the capture between inner and its user. name is the interface's in
// the file. Closing the tap closes inner and leaves the capture open.
func (c *Capture) Tap(inner frame.Device, name string) *Device { return c.Sample(inner, name, 1) }

// Sample is Tap for one frame of every, which is at least 1.
func (c *Capture) Sample(inner frame.Device, name string, every uint64) *Device {
	d := &Device{Device: inner, capture: c, area: inner.Area(), every: max(every, 1),
		home: make(chan *chunk, chunksPerTap), full: make(chan *chunk, chunksPerTap)}
	d.skip = d.every - 1
	for range chunksPerTap {
		d.home <- &chunk{blocks: make([]byte, 0, chunkSize)}
	}
	c.add(d, name)
	return d
}

// Receive takes frames from the device below and captures them as inbound.
func (d *Device) Receive(into []frame.Desc) int {
	n := d.Device.Receive(into)
	d.see(into[:n], inbound)
	return n
}

// Transmit posts frames to the device below and captures those it took as
// outbound: also those that a Kick fails to send.
func (d *Device) Transmit(tx []frame.Desc) int {
	n := d.Device.Transmit(tx)
	d.see(tx[:n], outbound)
	return n
}

// Close hands the last frames to the capture and closes the device below.
func (d *Device) Close() error {
	d.Leave()
	return d.Device.Close()
}

// Leave hands the last frames to the capture, and leaves the device below open. Nobody uses the tap any more.
func (d *Device) Leave() {
	d.closed.Store(true)
	d.capture.wakeUp()
}

// see copies those of a batch of frames that are to be captured. What there is no room for is missed. Where none
// is, it does not even look at the time.
func (d *Device) see(batch []frame.Desc, way direction) {
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
		filling = d.add(filling, now, way, d.area[f.Addr:][:f.Len])
	}
	d.skip -= uint64(len(batch))
	if filling != nil {
		filling.missed = d.missed
		d.filling.Store(filling)
	}
}

// add puts a frame into the chunk that is being filled, or into the next one, and returns the one that is then: nil
// where there is none.
func (d *Device) add(filling *chunk, now int64, way direction, octets []byte) *chunk {
	size := packetSize(len(octets))
	if filling != nil && len(filling.blocks)+size > cap(filling.blocks) {
		filling.missed = d.missed
		d.full <- filling // there is room for all chunks of the tap
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
	filling.blocks = appendPacket(filling.blocks, d.intf, now, way, octets)
	filling.frames++
	return filling
}

// empty is the next chunk to fill, or nil where all are on their way.
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

// collect takes what the tap has, the oldest first. It is for the goroutine of the capture.
func (d *Device) collect(put func(*Device, *chunk)) {
	last := d.filling.Swap(nil)
	for len(d.full) > 0 {
		c := <-d.full
		if last != nil && c.number > last.number { // it was filled meanwhile
			put(d, last)
			last = nil
		}
		put(d, c)
	}
	if last != nil {
		put(d, last)
	}
}
