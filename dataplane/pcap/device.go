package pcap

import (
	"time"

	"uelink/dataplane/frame"
)

const (
	// chunksPerTap is one to fill, one on its way, and some to bridge a slow write.
	chunksPerTap = 4
	chunkSize    = 256 << 10 // octets
)

// Device is a tap on another Device: what that one receives and takes to
// transmit goes into the capture too.
type Device struct {
	frame.Device
	capture *Capture
	intf    uint32
	area    []byte
	home    chan *chunk // empty ones
	filling *chunk      // nil: none was empty
	every   uint64      // one of so many frames is captured
	passed  uint64      // frames that have been seen
	missed  uint64      // of those to be captured, since the tap was made
}

// Tap puts the capture between inner and its user. name is the interface's in
// the file. Closing the tap closes inner and leaves the capture open.
func (c *Capture) Tap(inner frame.Device, name string) *Device { return c.Sample(inner, name, 1) }

// Sample is Tap for one frame of every, which is at least 1.
func (c *Capture) Sample(inner frame.Device, name string, every uint64) *Device {
	d := &Device{Device: inner, capture: c, intf: c.addInterface(name), area: inner.Area(),
		home: make(chan *chunk, chunksPerTap), every: max(every, 1)}
	for range chunksPerTap {
		d.home <- &chunk{home: d.home, blocks: make([]byte, 0, chunkSize)}
	}
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
	if d.filling != nil && d.filling.frames > 0 {
		select {
		case d.capture.work <- d.filling:
		case <-d.capture.done:
		}
	}
	d.filling = nil
	return d.Device.Close()
}

// see copies a batch of frames. What there is no room for is missed.
func (d *Device) see(batch []frame.Desc, way direction) {
	if d.capture.stopped.Load() {
		return
	}
	if len(batch) > 0 {
		now := time.Now().UnixNano()
		for i := range batch {
			d.passed++
			if d.passed%d.every != 0 || d.add(now, way, d.area[batch[i].Addr:][:batch[i].Len]) {
				continue
			}
			d.missed++
			d.capture.missed.Add(1)
		}
	}
	// While others are on their way a chunk is filled up, so that there is room for as many frames of
	// a busy moment as the chunks hold, and not for as many as there are chunks.
	if len(d.home) == chunksPerTap-1 {
		d.handOver()
	}
}

func (d *Device) add(now int64, way direction, octets []byte) bool {
	size := packetSize(len(octets))
	if d.filling != nil && len(d.filling.blocks)+size > cap(d.filling.blocks) {
		d.handOver()
	}
	if d.filling == nil {
		select {
		case d.filling = <-d.home:
		default:
			return false
		}
	}
	if len(d.filling.blocks)+size > cap(d.filling.blocks) {
		return false
	}
	d.filling.blocks = appendPacket(d.filling.blocks, d.intf, now, way, octets)
	d.filling.frames++
	return true
}

// handOver gives what there is to the capture's goroutine: after every call if it can, so that a
// pause in the traffic leaves nothing behind.
func (d *Device) handOver() {
	if d.filling == nil || d.filling.frames == 0 {
		return
	}
	d.filling.intf, d.filling.missed = d.intf, d.missed
	select {
	case d.capture.work <- d.filling:
		d.filling = nil
	default:
	}
}
