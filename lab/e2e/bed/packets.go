package bed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/wire"
)

// ProbeType is the EtherType of frames made by tests. The IEEE 802 local experimental numbers are uelink's own;
// 0x9000 is for loopback tests.
const ProbeType uint16 = 0x9000

// Packets is a packet socket: it sends any octets as a frame, and receives all frames that the interface hands to the
// kernel.
type Packets struct {
	T    testing.TB
	fd   int
	file *os.File // file of the descriptor fd: waiting for this file blocks no thread of Go's scheduler

	dropped uint32 // frames that the socket had dropped at the last call of Dropped
}

// Open opens a packet socket on an interface that sends frames and receives those of one EtherType, or of all with
// unix.ETH_P_ALL, until the end of the test. Frames sent by the interface itself are not received.
func Open(t testing.TB, ns *netns.NS, ifname string, etherType uint16) *Packets {
	t.Helper()
	index, err := ns.Ifindex(ifname)
	Must(t, err)
	p := &Packets{T: t}
	Must(t, ns.Do(func() error {
		protocol := int(binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, etherType)))
		if p.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0); err != nil {
			return err
		}
		p.file = os.NewFile(uintptr(p.fd), "packet socket")
		t.Cleanup(func() { p.file.Close() })
		return errors.Join(
			unix.SetsockoptInt(p.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1),
			unix.SetsockoptInt(p.fd, unix.SOL_PACKET, unix.PACKET_AUXDATA, 1),
			unix.SetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20),
			unix.SetsockoptPacketMreq(p.fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP,
				&unix.PacketMreq{Ifindex: int32(index), Type: unix.PACKET_MR_PROMISC}),
			unix.Bind(p.fd, &unix.SockaddrLinklayer{Protocol: uint16(protocol), Ifindex: index}))
	}))
	return p
}

// Send sends one frame and ends the test on an error. It waits while the queue is full; a frame for an interface
// that is down is lost.
func (p *Packets) Send(frame []byte) {
	p.T.Helper()
	if err := p.Write(frame); err != nil {
		p.T.Fatalf("send %d octets: %v", len(frame), err)
	}
}

// Write sends one frame as Send does, but returns the error, for goroutines that must not end the test. It waits while
// the queue is full. An interface that is down or gone loses the frame, which is no error.
func (p *Packets) Write(frame []byte) error {
	for {
		_, err := unix.Write(p.fd, frame)
		switch {
		case err == nil, errors.Is(err, unix.ENETDOWN), errors.Is(err, unix.ENXIO):
			return nil
		case !errors.Is(err, unix.ENOBUFS) && !errors.Is(err, unix.EAGAIN):
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// Dropped returns how many frames the socket has dropped for want of room since it was opened.
func (p *Packets) Dropped() uint32 {
	p.T.Helper()
	stats, err := unix.GetsockoptTpacketStats(p.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS) // resets the counters
	Must(p.T, err)
	p.dropped += stats.Drops
	return p.dropped
}

// Room gives the socket a send buffer for frames of this many octets.
func (p *Packets) Room(octets int) {
	p.T.Helper()
	Must(p.T, unix.SetsockoptInt(p.fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, octets))
}

// Once sends one frame, and does not send it again if the kernel drops it for want of room.
func (p *Packets) Once(frame []byte) error {
	if _, err := unix.Write(p.fd, frame); err != nil && !errors.Is(err, unix.ENOBUFS) && !errors.Is(err, unix.EAGAIN) {
		return fmt.Errorf("send %d octets: %w", len(frame), err)
	}
	return nil
}

// Next returns the next received frame, or nil if none arrives within 5 ms. An error ends the test.
func (p *Packets) Next() []byte {
	p.T.Helper()
	frame, err := p.Read()
	if err != nil {
		p.T.Fatalf("receive: %v", err)
	}
	return frame
}

// moment is how long Next and Read wait for a frame.
const moment = 5 * time.Millisecond

// Read returns the next received frame as Next does, but returns the error, for goroutines that must not end the
// test. Without a frame within a moment, it returns nil and no error.
func (p *Packets) Read() ([]byte, error) {
	connection, err := p.file.SyscallConn()
	if err != nil {
		return nil, err
	}
	if err := p.file.SetReadDeadline(time.Now().Add(moment)); err != nil {
		return nil, err
	}
	var n, m int
	frame, control := make([]byte, 4096), make([]byte, 64)
	waited := connection.Read(func(fd uintptr) bool {
		n, m, _, _, err = unix.Recvmsg(int(fd), frame, control, 0)
		return !errors.Is(err, unix.EAGAIN)
	})
	switch {
	case errors.Is(waited, os.ErrDeadlineExceeded), errors.Is(err, unix.EINTR), errors.Is(err, unix.ENETDOWN):
		return nil, nil
	case waited != nil || err != nil:
		return nil, errors.Join(waited, err)
	}
	return withTag(frame[:n], control[:m])
}

// withTag returns a received frame with its VLAN tag put back, which the kernel has moved to the control message
// of the socket.
func withTag(frame, control []byte) ([]byte, error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		var aux unix.TpacketAuxdata
		if m.Header.Level != unix.SOL_PACKET || m.Header.Type != unix.PACKET_AUXDATA {
			continue
		}
		if _, err := binary.Decode(m.Data, binary.NativeEndian, &aux); err != nil {
			return nil, err
		}
		if aux.Status&unix.TP_STATUS_VLAN_VALID != 0 {
			return Tag(frame, aux.Vlan_tpid, aux.Vlan_tci), nil
		}
	}
	return frame, nil
}

// Tag returns a frame with a VLAN tag, of this TPID and TCI, inserted after its addresses.
func Tag(frame []byte, tpid, tci uint16) []byte {
	octets := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, tpid), tci)
	return slices.Insert(frame, 2*wire.AddrLen, octets...)
}

