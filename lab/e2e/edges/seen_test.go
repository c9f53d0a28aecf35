package edges

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// segment is what a host's interface has sent or received of a TCP connection: a segment, or many in a super-frame.
type segment struct {
	seq   uint32
	n     uint32 // octets of payload
	flags uint8  // FIN, PSH, CWR
	rest  string // all other fields of the headers, in words

	urgent, congested bool // as in rest
}

// Flags of TCP, as in its header.
const (
	fin = 0x01
	psh = 0x08
	cwr = 0x80
)

// flow is the addresses and ports of a direction of a connection.
type flow struct{ from, to string }

// flows returns the flows of a connection: of what an end sends, and of what the other one does.
func flows(c net.Conn) [2]flow {
	near, far := c.LocalAddr().String(), c.RemoteAddr().String()
	return [2]flow{{near, far}, {far, near}}
}

// sight is a capture of TCP at eth0 of a host: the segments of each flow in both directions.
type sight struct {
	mu         sync.Mutex
	sent, came map[flow][]segment
	err        error
	fd         int
	done       chan struct{}
}

// watch captures what TCP of a host sends and receives, until the end of the test.
func watch(t *testing.T, host *netns.NS) *sight {
	t.Helper()
	s := &sight{sent: map[flow][]segment{}, came: map[flow][]segment{}, done: make(chan struct{})}
	index, err := host.Ifindex("eth0")
	bed.Must(t, err)
	bed.Must(t, host.Do(func() (err error) {
		const all = unix.ETH_P_ALL << 8
		if s.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		return errors.Join(unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20),
			unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 50_000}),
			unix.Bind(s.fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: index}))
	}))
	var reading sync.WaitGroup
	reading.Go(s.read)
	t.Cleanup(func() {
		close(s.done)
		reading.Wait()
		_ = unix.Close(s.fd)
	})
	return s
}

// count returns how many received frames of a flow are of a kind.
func (s *sight) count(f flow, kind func(segment) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, segment := range s.came[f] {
		if kind(segment) {
			n++
		}
	}
	return n
}

// read captures until done.
func (s *sight) read() {
	for b := make([]byte, 256); ; {
		select {
		case <-s.done:
			return
		default:
		}
		n, from, err := unix.Recvfrom(s.fd, b, 0)
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
			continue
		}
		link, ok := from.(*unix.SockaddrLinklayer)
		if err != nil || !ok {
			s.mu.Lock()
			s.err = cmp.Or(err, errors.New("a frame from nowhere"))
			s.mu.Unlock()
			return
		}
		if f, segment, ok := parse(b[:n]); ok {
			s.mu.Lock()
			if link.Pkttype == unix.PACKET_OUTGOING {
				s.sent[f] = append(s.sent[f], segment)
			} else {
				s.came[f] = append(s.came[f], segment)
			}
			s.mu.Unlock()
		}
	}
}

// parse returns the flow of a frame, and its segment. ok is false for another protocol.
func parse(f []byte) (at flow, s segment, ok bool) {
	p := gopacket.NewPacket(f, layers.LayerTypeEthernet, gopacket.DecodeOptions{NoCopy: true, Lazy: true})
	tcp, ok := p.Layer(layers.LayerTypeTCP).(*layers.TCP)
	if !ok {
		return at, s, false
	}
	header := tcp.Contents
	var rest string
	var octets int // of the packet behind the header of IPv4 or the fixed one of IPv6; the frame may be padded
	var class uint8
	var source, destination net.IP
	switch ip := p.NetworkLayer().(type) {
	case *layers.IPv4:
		octets, class, source, destination = int(ip.Length)-4*int(ip.IHL), ip.TOS, ip.SrcIP, ip.DstIP
		rest = fmt.Sprint("TOS ", ip.TOS, " TTL ", ip.TTL, ip.Flags, ip.FragOffset, " options ", ip.Options)
	case *layers.IPv6:
		octets, class, source, destination = int(ip.Length), ip.TrafficClass, ip.SrcIP, ip.DstIP
		rest = fmt.Sprintf("class %d hops %d label %d", ip.TrafficClass, ip.HopLimit, ip.FlowLabel)
		if more, ok := p.Layer(layers.LayerTypeIPv6Destination).(*layers.IPv6Destination); ok {
			octets -= len(more.Contents)
			rest += fmt.Sprintf(" options %x", more.Contents)
		}
	}
	s = segment{seq: tcp.Seq, n: uint32(octets - len(header)), flags: header[13] & (fin | psh | cwr), urgent: tcp.URG,
		congested: class&3 == 3}
	s.rest = fmt.Sprintf("%s ack %d flags %#x window %d urgent %d options %x", rest, tcp.Ack,
		(binary.BigEndian.Uint16(header[12:])&0xfff)&^(fin|psh|cwr), tcp.Window, tcp.Urgent, header[20:])
	end := func(ip net.IP, port layers.TCPPort) string {
		return net.JoinHostPort(ip.String(), strconv.Itoa(int(port)))
	}
	return flow{end(source, tcp.SrcPort), end(destination, tcp.DstPort)}, s, true
}

