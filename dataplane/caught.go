package dataplane

import (
	"math/bits"
	"slices"

	"uelink/bpf"
	"uelink/dataplane/frame"
	"uelink/dataplane/netif"
	"uelink/wire"
)

// caught is the frames that came to a port while its sockets were opened anew: what its RX rings still held, and what a
// packet socket caught. The port receives them, in their order, before what comes to the sockets.
type caught struct {
	area  []byte
	shift int
	descs []frame.Desc // that were not received yet
	n     int          // of all
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

// catch has a port that is attached receive these frames first.
func (d *domain) catch(p *port, frames [][]byte) {
	if len(frames) == 0 {
		return
	}
	s := newSource(p, newCaught(frames))
	s.spare += p.sources[0].spare // what a port may refuse for want of room has room here
	d.enlist(s)
	d.provide()
	p.caught = []*source{s}
}

// inlets returns the sources that a port receives from: while it has frames that were caught, only from these.
func (p *port) inlets() []*source {
	if p.caught != nil {
		return p.caught
	}
	return p.sources
}

// caughtUp has a port receive from its sockets, if all that was caught has been received. What of it waits elsewhere
// goes on waiting.
func (d *domain) caughtUp(p *port, now int64) {
	s := p.caught[0]
	if len(s.device.(*caught).descs) == 0 {
		d.rescue(s, now)
		p.caught = nil
	}
}

// dropCaught gives up what was caught and not received yet.
func (d *domain) dropCaught(p *port, now int64) {
	if p.caught == nil {
		return
	}
	c := p.caught[0].device.(*caught)
	p.counters.RxDropDetached += uint64(len(c.descs))
	c.descs = nil
	d.caughtUp(p, now)
}

// left takes what was caught, and what the RX rings of a port hold, out of there.
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

// catching is what is caught of a port while its sockets are opened anew.
type catching struct {
	socket *netif.Catch // nil: there is none
	frames [][]byte
}

// beginCatch has frames of an interface caught from now on: they no longer come to its sockets.
func (h *host) beginCatch() (c *catching, err error) {
	c = &catching{}
	if c.socket, err = netif.OpenCatch(h.ifindex); err != nil {
		return c, err
	}
	return c, h.owned.Divert()
}

// end ends that, when nothing is under way to the packet socket any more, and returns how many frames that has caught
// of those that the program of a port hands to its sockets, and for how many it had no room.
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
		if s.takes(f) {
			c.frames = append(c.frames, f)
			n++
		}
	}
	_ = c.socket.Close() // nothing of it is needed any more
	return n, missed
}

// takes reports whether the XDP program of a port hands a frame to the port's sockets (bpf/steer.c).
func (s *PortSettings) takes(f []byte) bool {
	c := s.steering()
	switch wire.EtherType(f) {
	case wire.EtherTypeLLDP:
		return false
	case c.EtherTypeData, c.EtherTypeControl:
		return true
	}
	return !c.Link || c.Native == bpf.NativeSocket
}
