package edges

import (
	"fmt"
	"net"
	"net/netip"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// Addresses of the hosts' ends of created edges.
const (
	createdA  = "10.78.0.1"
	createdB  = "10.78.0.2"
	createdA6 = "fd78::1"
	createdB6 = "fd78::2"
)

// created is a link whose edges are veths that the daemons make for the hosts in their namespaces.
func created(link, four, six string) bed.Settings {
	return bed.Settings{
		Profile: bed.Lossless.Profile, Link: link,
		Edge: fmt.Sprintf("create: true, host_interface: uelink0, address: [%s/24, \"%s/64\"]", four, six),
	}
}

// callers ask for answers from host A, each in its own way, every 20 ms. Host A speaks only when it is asked.
type callers struct {
	t    *testing.T
	a, b *netns.NS
	all  []*caller
}

// caller is one way of asking: its answers by their times.
type caller struct {
	name string
	mu   sync.Mutex
	came []time.Time
}

// answer records an answer.
func (c *caller) answer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.came = append(c.came, time.Now())
}

// since returns when the first answer after a time came; ok is false if none has come.
func (c *caller) since(from time.Time) (first time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, at := range c.came {
		if at.After(from) {
			return at, true
		}
	}
	return first, false
}

// listen answers UDP and TCP at the addresses of host A, until the end of the test.
func (c *callers) listen() {
	c.t.Helper()
	for _, address := range []string{createdA, createdA6} {
		at := netip.AddrPortFrom(netip.MustParseAddr(address), 7)
		bed.Must(c.t, c.a.Do(func() error {
			udp, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(at))
			if err != nil {
				return err
			}
			c.t.Cleanup(func() { udp.Close() })
			go echoUDP(udp)
			return nil
		}))
	}
	bed.Must(c.t, c.a.Do(func() error {
		tcp, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.ParseIP(createdA), Port: 7})
		if err != nil {
			return err
		}
		c.t.Cleanup(func() { tcp.Close() })
		go echoTCP(tcp)
		return nil
	}))
}

func echoUDP(c *net.UDPConn) {
	b := make([]byte, 100)
	for {
		n, from, err := c.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		_, _ = c.WriteToUDPAddrPort(b[:n], from)
	}
}

func echoTCP(l *net.TCPListener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			b := make([]byte, 100)
			for {
				n, err := c.Read(b)
				if err != nil {
					return
				}
				_, _ = c.Write(b[:n])
			}
		}()
	}
}

// call begins to ask from host B, until the end of the test: by UDP over IPv4 and IPv6, and by TCP if tcp is true.
func (c *callers) call(tcp bool) {
	c.t.Helper()
	networks := [][2]string{{"udp4", createdA}, {"udp6", createdA6}}
	if tcp {
		networks = append(networks, [2]string{"tcp4", createdA})
	}
	for _, n := range networks {
		one := &caller{name: n[0]}
		c.all = append(c.all, one)
		var conn net.Conn
		bed.Must(c.t, c.b.Do(func() (err error) {
			conn, err = net.DialTimeout(n[0], net.JoinHostPort(n[1], "7"), bed.Patience)
			return err
		}))
		c.t.Cleanup(func() { conn.Close() })
		go func() {
			for ; ; time.Sleep(20 * time.Millisecond) {
				if _, err := conn.Write([]byte("x")); isClosed(err) {
					return
				}
			}
		}()
		go func() {
			b := make([]byte, 1000)
			for {
				switch n, err := conn.Read(b); {
				case isClosed(err):
					return
				case n > 0:
					one.answer()
				}
			}
		}()
	}
}

// isClosed reports whether a connection was closed by the test. Errors such as that no route leads there come and go.
func isClosed(err error) bool { return err != nil && strings.Contains(err.Error(), "use of closed") }

// answered waits until every caller has an answer from after a time, and logs how long that was after ready.
func (c *callers) answered(what string, from, ready time.Time) {
	c.t.Helper()
	var line strings.Builder
	for _, one := range c.all {
		var first time.Time
		bed.Eventually(c.t, one.name+" "+what, func() string {
			var ok bool
			if first, ok = one.since(from); !ok {
				return "no answer"
			}
			return ""
		})
		fmt.Fprintf(&line, " %s %.2f s", one.name, first.Sub(ready).Seconds())
	}
	c.t.Logf("%s: the first answer after READY:%s", what, line.String())
}

// TestRestartsOfACreatedEdge: what a host has put on the interface that the daemon makes for it outlives the daemon,
// and another host that speaks to it goes on after each way of starting the daemon again.
func TestRestartsOfACreatedEdge(t *testing.T) {
	t.Parallel()
	bed.InstalledProgram(t, "ip", "iproute2")
	a, b := nstest.New(t, "A"), nstest.New(t, "B")
	bed.Must(t, netns.Veth(a, "link0", b, "link0", bed.EdgeMTU))
	p := bed.Pair{
		A: bed.NewDaemon(t, a, "A", created("encapsulation: addressed", createdA, createdA6)),
		B: bed.NewDaemon(t, b, "B", created("encapsulation: addressed", createdB, createdB6)),
	}
	p.A.Start()
	p.B.Start()
	p.Advance()
	put := func(args string) { bed.Run(t, a, exec.Command("ip", strings.Fields(args)...)) }
	put("route add 172.16.0.0/16 via " + createdB)
	put("link add link uelink0 name mv0 type macvlan mode bridge")
	seen := func() string {
		return bed.Run(t, a, exec.Command("ip", "-o", "link", "show", "uelink0")) +
			bed.Run(t, a, exec.Command("ip", "-o", "link", "show", "mv0")) +
			bed.Run(t, a, exec.Command("ip", "route", "show", "172.16.0.0/16"))
	}
	before := seen()
	c := callers{t: t, a: a, b: b}
	c.listen()
	c.call(true)
	c.answered("at first", time.Time{}, time.Now())
	for _, way := range []struct {
		name string
		end  func()
	}{
		{"SIGTERM", func() {
			if code := p.A.Terminate(); code != 0 {
				t.Errorf("exit %d", code)
			}
		}},
		{"kill", func() { p.A.Signal(syscall.SIGKILL); p.A.Wait() }},
	} {
		way.end()
		ready := p.A.Start()
		c.answered(way.name, time.Now(), ready)
		if now := seen(); stable(now) != stable(before) {
			t.Errorf("after %s the host has\n%s\nnot\n%s", way.name, now, before)
		}
		for _, ns := range []*netns.NS{a, b} {
			if l, err := ns.Link("edge0"); err == nil && l.Statistics.RxDropped > 0 {
				t.Errorf("RX dropped %d", l.Statistics.RxDropped)
			}
		}
	}
	p.A.EndsLast()
	from := time.Now()
	p.A.Upgrade()
	c.answered("upgrade", time.Now(), from)
	if now := seen(); stable(now) != stable(before) {
		t.Errorf("after an upgrade the host has\n%s\nnot\n%s", now, before)
	}
}

// stable removes from ip's output the queueing discipline, which goes while no daemon serves the interface.
func stable(text string) string {
	fields := strings.Fields(text)
	for i, f := range fields[:len(fields)-1] {
		if f == "qdisc" {
			fields[i+1] = ""
		}
	}
	return strings.Join(fields, " ")
}