// asSent waits until a connection has ended, and demands that each host has received what the other one has sent of it,
// with nothing between but cuts. c is the end at host a. accurate says that CWR is a part of a counter (RFC 9768), and
// not of the first of several segments alone.
func asSent(t *testing.T, a, b *sight, c net.Conn, accurate bool) {
	t.Helper()
	forth, back := flows(c)[0], flows(c)[1]
	bed.Eventually(t, "segments as they were sent", func() string {
		a.mu.Lock()
		defer a.mu.Unlock()
		b.mu.Lock()
		defer b.mu.Unlock()
		if err := errors.Join(a.err, b.err); err != nil {
			return err.Error()
		}
		return cmp.Or(differences(a.sent[forth], b.came[forth], accurate), differences(b.sent[back], a.came[back], accurate))
	})
}

// differences returns in words what has come differently from what was sent, or that the flow has not ended; "":
// nothing.
func differences(sent, came []segment, accurate bool) string {
	for _, s := range sent {
		if at := s.follow(came, func(c segment) bool { return c.isOf(s, accurate) }); at != s.seq+s.n {
			return fmt.Sprintf("sent, but from %d on not received so: %+v; there came %+v", at, s, near(at, came))
		}
	}
	for _, c := range came {
		if at := c.follow(sent, func(s segment) bool { return c.isOf(s, accurate) }); at != c.seq+c.n {
			return fmt.Sprintf("received, but from %d on not sent so: %+v; sent was %+v", at, c, near(at, sent))
		}
	}
	if !slices.ContainsFunc(came, func(s segment) bool { return s.flags&fin != 0 }) {
		return "no end of a flow"
	}
	return ""
}

// follow returns the sequence number up to which segments of a list that are equal cover a segment.
func (s segment) follow(list []segment, equal func(segment) bool) (at uint32) {
	if at = s.seq; s.n == 0 {
		if !slices.ContainsFunc(list, equal) {
			at-- // not the end
		}
		return at
	}
	for moved := true; moved && at != s.seq+s.n; {
		moved = false
		for _, part := range list {
			if ahead := at - part.seq; ahead < part.n && equal(part) {
				at, moved = at+min(part.n-ahead, s.seq+s.n-at), true
			}
		}
	}
	return at
}

// isOf reports whether a received segment may be a cut of a sent one, as far as both have the same octets.
func (s segment) isOf(sent segment, accurate bool) bool {
	if s.rest != sent.rest || s.n == 0 && s != sent {
		return false
	}
	ends := int32(s.seq + s.n - sent.seq - sent.n)
	var last, first uint8 // flags that the octets at the end and at the beginning give
	switch {
	case ends == 0:
		last = s.flags ^ sent.flags
	case ends < 0:
		last = s.flags
	default:
		last = sent.flags
	}
	switch {
	case accurate || s.seq == sent.seq:
		first = s.flags ^ sent.flags
	case int32(s.seq-sent.seq) > 0:
		first = s.flags
	default:
		first = sent.flags
	}
	return last&(psh|fin)|first&cwr == 0
}

// near returns the segments of a list that have an octet, or end or begin there.
func near(at uint32, list []segment) []segment {
	return slices.DeleteFunc(slices.Clone(list), func(s segment) bool { return at-s.seq > s.n })
}
