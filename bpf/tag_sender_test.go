package bpf

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// tagged returns a frame of the given length with tags, each of a type and a number, that nobody takes for a protocol.
func tagged(octets int, tags ...uint32) []byte {
	f := []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}
	for _, tag := range tags {
		f = binary.BigEndian.AppendUint32(f, tag)
	}
	f = append(f, 0x88, 0xb5)
	for i := len(f); i < octets; i++ {
		f = append(f, byte(i))
	}
	return f
}

// listen returns a packet socket at an interface, which reports the tag that is beside a frame.
func listen(t *testing.T, ifindex int) int {
	t.Helper()
	const all = unix.ETH_P_ALL>>8 | unix.ETH_P_ALL<<8&0xff00
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	for _, err := range []error{
		unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_AUXDATA, 1),
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: ifindex}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return fd
}

// next returns the next frame of a packet socket, with the tag that was beside the frame; nil: none has come.
func next(t *testing.T, fd int) []byte {
	t.Helper()
	f, aux := make([]byte, 4096), make([]byte, 64)
	n, m, _, _, err := unix.Recvmsg(fd, f, aux, 0)
	if err == unix.EAGAIN {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(aux[:m])
	if err != nil || len(messages) != 1 {
		t.Fatalf("%d messages: %v", len(messages), err)
	}
	d := messages[0].Data // struct tpacket_auxdata
	if binary.NativeEndian.Uint32(d)&unix.TP_STATUS_VLAN_VALID == 0 {
		return f[:n]
	}
	tag := binary.BigEndian.AppendUint16(nil, binary.NativeEndian.Uint16(d[18:]))
	tag = binary.BigEndian.AppendUint16(tag, binary.NativeEndian.Uint16(d[16:]))
	return bytes.Join([][]byte{f[:12], tag, f[12:n]}, nil)
}

// tagSender returns a TagSender for a veth. The kernel sends by an interface some time after the interface is up.
func tagSender(t *testing.T, ifindex int) *TagSender {
	t.Helper()
	s, err := NewTagSender(ifindex)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for end := time.Now().Add(10 * time.Second); s.Send(tagged(60, 0x81000001)) != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the veth sends nothing")
		}
	}
	return s
}

// A veth of an MTU of 1500 takes full frames with two tags, and shorter frames with one, and the receiver gets the
// octets that were sent. A frame that stays longer without its outer tag is lost.
func TestTagSender(t *testing.T) {
	a, b := inNamespace(t)
	s := tagSender(t, a)
	fd := listen(t, b)
	for _, c := range []struct {
		name string
		f    []byte
		lost bool
	}{
		{"two tags", tagged(1522, 0x88a80064, 0x8100e0c8), false},
		{"two tags of a kind", tagged(1522, 0x81001fff, 0x81000001), false},
		{"three tags", tagged(1522, 0x88a80001, 0x88a80002, 0x81000003), false},
		{"one tag", tagged(1518, 0x81002064), false},
		{"short", tagged(60, 0x81000000), false},
		{"too long", tagged(1523, 0x88a80064, 0x810000c8), true},
	} {
		if err := s.Send(c.f); err != nil && !c.lost { // some kernels report a frame that is too long
			t.Errorf("%s: %v", c.name, err)
		}
		got := next(t, fd)
		if c.lost && got != nil || !c.lost && !bytes.Equal(got, c.f) {
			t.Errorf("%s: %d octets came of %d:\n%x\n%x", c.name, len(got), len(c.f), got[:min(len(got), 32)], c.f[:32])
		}
	}
}

// What is no frame with a tag, or longer than MostTagged allows, is refused.
func TestTagSenderRefuses(t *testing.T) {
	a, b := inNamespace(t)
	s := tagSender(t, a)
	for _, f := range [][]byte{tagged(17), make([]byte, 13), make([]byte, 4096)} {
		if s.Send(f) == nil {
			t.Errorf("%d octets were sent", len(f))
		}
	}
	for _, i := range []int{a, b} {
		if err := netlink.LinkSetMTU(&netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Index: i}}, MostTagged); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Send(tagged(MostTagged, 0x81000001)); err != nil {
		t.Errorf("%d octets: %v", MostTagged, err)
	}
	if f := tagged(100, 0x81000001); testing.AllocsPerRun(100, func() { _ = s.Send(f) }) != 0 {
		t.Error("Send allocates")
	}
}
