package dataplane

import (
	"math/bits"
	"slices"

	"uelink/bpf"
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// caught holds the frames received while a port's sockets were reopened: frames from its old RX rings, and frames
// caught by a packet socket. The port receives the caught frames, in order, before frames from the new sockets.
type caught struct {
	area  []byte
	shift int
	descs []frame.Desc // frames not received yet
	n     int          // number of all caught frames
}

// newCaught copies frames to a memory of chunks.
func newCaught(frames [][]byte) *caught {
	longest := 1
	for _, f := range frames {
		longest = max(longest, len(f))
	}
	c := &caught{shift: bits.Len(uint(longest - 1)), n: len(frames)}
	c.area = make([]byte, len(frames)<<c.shift)
	for i, f := range frames {
		at := i << c.shift
		c.descs = append(c.descs, frame.Desc{Addr: uint64(at), Len: uint32(copy(c.area[at:], f))})
	}
	return c
}

func (c *caught) Area() []byte { return c.area }

func (c *caught) Geometry() frame.Geometry {
	return frame.Geometry{ChunkSize: 1 << c.shift, RX: c.n, Spare: c.n}
}

func (c *caught) Receive(into []frame.Desc) int {
	n := copy(into, c.descs)
	c.descs = c.descs[n:]
	return n
}

func (c *caught) Recycle([]frame.Desc)        {}
func (c *caught) TxRoom() int                 { return 0 }
func (c *caught) Transmit([]frame.Desc) int   { return 0 }
func (c *caught) Completed([]uint64) int      { return 0 }
func (c *caught) Kick() error                 { return nil }
func (c *caught) FD() int                     { return -1 }
func (c *caught) Stats() (frame.Stats, error) { return frame.Stats{}, nil }
func (c *caught) Close() error                { return nil }

// catch passes caught frames to an attached port, to be received first.
func (d *domain) catch(p *port, frames [][]byte) {
	if len(frames) == 0 {
		return
	}
	s := newSource(p, newCaught(frames))
	s.spare += p.sources[0].spare // a frame that a port may refuse for want of room has room here
	d.enlist(s)
	d.provide()
	p.caught = []*source{s}
}

// inlets returns the sources that a port receives from: the source of the caught frames while any are left, then the
// port's sockets.
func (p *port) inlets() []*source {
	if p.caught != nil {
		return p.caught
	}
	return p.sources
}

// caughtUp switches a port to its sockets when all caught frames have been received. Caught frames in queues go on
// waiting.
func (d *domain) caughtUp(p *port, now int64) {
	s := p.caught[0]
	if len(s.device.(*caught).descs) == 0 {
		d.rescue(s, now)
		p.caught = nil
	}
}

// dropCaught drops the caught frames not received yet.
func (d *domain) dropCaught(p *port, now int64) {
	if p.caught == nil {
		return
	}
	c := p.caught[0].device.(*caught)
	p.counters.RxDropDetached += uint64(len(c.descs))
	c.descs = nil
	d.caughtUp(p, now)
}

// left removes and returns the caught frames and the frames in the RX rings of a port.
func (p *port) left() (frames [][]byte) {
	for _, s := range slices.Concat(p.caught, p.sources) {
		for {
			descs := p.rx[:s.device.Receive(p.rx[:])]
			if len(descs) == 0 {
				break
			}
			for _, d := range descs {
				frames = append(frames, append([]byte(nil), s.area[d.Addr:][:d.Len]...))
			}
			s.device.Recycle(descs)
		}
	}
	return frames
}

// catching collects the frames of a port while its sockets are reopened, by a packet socket.
type catching struct {
	socket *netif.Catch // nil: no packet socket
	frames [][]byte
}

// beginCatch diverts the frames of an interface to a packet socket; the port's sockets get no more frames.
func (h *host) beginCatch() (c *catching, err error) {
	c = &catching{}
	if c.socket, err = netif.OpenCatch(h.ifindex); err != nil {
		return c, err
	}
	return c, h.owned.Divert()
}

// end stops the catch when no frame is in transit to the packet socket any more. It returns the number of frames caught
// that the port's program would pass to its sockets, and the number missed for want of room.
func (c *catching) end(s *PortSettings) (n, missed uint64) {
	if c.socket == nil {
		return 0, 0
	}
	netif.WaitGracePeriod()
	came, missed := c.socket.Counts()
	for range came {
		f, ok := c.socket.Next()
		if !ok {
			break
		}
		if s.steersToSocket(f) {
			c.frames = append(c.frames, f)
			n++
		}
	}
	_ = c.socket.Close() // all frames have been read
	return n, missed
}

// steersToSocket reports whether the XDP program of a port hands a frame to the port's sockets (bpf/steer.c).
func (s *PortSettings) steersToSocket(f []byte) bool {
	c := s.steering()
	switch wire.EtherType(f) {
	case wire.EtherTypeLLDP:
		return false
	case c.EtherTypeData, c.EtherTypeControl:
		return true
	}
	return !c.Link || c.Native == bpf.NativeSocket
}
