package bed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/wire"
)

// Talker is a host played by a test: it sends numbered frames from an address of its own, and receives all frames at
// its interface.
type Talker struct {
	*Packets
	Name string
	MAC  wire.MAC
}

// NewTalker opens a packet socket at eth0 of a host, as NewTalkerAt.
func NewTalker(t testing.TB, host *netns.NS, last byte) *Talker {
	t.Helper()
	return NewTalkerAt(t, host, "eth0", last)
}

// NewTalkerAt opens a packet socket at an interface of a host, by which a test sends and receives as a station of its
// own; last is the last octet of its MAC address. The talker receives frames of every EtherType: on a socket for one
// EtherType, the kernel would not report VLAN tags.
func NewTalkerAt(t testing.TB, host *netns.NS, ifname string, last byte) *Talker {
	t.Helper()
	return &Talker{Open(t, host, ifname, unix.ETH_P_ALL), host.Name(), wire.MAC{0x02, 'e', '2', 'e', 1, last}}
}

// OnlyProbes makes the kernel drop all frames for the talker but untagged probes. Beside TCP at full speed the socket
// of a talker without it has room for half a second, and loses probes if the test gets no CPU for longer.
func (h *Talker) OnlyProbes() {
	h.T.Helper()
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_H | unix.BPF_ABS, K: 2 * wire.AddrLen},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: uint32(ProbeType)},
		{Code: unix.BPF_RET | unix.BPF_K, K: 1 << 16},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	}
	Must(h.T, unix.SetsockoptSockFprog(h.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
		&unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}))
}

// String returns the talker's MAC address as text.
func (h *Talker) String() string { return net.HardwareAddr(h.MAC[:]).String() }

// Broadcast is the broadcast address.
var Broadcast = wire.MAC{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}

// Stream is numbered frames of every size from one talker to others.
type Stream struct {
	ID   uint16
	From *Talker
	DA   wire.MAC
	TCI  uint16    // tag control information of the VLAN tag; 0 = the frames have no tag
	to   []*Talker // receivers
	Sent atomic.Uint32
}

// NoStream is the id of frames that belong to no stream of a talk.
const NoStream = 0xFFFF

// Frame returns the frame of the stream with a number: addresses, VLAN tag if any, EtherType, number, stream ID,
// and a pattern. The length also follows from the number.
func (s *Stream) Frame(number uint32) []byte {
	sizes := uint32(wire.HeaderLen + EdgeMTU - wire.MinFrameLen + 1)
	if s.TCI != 0 {
		sizes -= vlanTagLen
	}
	f := Probe(number, wire.MinFrameLen+int(number*stride%sizes))
	copy(f, s.DA[:])
	copy(f[wire.AddrLen:], s.From.MAC[:])
	binary.BigEndian.PutUint16(f[wire.HeaderLen+4:], s.ID)
	if s.TCI != 0 {
		f = Tag(f, 0x8100, s.TCI)
	}
	return f
}

// Constants of the length of a stream's frames.
const (
	vlanTagLen = 4   // octets
	stride     = 211 // step from one size to the next; a prime that does not divide the number of sizes: every size occurs
)

// Heard is the count of frames of a stream that a talker has received.
type Heard struct {
	Frames uint32
	Next   uint32 // number after the highest one received
	Wrong  string // first fault; "" = each came once, in order, unchanged
	First  uint64 // position of the stream's first received frame among all frames received in the talk, from 1
	Last   uint64 // position of the stream's last received frame, as First
}

// take counts one received frame of stream s and checks that its number is not lower than expected and its octets
// are as sent; it keeps the first fault in Wrong. place is the frame's position, from 1, among all frames received
// in the talk.
func (h *Heard) take(s *Stream, f []byte, place uint64) {
	number := ProbeNumber(untagged(f))
	switch {
	case h.Wrong != "":
	case number < h.Next:
		h.Wrong = fmt.Sprintf("frame %d came after frame %d", number, h.Next-1)
	case !bytes.Equal(f, s.Frame(number)):
		h.Wrong = fmt.Sprintf("frame %d was changed: % x", number, f)
	}
	if h.Frames == 0 {
		h.First = place
	}
	h.Last = place
	h.Frames++
	h.Next = max(h.Next, number+1)
}

// untagged returns a frame without its VLAN tag, if it has one.
func untagged(f []byte) []byte {
	if wire.EtherType(f) != 0x8100 {
		return f
	}
	return append(bytes.Clone(f[:2*wire.AddrLen]), f[2*wire.AddrLen+vlanTagLen:]...)
}
