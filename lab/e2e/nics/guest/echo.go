package guest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
)

// echoPort is the port of the echo servers, TCP and UDP.
const echoPort = "7"

// serveEcho returns all data of TCP connections and datagrams to their sender, in a namespace, until the guest ends.
// When the client of a connection has closed its direction, serveEcho sends its own retransmissions as a Resent and
// closes.
func serveEcho(ns *netns.NS) error {
	return ns.Do(func() error {
		listener, err := net.Listen("tcp4", ":"+echoPort)
		if err != nil {
			return err
		}
		datagrams, err := net.ListenPacket("udp4", ":"+echoPort)
		if err != nil {
			return err
		}
		go accept(listener)
		go answerDatagrams(datagrams)
		return nil
	})
}

// accept answers each connection until the listener is closed.
func accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go answer(c.(*net.TCPConn))
	}
}

// answer sends everything back. At the end of the client's octets it sends how many segments TCP sent again.
func answer(c *net.TCPConn) {
	defer c.Close()
	if _, err := io.Copy(c, c); err != nil {
		return // the client sees the broken connection
	}
	if r, err := resent(c); err == nil {
		_ = binary.Write(c, binary.BigEndian, r) // the client notices a failure
	}
}

// answerDatagrams sends each datagram back until the socket is closed.
func answerDatagrams(c net.PacketConn) {
	octets := make([]byte, 2048)
	for {
		n, from, err := c.ReadFrom(octets)
		if err != nil {
			return
		}
		_, _ = c.WriteTo(octets[:n], from) // the client counts a lost answer
	}
}

// dial connects from a namespace to the echo server at an address.
func dial(ns *netns.NS, network, address string) (c net.Conn, err error) {
	err = ns.Do(func() (err error) {
		c, err = net.DialTimeout(network, net.JoinHostPort(address, echoPort), establishment)
		return err
	})
	return c, err
}

// resent returns the number of segments that one end of a connection has retransmitted.
func resent(c *net.TCPConn) (r Resent, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return r, err
	}
	ctl := raw.Control(func(fd uintptr) {
		var info *unix.TCPInfo
		if info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			r.Again = uint64(info.Total_retrans)
			r.Needless = min(r.Again, uint64(info.Dsack_dups))
		}
	})
	return r, errors.Join(ctl, err)
}

// more returns the sums of two counts of retransmitted segments.
func (r Resent) more(other Resent) Resent {
	return Resent{r.Again + other.Again, r.Needless + other.Needless}
}

// since returns by how much the counts of retransmitted segments have grown from an earlier reading.
func (r Resent) since(before Resent) Resent {
	return Resent{r.Again - min(r.Again, before.Again), r.Needless - min(r.Needless, before.Needless)}
}

// lost returns how many segments were retransmitted because they were lost: without those that the other end had
// already.
func (r Resent) lost() uint64 { return r.Again - min(r.Again, r.Needless) }

// talk is a connection that sends one message after the other and reads each back.
type talk struct {
	connection net.Conn
	pace       time.Duration // time between an answer and the next message
	resent     Resent        // segments that this end had retransmitted at the last call of inUse.collect
	stop       chan struct{}
	ended      chan struct{}

	mu     sync.Mutex
	echoes uint64        // answers since the last call of collect
	stall  time.Duration // longest time between two answers since the last call of collect
	last   time.Time     // time of the latest answer
	err    error
}

// talkTo connects to the TCP echo server at an address, and starts a goroutine that sends a message, waits for its
// echo, and repeats this after each pace, until the talk is stopped.
func talkTo(ns *netns.NS, address string, pace time.Duration) (*talk, error) {
	c, err := dial(ns, "tcp4", address)
	if err != nil {
		return nil, err
	}
	t := &talk{connection: c, pace: pace, last: time.Now(), stop: make(chan struct{}), ended: make(chan struct{})}
	go t.run()
	return t, nil
}

// run exchanges messages of varying sizes, and records each result, until an error, or until the talk is stopped.
func (t *talk) run() {
	defer close(t.ended)
	message, answer := make([]byte, 1000), make([]byte, 1000)
	for n := uint64(0); ; n++ {
		select {
		case <-t.stop:
			return
		case <-time.After(t.pace):
		}
		size := 64 + int(n*97%936)
		binary.BigEndian.PutUint64(message, n)
		err := exchange(t.connection, message[:size], answer[:size])
		if t.note(err); err != nil {
			return
		}
	}
}

