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

	"uelink/netns"
)

// echoPort is the port of the echo servers, TCP and UDP.
const echoPort = "7"

// serveEcho answers TCP connections and datagrams in a namespace with what they say, until the guest ends. To
// a connection whose client has ended its direction it says last what it sent again, as a Resent.
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

func accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go answer(c.(*net.TCPConn))
	}
}

func answer(c *net.TCPConn) {
	defer c.Close()
	if _, err := io.Copy(c, c); err != nil {
		return // the client sees that it breaks
	}
	if r, err := resent(c); err == nil {
		_ = binary.Write(c, binary.BigEndian, r) // the client sees it if that fails
	}
}

func answerDatagrams(c net.PacketConn) {
	octets := make([]byte, 2048)
	for {
		n, from, err := c.ReadFrom(octets)
		if err != nil {
			return
		}
		_, _ = c.WriteTo(octets[:n], from) // a lost answer is counted by the client
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

// resent is what an end of a connection has sent again.
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

// more is both together.
func (r Resent) more(other Resent) Resent {
	return Resent{r.Again + other.Again, r.Needless + other.Needless}
}

// since is what has come to it.
func (r Resent) since(before Resent) Resent {
	return Resent{r.Again - min(r.Again, before.Again), r.Needless - min(r.Needless, before.Needless)}
}

// lost is the segments that were sent again, and that the other end did not have.
func (r Resent) lost() uint64 { return r.Again - min(r.Again, r.Needless) }

// talk is a connection over which one message after the other goes and comes back.
type talk struct {
	connection net.Conn
	pace       time.Duration // between an answer and the next message
	resent     Resent        // by this end, when that was last looked at
	stop       chan struct{}
	ended      chan struct{}

	mu     sync.Mutex
	echoes uint64
	stall  time.Duration // longest time between two answers
	last   time.Time     // of the latest answer
	err    error
}

// talkTo starts a conversation.
func talkTo(ns *netns.NS, address string, pace time.Duration) (*talk, error) {
	c, err := dial(ns, "tcp4", address)
	if err != nil {
		return nil, err
	}
	t := &talk{connection: c, pace: pace, last: time.Now(), stop: make(chan struct{}), ended: make(chan struct{})}
	go t.run()
	return t, nil
}

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

// exchange sends a message and wants it back.
func exchange(c net.Conn, message, answer []byte) error {
	if _, err := c.Write(message); err != nil {
		return err
	}
	if _, err := io.ReadFull(c, answer); err != nil {
		return err
	}
	if !bytes.Equal(message, answer) {
		return errors.New("another answer than what was said")
	}
	return nil
}

func (t *talk) note(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.stall, t.last, t.err = max(t.stall, now.Sub(t.last)), now, err
	if err == nil {
		t.echoes++
	}
}

// take returns answers, longest stall and error since the last take. It begins anew.
func (t *talk) take() (echoes uint64, stall time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	echoes, stall = t.echoes, max(t.stall, time.Since(t.last))
	t.echoes, t.stall = 0, 0
	return echoes, stall, t.err
}

// tcp is the connection as TCP has it.
func (t *talk) tcp() *net.TCPConn { return t.connection.(*net.TCPConn) }

// end ends the conversation, and returns what both ends sent again.
func (t *talk) end() (Resent, error) {
	close(t.stop)
	<-t.ended
	return hangUp(t.tcp())
}

// hangUp ends a connection and returns what both ends sent again.
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
		return both, fmt.Errorf("what the server sent again: %w", err)
	}
	return ours.more(theirs), nil
}

// pinged is what became of datagrams.
type pinged struct {
	sent, lost uint64
	slowest    time.Duration
}

// writeOffDatagram is how long the answer to a datagram is waited for.
const writeOffDatagram = 10 * time.Second

// ping sends datagrams, each when the one before has been answered or written off, until the time is over.
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

// bulkPart is how much a bulk stream writes at once.
const bulkPart = 64 << 10

// bulk sends a stream to the echo server until it has sent most octets or the time is over, and reads it back.
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
				break // the reader sees it, too
			}
		}
		total <- sent
		_ = c.CloseWrite() // hangUp does it once more
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
	_, _ = binary.Decode(octets[sent:], binary.BigEndian, &theirs) // it has the size
	ours, err := resent(c)
	return sent, ours.more(theirs), err
}
