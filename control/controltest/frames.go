package controltest

import (
	"fmt"

	"uelink/dataplane"
	"uelink/dataplane/frame"
	"uelink/dataplane/mem"
	"uelink/dataplane/pcap"
)

// Watched is a watch of a port's frames.
type Watched struct {
	Every uint64
	tap   *pcap.Device
	ended chan struct{}
}

// WatchFrames starts a watch of the frames of a port. The watch shows only frames sent by Pass.
func (b *Backend) WatchFrames(port string) (dataplane.FramesWatch, error) {
	if err := b.record(port, false, "WatchFrames "+port); err != nil {
		return dataplane.FramesWatch{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watched != nil {
		return dataplane.FramesWatch{}, fmt.Errorf("port %s: %w", port, dataplane.ErrWatched)
	}
	w := &Watched{ended: make(chan struct{})}
	b.watched = w
	begin := func(c *pcap.Capture, every uint64) {
		g := frame.Geometry{ChunkSize: 2048, RX: 4, TX: 4}
		device, _ := mem.NewPair(g, g, 4)
		b.mu.Lock()
		defer b.mu.Unlock()
		w.Every, w.tap = every, c.Sample(device, port, every)
	}
	stop := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.watched = nil
		if w.tap != nil {
			_ = w.tap.Close() // flushes the last frames
		}
	}
	return dataplane.FramesWatch{Begin: begin, Stop: stop, Ended: w.ended}, nil
}

// Watched returns the running watch of frames, to feed it with frames; nil if no watch was started, or if its
// client has not begun to read.
func (b *Backend) Watched() *Watched {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watched == nil || b.watched.tap == nil {
		return nil
	}
	return b.watched
}

// Pass transmits a frame by the watched port, so that the watch of frames shows it.
func (w *Watched) Pass(octets []byte) {
	slot := w.tap.Geometry().SlotAddr(0)
	copy(w.tap.Area()[slot:], octets)
	w.tap.Transmit([]frame.Desc{{Addr: slot, Len: uint32(len(octets))}})
	_ = w.tap.Kick()
	w.tap.Completed(make([]uint64, 1))
}

// End ends the watch of frames, as the removal of the watched port does.
func (w *Watched) End() { close(w.ended) }
