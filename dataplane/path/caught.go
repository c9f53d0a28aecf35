package path

import (
	"math/bits"
	"slices"

	"uelink/dataplane/frame"
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

// newCaught returns a device from which a port receives copies of the given frames, caught while its sockets were
// reopened.
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

func (c *caught) Waiting() int { return len(c.descs) }

func (c *caught) Recycle([]frame.Desc) {}

func (c *caught) TxRoom() int { return 0 }

func (c *caught) Transmit([]frame.Desc) int { return 0 }

func (c *caught) Completed([]uint64) int { return 0 }

func (c *caught) Kick() error { return nil }

func (c *caught) FD() int { return -1 }

func (c *caught) Stats() (frame.Stats, error) { return frame.Stats{}, nil }

func (c *caught) Close() error { return nil }

// Catch gives an attached port frames that were caught while its sockets were reopened. The port receives them
// before frames from its new sockets.
func (d *Domain) Catch(p *Port, frames [][]byte) {
	if len(frames) == 0 {
		return
	}
	s := newSource(p, newCaught(frames))
	s.spare += p.sources[0].spare // a frame that a port may refuse for want of room has room here
	d.enlist(s)
	d.provide()
	p.caught = []*source{s}
}

// caughtUp makes a port receive from its sockets once all caught frames have been received. Caught frames in
// queues go on waiting.
func (d *Domain) caughtUp(p *Port, now wire.Time) {
	s := p.caught[0]
	if len(s.device.(*caught).descs) == 0 {
		d.rescue(s, now)
		p.caught = nil
	}
}

// dropCaught drops and counts the caught frames that a port has not received yet.
func (d *Domain) dropCaught(p *Port, now wire.Time) {
	if p.caught == nil {
		return
	}
	c := p.caught[0].device.(*caught)
	p.Counters.RxDropDetached += uint64(len(c.descs))
	c.descs = nil
	d.caughtUp(p, now)
}

// left removes and returns, as copies, the frames that a port has not received yet: frames caught by a packet socket
// while its sockets were reopened, and frames in the RX rings.
func (p *Port) left() (frames [][]byte) {
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
