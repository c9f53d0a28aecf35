package e2e

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/netns"
	"uelink/wire"
)

// probeType is the EtherType of frames made by tests. The IEEE 802 local experimental numbers are uelink's own;
// 0x9000 is for loopback tests.
const probeType uint16 = 0x9000

// packets is a packet socket: it sends any octets as a frame, and receives all frames that the interface hands to the
// kernel.
type packets struct {
	t    testing.TB
	fd   int
	file *os.File // of fd: a wait by it blocks no thread of Go's scheduler
}

// open opens a packet socket on an interface for one EtherType, or for all with unix.ETH_P_ALL. Frames sent by the
// interface itself are not received.
func open(t testing.TB, ns *netns.NS, ifname string, etherType uint16) *packets {
	t.Helper()
	index, err := ns.Ifindex(ifname)
	must(t, err)
	p := &packets{t: t}
	must(t, ns.Do(func() error {
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

// send sends one frame. It waits while the queue is full; a frame for an interface that is down is lost.
func (p *packets) send(frame []byte) {
	p.t.Helper()
	if err := p.write(frame); err != nil {
		p.t.Fatalf("send %d octets: %v", len(frame), err)
	}
}

// write is send for goroutines that must not end the test.
func (p *packets) write(frame []byte) error {
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

// next returns the next received frame, or nil if none arrives within a moment.
func (p *packets) next() []byte {
	p.t.Helper()
	frame, err := p.read()
	if err != nil {
		p.t.Fatalf("receive: %v", err)
	}
	return frame
}

// moment is how long next waits.
const moment = 5 * time.Millisecond

// read is next for goroutines that must not end the test.
func (p *packets) read() ([]byte, error) {
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

// withTag returns a frame with its VLAN tag, which the kernel has moved to the control message.
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
			return tag(frame, aux.Vlan_tpid, aux.Vlan_tci), nil
		}
	}
	return frame, nil
}

// tag returns a frame with a VLAN tag after its addresses.
func tag(frame []byte, tpid, tci uint16) []byte {
	octets := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, tpid), tci)
	return slices.Insert(frame, 2*wire.AddrLen, octets...)
}

// await waits for a frame for which want returns true, and returns it; other frames are dropped.
func (p *packets) await(what string, want func(frame []byte) bool) (frame []byte) {
	p.t.Helper()
	eventually(p.t, what, func() string {
		if frame = p.next(); frame != nil && want(frame) {
			return ""
		}
		return "it has not come"
	})
	return frame
}

// probe returns a frame of n octets with a number, from one host to the other.
func probe(number uint32, n int) []byte {
	f := make([]byte, n)
	copy(f, []byte{0x02, 'e', '2', 'e', 0, 2, 0x02, 'e', '2', 'e', 0, 1})
	binary.BigEndian.PutUint16(f[12:], probeType)
	binary.BigEndian.PutUint32(f[wire.HeaderLen:], number)
	for i := wire.HeaderLen + 4; i < n; i++ {
		f[i] = byte(i) ^ byte(number)
	}
	return f
}

// probeNumber returns the number of a probe.
func probeNumber(frame []byte) uint32 { return binary.BigEndian.Uint32(frame[wire.HeaderLen:]) }

// inOrder receives probes and demands the numbers [0, n), each once, in order and unchanged.
func (p *packets) inOrder(n uint32, octets int) {
	p.t.Helper()
	for want := range n {
		f := p.await(fmt.Sprintf("probe %d of %d", want, n), func([]byte) bool { return true })
		if string(f) != string(probe(want, octets)) {
			p.t.Fatalf("instead of probe %d there came % x", want, f)
		}
	}
	if f := p.next(); f != nil {
		p.t.Errorf("one more came after the last of %d: % x", n, f)
	}
}

// crosses sends probes from one socket until one arrives at the other, and returns the time it took.
func crosses(from, to *packets, bound time.Duration) time.Duration {
	to.t.Helper()
	number := uint32(time.Now().UnixNano()) // a late probe of an earlier call does not match
	first := number
	return within(to.t, bound, "a frame that crosses", func() string {
		from.send(probe(number, wire.MinFrameLen))
		number++
		for f := to.next(); f != nil; f = to.next() {
			if wire.EtherType(f) == probeType && probeNumber(f)-first < number-first {
				return ""
			}
		}
		return fmt.Sprintf("none of %d did", number-first)
	})
}
