package bed

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"uelink/internal/netns"
)

// answerPort is the port of the services of Echo.
const answerPort = "7"

// Echo starts services of a host that answer by UDP and TCP, over IPv4 and IPv6, and never speak first. end ends
// them and their connections, as the end of a test does.
func Echo(t testing.TB, at *netns.NS) (end func()) {
	t.Helper()
	var mu sync.Mutex
	var open []io.Closer
	add := func(c io.Closer) {
		mu.Lock()
		defer mu.Unlock()
		open = append(open, c)
	}
	Must(t, at.Do(func() error {
		udp, err := net.ListenPacket("udp", ":"+answerPort)
		if err != nil {
			return err
		}
		add(udp)
		go func() {
			b := make([]byte, 100)
			for {
				n, from, err := udp.ReadFrom(b)
				if err != nil {
					return
				}
				_, _ = udp.WriteTo(b[:n], from)
			}
		}()
		tcp, err := net.Listen("tcp", ":"+answerPort)
		if err != nil {
			return err
		}
		add(tcp)
		go func() {
			for {
				c, err := tcp.Accept()
				if err != nil {
					return
				}
				add(c)
				go func() { _, _ = io.Copy(c, c) }()
			}
		}()
		return nil
	}))
	end = func() {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range open {
			_ = c.Close()
		}
	}
	t.Cleanup(end)
	return end
}

// Callers send questions to a host and wait for answers, each in its own way: by UDP over IPv4 and over IPv6, by TCP
// with a new connection for each question, as the many clients of a service do, and by one TCP connection, which is
// made again when it has ended. After an outage, the last one waits for TCP's retransmission timer, whose time doubles:
// about as long again as the outage was.
type Callers struct {
	t   testing.TB
	all []*caller
}

// The times between two questions on a connection, and between two new connections.
const (
	askInterval     = 20 * time.Millisecond
	connectInterval = 100 * time.Millisecond
)

// patienceOfClients is how long a client waits for a connection, and for an answer by a new one.
const patienceOfClients = time.Second

// caller asks a host in one way: keep and connectAgain are its loops.
type caller struct {
	name    string
	network string
	dial    func() (net.Conn, error)
	stop    chan struct{}
	stopped sync.WaitGroup
	mu      sync.Mutex
	came    []time.Time // times at which answers came
}

// Call starts four callers on the host from, which ask another host for answers until the end of the test: by UDP over
// IPv4 and IPv6, by a new TCP connection for each question, and by one TCP connection. four and six are the other
// host's addresses.
func Call(t testing.TB, from *netns.NS, four, six string) *Callers {
	t.Helper()
	c := &Callers{t: t}
	for _, way := range []struct {
		name, network, to string
		run               func(*caller)
	}{
		{"udp4", "udp4", four, (*caller).keep}, {"udp6", "udp6", six, (*caller).keep},
		{"tcp4", "tcp4", four, (*caller).connectAgain}, {"one tcp4 connection", "tcp4", four, (*caller).keep},
	} {
		asker := &caller{name: way.name, network: way.network, stop: make(chan struct{})}
		asker.dial = func() (conn net.Conn, err error) {
			err = from.Do(func() (err error) {
				conn, err = net.DialTimeout(way.network, net.JoinHostPort(way.to, answerPort), patienceOfClients)
				return err
			})
			return conn, err
		}
		asker.stopped.Go(func() { way.run(asker) })
		t.Cleanup(asker.stopped.Wait)
		t.Cleanup(func() { close(asker.stop) })
		c.all = append(c.all, asker)
	}
	return c
}

// connectAgain asks by a new connection every 100 ms, whatever has become of the earlier ones, until stop is closed.
func (c *caller) connectAgain() {
	for {
		c.stopped.Go(c.askOnce)
		select {
		case <-c.stop:
			return
		case <-time.After(connectInterval):
		}
	}
}

// askOnce asks once by a new connection.
func (c *caller) askOnce() {
	conn, err := c.dial()
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patienceOfClients))
	_, _ = conn.Write([]byte("x"))
	if n, _ := conn.Read(make([]byte, 1)); n > 0 {
		c.answered()
	}
}

// answered records an answer.
func (c *caller) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.came = append(c.came, time.Now())
}

// keep asks by one connection until stop is closed. If the connection ends, or cannot be made, keep connects again
// after askInterval.
func (c *caller) keep() {
	for {
		if conn, err := c.dial(); err == nil {
			c.ask(conn)
			_ = conn.Close()
		}
		select {
		case <-c.stop:
			return
		case <-time.After(askInterval):
		}
	}
}

// ask sends questions on a connection, and records the answers, until it ends or stop is closed. An error of UDP, such
// as that no route leads to the host, does not end the connection.
func (c *caller) ask(conn net.Conn) {
	var reading sync.WaitGroup
	ended := make(chan struct{})
	stream := c.network == "tcp4"
	reading.Go(func() {
		defer close(ended)
		b := make([]byte, 1000)
		for {
			n, err := conn.Read(b)
			if n > 0 {
				c.answered()
			}
			if err != nil && (stream || strings.Contains(err.Error(), "use of closed")) {
				return
			}
		}
	})
	for {
		select {
		case <-c.stop:
		case <-ended:
		case <-time.After(askInterval):
			_, _ = conn.Write([]byte("x"))
			continue
		}
		_ = conn.Close()
		reading.Wait()
		return
	}
}

// silence returns the longest time without an answer since the time from. ok is false if no answer has come later than
// the time until.
func (c *caller) silence(from, until time.Time) (longest time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := from
	for _, at := range c.came {
		if at.Before(from) {
			continue
		}
		longest, last = max(longest, at.Sub(last)), at
	}
	return longest, last.After(until)
}

// Silence waits until every caller has received an answer later than the time until. Silence returns for each caller,
// in the order of their names in Call, the longest time without an answer since the time from. event names the outage
// in errors.
func (c *Callers) Silence(event string, from, until time.Time) (all []time.Duration) {
	c.t.Helper()
	for _, asker := range c.all {
		var longest time.Duration
		Eventually(c.t, asker.name+" after "+event, func() string {
			var ok bool
			if longest, ok = asker.silence(from, until); !ok {
				return "no answer"
			}
			return ""
		})
		all = append(all, longest)
	}
	return all
}

// Seconds returns durations in words, such as "udp4 0.31 s".
func (c *Callers) Seconds(all []time.Duration) string {
	var text []string
	for i, d := range all {
		text = append(text, fmt.Sprintf("%s %.2f s", c.all[i].name, d.Seconds()))
	}
	return strings.Join(text, ", ")
}

// Addresses of the hosts' ends of CreatedLink.
const (
	CreatedA  = "10.78.0.1"
	CreatedB  = "10.78.0.2"
	CreatedA6 = "fd78::1"
	CreatedB6 = "fd78::2"
)

// CreatedLink returns the settings of a link whose edge is a veth that the daemon makes for its host, with an IPv4 and
// an IPv6 address. link has keys of the link port.
func CreatedLink(link, four, six string) Settings {
	return Settings{
		Profile: Lossless.Profile, Link: link,
		Edge: fmt.Sprintf("create: true, host_interface: uelink0, address: [%s/24, \"%s/64\"]", four, six),
	}
}
