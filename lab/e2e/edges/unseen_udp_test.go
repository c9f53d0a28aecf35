package edges

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"uelink/lab/e2e/bed"
)

// datagramSize is the size of the datagrams of a burst, octets.
const datagramSize = 1400

// bursts sends 46 datagrams by one call (UDP_SEGMENT), again and again, to a receiver that takes many by one call
// (UDP_GRO), and to one that does not: each datagram comes once, unchanged and in order.
func (u *unseen) bursts() {
	for _, to := range toB {
		for _, gro := range []int{1, 0} {
			rx, tx := u.super()
			if err := u.burst(to, gro); err != nil {
				u.Errorf("%s, UDP_GRO %d: %v", to, gro, err)
			}
			u.crossed(rx, tx, true)
		}
	}
}

// burst sends bursts of numbered datagrams, the last one of each shorter, and receives them.
func (u *unseen) burst(to string, gro int) error {
	from, at, err := u.sockets(to, unix.UDP_SEGMENT, datagramSize, unix.UDP_GRO, gro)
	if err != nil {
		return err
	}
	defer from.Close()
	defer at.Close()
	const bursts, octets = 40, 45*datagramSize + 700
	stream := make([]byte, bursts*octets)
	_, _ = io.ReadFull(random(1), stream)
	number := uint32(0)
	for i := range bursts {
		for b := stream[i*octets : (i+1)*octets]; len(b) > 0; b = b[min(len(b), datagramSize):] {
			binary.BigEndian.PutUint32(b, number)
			number++
		}
	}
	sent := make(chan error, 1)
	go func() {
		for i := range bursts {
			if _, err := from.Write(stream[i*octets : (i+1)*octets]); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	reads, datagrams := 0, 0
	buffer, control := make([]byte, 1<<16), make([]byte, 64)
	for left := stream; len(left) > 0; reads++ {
		n, m, _, _, err := at.ReadMsgUDP(buffer, control)
		if err != nil {
			return fmt.Errorf("after %d datagrams: %w", datagrams, err)
		}
		size, err := sizeOf(control[:m], n)
		if err != nil {
			return err
		}
		for b := buffer[:n]; len(b) > 0; datagrams++ {
			d := b[:min(size, len(b))]
			want := left[:min(datagramSize, octets-(len(stream)-len(left))%octets)]
			if !bytes.Equal(d, want) {
				return fmt.Errorf("datagram %d: %d octets with number %d; %d were sent", datagrams, len(d),
					binary.BigEndian.Uint32(d), len(want))
			}
			b, left = b[len(d):], left[len(d):]
		}
	}
	u.Logf("%s, UDP_GRO %d: %d datagrams by %d reads", to, gro, datagrams, reads)
	if gro == 1 && reads > datagrams/2 {
		return fmt.Errorf("%d reads for %d datagrams", reads, datagrams)
	}
	return <-sent
}

// sizeOf returns the size of each datagram but the last of a read of n octets, as the kernel says it (UDP_GRO).
func sizeOf(control []byte, n int) (int, error) {
	messages, err := unix.ParseSocketControlMessage(control)
	for _, m := range messages {
		if m.Header.Level == unix.IPPROTO_UDP && m.Header.Type == unix.UDP_GRO {
			return int(binary.NativeEndian.Uint16(m.Data)), nil
		}
	}
	return n, err
}

// sockets returns a connected socket of hostA with an option of UDP, and one of hostB with another, whose buffer has
// room for all that a test sends.
func (u *unseen) sockets(to string, option, value, theirOption, theirValue int) (from, at *net.UDPConn, err error) {
	err = u.hostB.Do(func() error {
		config := net.ListenConfig{Control: setting(theirOption, theirValue)}
		c, err := config.ListenPacket(u.Context(), "udp", net.JoinHostPort(to, "0"))
		if err == nil {
			at = c.(*net.UDPConn)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	err = u.hostA.Do(func() error {
		d := net.Dialer{Control: setting(option, value)}
		c, err := d.Dial("udp", at.LocalAddr().String())
		if err == nil {
			from = c.(*net.UDPConn)
		}
		return err
	})
	if err != nil {
		return nil, nil, errors.Join(err, at.Close())
	}
	_ = at.SetReadDeadline(time.Now().Add(bed.Patience))
	return from, at, nil
}

// setting returns what sets an option of UDP and large buffers of a socket. 0 is no option.
func setting(option, value int) func(_, _ string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) (err error) {
		failure := c.Control(func(fd uintptr) {
			err = errors.Join(unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20),
				unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, 1<<20))
			if option != 0 {
				err = errors.Join(err, unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, option, value))
			}
		})
		return errors.Join(err, failure)
	}
}

// fragments sends datagrams of up to 20,000 octets, which IP cuts, in both directions.
func (u *unseen) fragments() {
	for _, to := range toB {
		from, at, err := u.sockets(to, 0, 0, 0, 0)
		if err != nil {
			u.Error(err)
			continue
		}
		sizes := []int{1, 1400, 1452, 1453, 1472, 1473, 2000, 2952, 4500, 9000, 14_000, 19_999, 20_000}
		for range 10 {
			if err := echoes(from, at, sizes); err != nil {
				u.Errorf("%s: %v", to, err)
				break
			}
		}
		_, _ = from.Close(), at.Close()
	}
}

// echoes sends datagrams of these sizes from one socket to another, and back.
func echoes(from, at *net.UDPConn, sizes []int) error {
	_ = from.SetReadDeadline(time.Now().Add(bed.Patience))
	buffer := make([]byte, 1<<16)
	for _, size := range sizes {
		octets := make([]byte, size)
		_, _ = io.ReadFull(random(byte(size)), octets)
		if _, err := from.Write(octets); err != nil {
			return err
		}
		n, sender, err := at.ReadFromUDP(buffer)
		if err == nil && !bytes.Equal(buffer[:n], octets) {
			err = errors.New("other octets")
		}
		if err != nil {
			return fmt.Errorf("%d octets there: %d, %w", size, n, err)
		}
		if _, err := at.WriteTo(buffer[:n], sender); err != nil {
			return err
		}
		if n, err = from.Read(buffer); err == nil && !bytes.Equal(buffer[:n], octets) {
			err = errors.New("other octets")
		}
		if err != nil {
			return fmt.Errorf("%d octets back: %d, %w", size, n, err)
		}
	}
	return nil
}
