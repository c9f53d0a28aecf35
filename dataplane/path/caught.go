package path

import (
	"math/bits"

	"uelink/dataplane/frame"
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
// reopened. Each copy has a chunk of its own; a chunk has the octets of the longest frame, rounded up to a power of
// two.
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