// exchange sends a message over c and reads the answer into answer; an answer that differs from the message is an
// error.
func exchange(c net.Conn, message, answer []byte) error {
	if _, err := c.Write(message); err != nil {
		return err
	}
	if _, err := io.ReadFull(c, answer); err != nil {
		return err
	}
	if !bytes.Equal(message, answer) {
		return errors.New("the answer of the echo server differs from the message sent")
	}
	return nil
}

// note records the result of an exchange, and the longest time between two.
func (t *talk) note(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.stall, t.last, t.err = max(t.stall, now.Sub(t.last)), now, err
	if err == nil {
		t.echoes++
	}
}

// collect returns how many echoes have arrived since the last call, the longest time without an echo, and the error
// that ended the talk (a TCP conversation); nil while it goes on.
func (t *talk) collect() (echoes uint64, stall time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	echoes, stall = t.echoes, max(t.stall, time.Since(t.last))
	t.echoes, t.stall = 0, 0
	return echoes, stall, t.err
}

// tcp returns the TCP connection of the talk.
func (t *talk) tcp() *net.TCPConn { return t.connection.(*net.TCPConn) }

// end ends the talk, and returns the segments that both ends of its connection have retransmitted.
func (t *talk) end() (Resent, error) {
	close(t.stop)
	<-t.ended
	return hangUp(t.tcp())
}

// hangUp closes a connection to the echo server and returns the segments that both ends have retransmitted: the server
// sends its number when this end has closed its direction.
func hangUp(c *net.TCPConn) (both Resent, err error) {
	defer c.Close()
	ours, err := resent(c)
	if err != nil {
		return both, err
	}
	if err := errors.Join(c.CloseWrite(), c.SetReadDeadline(time.Now().Add(establishment))); err != nil {
		return both, err
	}
	var theirs Resent
	if err := binary.Read(c, binary.BigEndian, &theirs); err != nil {
		return both, fmt.Errorf("read how much the echo server retransmitted: %w", err)
	}
	return ours.more(theirs), nil
}

// pinged is the result of ping.
type pinged struct {
	sent, lost uint64
	slowest    time.Duration
}

// writeOffDatagram bounds the wait for the answer to a datagram.
const writeOffDatagram = 10 * time.Second

// ping sends datagrams to the echo server one by one: each after the echo of the previous one, or after waiting too
// long for that echo. ping ends after a number of datagrams (most), or after a time (bound). It returns the numbers
// sent and lost, and the longest wait.
func ping(ns *netns.NS, address string, most uint64, bound time.Duration) (p pinged, err error) {
	c, err := dial(ns, "udp4", address)
	if err != nil {
		return p, err
	}
	defer c.Close()
	message, answer := make([]byte, 64), make([]byte, 64)
	for began := time.Now(); p.sent < most && time.Since(began) < bound; p.sent++ {
		binary.BigEndian.PutUint64(message, p.sent)
		sent := time.Now()
		if err := c.SetDeadline(sent.Add(writeOffDatagram)); err != nil {
			return p, err
		}
		err := exchange(c, message, answer)
		p.slowest = max(p.slowest, time.Since(sent))
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.lost++
		} else if err != nil {
			return p, err
		}
	}
	return p, nil
}

// bulkPart is the octets of one write of a bulk stream.
const bulkPart = 64 << 10

// bulk sends a stream of octets to the echo server and reads the echo. bulk ends after a number of octets (most), or
// after a time (bound). It returns how many octets were sent, and the segments retransmitted by both ends. An echo of
// another length is an error.
func bulk(ns *netns.NS, address string, most uint64, bound time.Duration) (sent uint64, both Resent, err error) {
	conn, err := dial(ns, "tcp4", address)
	if err != nil {
		return 0, both, err
	}
	c := conn.(*net.TCPConn)
	total := make(chan uint64, 1)
	go func() {
		part, sent := make([]byte, bulkPart), uint64(0)
		for began := time.Now(); sent < most && time.Since(began) < bound; sent += bulkPart {
			if _, err := c.Write(part); err != nil {
				break // the reader sees the same error
			}
		}
		total <- sent
		_ = c.CloseWrite() // hangUp closes it again
	}()
	octets, err := io.ReadAll(c)
	sent = <-total
	defer c.Close()
	if want := sent + uint64(binary.Size(both)); err == nil && uint64(len(octets)) != want {
		err = fmt.Errorf("%d octets came back of %d", len(octets), want)
	}
	if err != nil {
		return sent, both, err
	}
	var theirs Resent
	_, _ = binary.Decode(octets[sent:], binary.BigEndian, &theirs) // no error: the size is right
	ours, err := resent(c)
	return sent, ours.more(theirs), err
}