// Await waits for a received frame for which want returns true, and returns the frame; other frames are dropped.
// subject names the wait in the error.
func (p *Packets) Await(subject string, want func(frame []byte) bool) (frame []byte) {
	p.T.Helper()
	Eventually(p.T, subject, func() string {
		if frame = p.Next(); frame != nil && want(frame) {
			return ""
		}
		return "no such frame has come"
	})
	return frame
}

// Probe returns a test frame (probe) of n octets with a number and a pattern, from the address 02:65:32:65:00:01 to the
// address 02:65:32:65:00:02.
func Probe(number uint32, n int) []byte {
	f := make([]byte, n)
	copy(f, []byte{0x02, 'e', '2', 'e', 0, 2, 0x02, 'e', '2', 'e', 0, 1})
	binary.BigEndian.PutUint16(f[12:], ProbeType)
	binary.BigEndian.PutUint32(f[wire.HeaderLen:], number)
	for i := wire.HeaderLen + 4; i < n; i++ {
		f[i] = byte(i) ^ byte(number)
	}
	return f
}

// ProbeNumber returns the number in a test frame made by Probe.
func ProbeNumber(frame []byte) uint32 { return binary.BigEndian.Uint32(frame[wire.HeaderLen:]) }

// InOrder receives n probes of that many octets and ends the test unless they have the numbers 0 to n-1, each
// once, in order and unchanged. It reports an error of the test if another frame follows within a moment.
func (p *Packets) InOrder(n uint32, octets int) {
	p.T.Helper()
	for want := range n {
		f := p.Await(fmt.Sprintf("probe %d of %d", want, n), func([]byte) bool { return true })
		if string(f) != string(Probe(want, octets)) {
			p.T.Fatalf("instead of probe %d there came % x", want, f)
		}
	}
	if f := p.Next(); f != nil {
		p.T.Errorf("a frame came after the last of %d probes: % x", n, f)
	}
}

// AwaitCrossing sends probes from one socket until one of them arrives at the other, and returns the time passed;
// after the time bound it ends the test.
func AwaitCrossing(from, to *Packets, bound time.Duration) time.Duration {
	to.T.Helper()
	number := uint32(time.Now().UnixNano()) // a late probe of an earlier call does not match
	first := number
	return Within(to.T, bound, "a frame that crosses", func() string {
		from.Send(Probe(number, wire.MinFrameLen))
		number++
		for f := to.Next(); f != nil; f = to.Next() {
			if wire.EtherType(f) == ProbeType && ProbeNumber(f)-first < number-first {
				return ""
			}
		}
		return fmt.Sprintf("none of %d did", number-first)
	})
}

// Drain returns all frames that have been received and not read so far; it stops when none arrives for 5 ms.
func (p *Packets) Drain() (frames [][]byte) {
	p.T.Helper()
	for f := p.Next(); f != nil; f = p.Next() {
		frames = append(frames, f)
	}
	return frames
}
