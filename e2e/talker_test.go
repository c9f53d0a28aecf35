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

// talker is a host played by a test: it sends numbered frames from an address of its own, and receives all frames at
// its interface.
type talker struct {
	*packets
	name string
	mac  wire.MAC
}

// newTalker opens a talker at eth0 of a host; last is the last octet of its address. The talker receives frames of
// every EtherType: on a socket for one EtherType, the kernel would not report VLAN tags.
func newTalker(t testing.TB, host *netns.NS, last byte) *talker {
	t.Helper()
	return &talker{open(t, host, "eth0", unix.ETH_P_ALL), host.Name(), wire.MAC{0x02, 'e', '2', 'e', 1, last}}
}

// String returns the talker's address.
func (h *talker) String() string { return net.HardwareAddr(h.mac[:]).String() }

var broadcast = wire.MAC{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}

// stream is numbered frames of every size from one talker to others.
type stream struct {
	id   uint16
	from *talker
	da   wire.MAC
	tci  uint16    // of a VLAN tag; 0 = the frames have none
	to   []*talker // receivers
	sent atomic.Uint32
}

// noStream is the id of frames that belong to no stream of a talk.
const noStream = 0xFFFF

// frame returns the frame with a number: addresses, tag, EtherType, number, stream, and a pattern.
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
	stride     = 211 // from one size to the next; divides no number of sizes, so that every size occurs
)

// heard is the frames of a stream received by a talker.
type heard struct {
	frames uint32
	next   uint32 // next expected number
	wrong  string // first fault; "" = each came once, in order, unchanged
	first  uint64 // place of the first of them among all frames of the talk
	last   uint64 // place of the last
}

// take records one frame, and its place.
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

// untagged returns a frame without its VLAN tag.
func untagged(f []byte) []byte {
	if wire.EtherType(f) != 0x8100 {
		return f
	}
	return append(bytes.Clone(f[:2*wire.AddrLen]), f[2*wire.AddrLen+vlanTagLen:]...)
}
