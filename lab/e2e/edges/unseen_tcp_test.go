package edges

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// seenOctets is how many octets a stream has whose segments are compared at both hosts.
const seenOctets = 3 << 20

// watched sends a stream from hostA to hostB by a connection whose sockets have options, while both hosts are watched,
// and demands that the segments that come are those that were sent. It returns the flow to hostB.
func (u *unseen) watched(address string, set func(fd int) error, accurate bool) (there flow) {
	u.Helper()
	client, server, err := connect(u.hostA, u.hostB, address, set)
	if err != nil {
		u.Error(err)
		return there
	}
	results := make(chan error, 4)
	go func() { results <- send(client, 1, seenOctets) }()
	go func() { results <- send(server, 2, seenOctets) }()
	go func() { results <- expect(server, 1, seenOctets) }()
	go func() { results <- expect(client, 2, seenOctets) }()
	for range cap(results) {
		err = errors.Join(err, <-results)
	}
	if err := errors.Join(err, client.Close(), server.Close()); err != nil {
		u.Errorf("%s: %v", address, err)
	}
	asSent(u.T, u.seenA, u.seenB, client, accurate)
	return flows(client)[0]
}

// halfClose sends a stream until its end, and another one back by the half of the connection that is still open.
func (u *unseen) halfClose() {
	for _, to := range toB {
		client, server, err := connect(u.hostA, u.hostB, to, nil)
		if err != nil {
			u.Error(err)
			continue
		}
		for i, ends := range [][2]*net.TCPConn{{client, server}, {server, client}} {
			sent := make(chan error, 1)
			go func() { sent <- errors.Join(send(ends[0], byte(i), seenOctets), ends[0].CloseWrite()) }()
			err := errors.Join(expect(ends[1], byte(i), seenOctets), <-sent)
			if n, end := ends[1].Read(make([]byte, 1)); n > 0 || end != io.EOF {
				err = errors.Join(err, end, errors.New("no end of the stream"))
			}
			if err != nil {
				u.Errorf("%s, half %d: %v", to, i, err)
			}
		}
		_, _ = client.Close(), server.Close()
	}
}

// urgent sends a stream with urgent octets in it, which stay in place: the receiver's mark is at such an octet, or at
// none, if a later one has come meanwhile.
func (u *unseen) urgent() {
	for _, to := range toB {
		client, server, err := connect(u.hostA, u.hostB, to, inline)
		if err != nil {
			u.Error(err)
			continue
		}
		const part, parts = 100_000, 8
		sent := make(chan error, 1)
		go func() { sent <- sendUrgent(client, part, parts) }()
		marks, err := marksOf(server, part, parts)
		if err = errors.Join(err, <-sent, client.Close(), server.Close()); err != nil {
			u.Errorf("%s: %v", to, err)
		}
		asSent(u.T, u.seenA, u.seenB, client, false)
		frames := u.seenB.count(flows(client)[0], func(s segment) bool { return s.urgent })
		u.Logf("%s: %d of %d marks were seen, %d frames with URG", to, marks, parts, frames)
		if frames == 0 {
			u.Error("no urgent octets")
		}
	}
}

// inline makes urgent octets of a socket stay in the stream.
func inline(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_OOBINLINE, 1) }

// sendUrgent sends octets of seed 1 in parts, the last octet of each as urgent.
func sendUrgent(c *net.TCPConn, part, parts int) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	octets := random(1)
	for range parts {
		b := make([]byte, part)
		_, _ = io.ReadFull(octets, b)
		if _, err := c.Write(b[:part-1]); err != nil {
			return err
		}
		failure := raw.Write(func(fd uintptr) bool {
			err = unix.Sendto(int(fd), b[part-1:], unix.MSG_OOB, nil)
			return !errors.Is(err, unix.EAGAIN)
		})
		if err := errors.Join(err, failure); err != nil {
			return err
		}
	}
	return nil
}

// marksOf receives the octets of sendUrgent, and returns how often the mark was before the last octet of a part. A mark
// elsewhere is an error; a later one moves an earlier one.
func marksOf(c *net.TCPConn, part, parts int) (marks int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	got, want := make([]byte, part*parts), make([]byte, part*parts)
	_, _ = io.ReadFull(random(1), want)
	for n := 0; n < len(got); {
		at := 0
		failure := raw.Control(func(fd uintptr) { at, err = unix.IoctlGetInt(int(fd), unix.SIOCATMARK) })
		if err := errors.Join(err, failure); err != nil {
			return marks, err
		}
		if at != 0 && n%part == part-1 {
			marks++
		} else if at != 0 {
			return marks, fmt.Errorf("a mark before octet %d", n)
		}
		more, err := c.Read(got[n:]) // the kernel ends a read at the mark
		if err != nil {
			return marks, err
		}
		n += more
	}
	if !bytes.Equal(got, want) {
		return marks, errors.New("the octets differ")
	}
	return marks, nil
}

// options sends by connections whose packets have options in the header of IPv4, and a header of options in IPv6.
func (u *unseen) options() {
	rx, tx := u.super()
	u.watched(toB[0], func(fd int) error {
		const alert, end = "\x94\x04\x00\x00", "\x01\x01\x01\x00" // router alert; no operation
		return unix.SetsockoptString(fd, unix.IPPROTO_IP, unix.IP_OPTIONS, alert+end)
	}, false)
	u.watched(toB[1], func(fd int) error {
		const padding = "\x00\x00\x01\x04\x00\x00\x00\x00"
		return unix.SetsockoptString(fd, unix.IPPROTO_IPV6, unix.IPV6_DSTOPTS, padding)
	}, false)
	u.crossed(rx, tx, false)
}

// timestamps sends with TCP's timestamps and without.
func (u *unseen) timestamps() {
	for _, value := range []string{"1", "0"} {
		bed.Must(u.T, u.set("tcp_timestamps", value))
		rx, tx := u.super()
		for _, to := range toB {
			u.watched(to, nil, false)
		}
		u.crossed(rx, tx, true)
	}
}

// congestion sends by cubic with ECN over a path with congestion: the receiver says so by ECE, and the sender answers
// by CWR (RFC 3168). Linux calls that 1.
func (u *unseen) congestion() {
	bed.Must(u.T, u.set("tcp_ecn", "1"))
	u.congested(false)
}

// accurate does so with accurate ECN (RFC 9768), where the kernel has it: ECE and CWR are a part of a counter then.
func (u *unseen) accurate() {
	if err := u.set("tcp_ecn", "3"); err != nil {
		u.Logf("this kernel is without it: %v", err)
		return
	}
	u.congested(true)
}

// congested sends over a path with congestion both ways.
func (u *unseen) congested(accurate bool) {
	for _, host := range []*netns.NS{u.hostA, u.hostB} {
		u.Cleanup(filter(u.T, host, mark(), nil))
	}
	rx, tx := u.super()
	for _, to := range toB {
		forth := u.watched(to, func(fd int) error {
			return unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "cubic")
		}, accurate)
		marked := u.seenB.count(forth, func(s segment) bool { return s.congested })
		answers := u.seenB.count(forth, func(s segment) bool { return s.flags&cwr != 0 })
		u.Logf("%s: hostB has received %d frames with congestion experienced, and %d with CWR", to, marked, answers)
		if marked == 0 || answers == 0 {
			u.Errorf("%s: no congestion, or no answer", to)
		}
	}
	if !accurate { // the kernel cuts these itself, where a veth has no offload for them
		u.crossed(rx, tx, true)
	}
}
