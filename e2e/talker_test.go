package e2e

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/netns"
	"uelink/wire"
)

// talker is a host as a test plays it: it sends numbered frames from an address of its own,
// and hears all that comes to its interface.
type talker struct {
	*packets
	name string
	mac  wire.MAC
}

// newTalker opens one at eth0 of a host; the last octet of its address is given. It hears frames
// of every EtherType: who asks for one does not learn of VLAN tags from the kernel.
func newTalker(t testing.TB, host *netns.NS, last byte) *talker {
	t.Helper()
	return &talker{open(t, host, "eth0", unix.ETH_P_ALL), host.Name(), wire.MAC{0x02, 'e', '2', 'e', 1, last}}
}

// String is its address.
func (h *talker) String() string { return net.HardwareAddr(h.mac[:]).String() }

var broadcast = wire.MAC{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}

// stream is numbered frames of every size from one talker, for others.
type stream struct {
	id   uint16
	from *talker
	da   wire.MAC
	tci  uint16    // of a VLAN tag; 0 = the frames have none
	to   []*talker // that are to hear them
	sent atomic.Uint32
}

// noStream is the id of frames that are of no talk's streams.
const noStream = 0xFFFF

// frame is the frame of a number: addresses, tag, EtherType, number, stream, and a pattern.
func (s *stream) frame(number uint32) []byte {
	sizes := uint32(wire.HeaderLen + edgeMTU - wire.MinFrameLen + 1)
	if s.tci != 0 {
		sizes -= vlanTagLen
	}
	f := probe(number, wire.MinFrameLen+int(number*stride%sizes))
	copy(f, s.da[:])
	copy(f[wire.AddrLen:], s.from.mac[:])
	binary.BigEndian.PutUint16(f[wire.HeaderLen+4:], s.id)
	if s.tci != 0 {
		f = tag(f, 0x8100, s.tci)
	}
	return f
}

const (
	vlanTagLen = 4   // octets
	stride     = 211 // from one size to the next; it divides no number of sizes, so that each has its turn
)

// heard is the frames of a stream that a talker has heard.
type heard struct {
	frames uint32
	next   uint32 // number that may come next
	wrong  string // what was wrong with them first; "" = each came once, in order, unchanged
	first  uint64 // place of the first of them among all frames of the talk
	last   uint64 // and of the last
}

// take notes one frame, and its place.
func (h *heard) take(s *stream, f []byte, place uint64) {
	number := probeNumber(untagged(f))
	switch {
	case h.wrong != "":
	case number < h.next:
		h.wrong = fmt.Sprintf("number %d came after number %d", number, h.next-1)
	case !bytes.Equal(f, s.frame(number)):
		h.wrong = fmt.Sprintf("number %d was changed: % x", number, f)
	}
	if h.frames == 0 {
		h.first = place
	}
	h.last = place
	h.frames++
	h.next = max(h.next, number+1)
}

// untagged is a frame without its VLAN tag, if it has one.
func untagged(f []byte) []byte {
	if wire.EtherType(f) != 0x8100 {
		return f
	}
	return append(bytes.Clone(f[:2*wire.AddrLen]), f[2*wire.AddrLen+vlanTagLen:]...)
}
