package cable

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/fault"
)

// plainWires are cables that carry between veths as the kernel makes them.
var plainWires = map[string]Config{
	"tcx":     {Mode: ModeKernel},
	"clsact":  {Mode: ModeKernel, noTCX: true},
	"keep":    {Mode: ModeKernel, KeepGSO: true},
	"sockets": {Mode: ModeUser},
}

// address gives both hosts addresses, 10.97.0.1 and 10.97.0.2.
func (b *bench) address() {
	b.t.Helper()
	for i, h := range b.hosts {
		must(b.t, h.ns.AddAddr([]string{"host0", "host1"}[i], fmt.Sprintf("10.97.0.%d/24", i+1)))
	}
}

var errOtherOctets = errors.New("other octets arrived")

// tcp sends n octets from the first host to the second by the stacks of both, and returns an error if other octets
// arrive, or none for a minute.
func (b *bench) tcp(n int) error {
	var l net.Listener
	must(b.t, b.hosts[1].ns.Do(func() (err error) {
		l, err = net.Listen("tcp4", "10.97.0.2:97")
		return err
	}))
	defer l.Close()
	sent := bytes.Repeat([]byte("a bad wire for everyone "), n/24+1)[:n]
	done := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			done <- err
			return
		}
		defer c.Close()
		got := sha256.New()
		_, err = io.Copy(got, c)
		if err == nil && !bytes.Equal(got.Sum(nil), sum(sent)) {
			err = errOtherOctets
		}
		done <- err
	}()
	var c net.Conn
	err := b.hosts[0].ns.Do(func() (err error) {
		c, err = net.DialTimeout("tcp4", "10.97.0.2:97", 20*time.Second)
		return err
	})
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	if _, err := c.Write(sent); err != nil {
		return err
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	return <-done
}

func sum(octets []byte) []byte {
	s := sha256.Sum256(octets)
	return s[:]
}

// The stacks of hosts behind veths as the kernel makes them leave checksums unfinished, send super-frames, and take no
// XDP frames.
func TestOrdinaryVethsCarryTCP(t *testing.T) {
	for name, c := range plainWires {
		for _, loss := range []float64{0, 0.01} {
			t.Run(fmt.Sprintf("%s, loss %v", name, loss), func(t *testing.T) {
				b := newPlainBench(t, 1500)
				b.address()
				c.Fault.Loss = loss
				cable, stop := b.plug(c)
				must(t, b.tcp(3_000_000))
				stop()
				d := report(t, cable).Directions[0]
				if d.Path != name && name != "keep" {
					t.Errorf("path %s", d.Path)
				}
				if name == "keep" != (d.SuperFrames > 0) {
					t.Errorf("%d super-frames of %d frames", d.SuperFrames, d.Forwarded)
				}
				if d.Forwarded < 2000 || d.Octets < 3_000_000 || d.Dropped > 0 != (loss > 0) && name != "keep" {
					t.Errorf("counted %+v", d)
				}
			})
		}
	}
}

// A stack checks the checksum of a damaged frame only if it was finished before: in user space. The checksum itself
// misses some damage of two bits.
func TestDamagedFramesOfAStackAreNoticed(t *testing.T) {
	b := newPlainBench(t, 1500)
	b.address()
	cable, stop := b.plug(Config{Fault: fault.Config{Corrupt: 0.02}})
	if err := b.tcp(3_000_000); err != nil && !errors.Is(err, errOtherOctets) {
		t.Error(err)
	}
	stop()
	if r := report(t, cable); r.Mode != ModeUser || r.Directions[0].Corrupted == 0 {
		t.Errorf("report %+v", r)
	}
	if b.hosts[1].wrongChecksums() == 0 {
		t.Error("the stack has noticed no damage")
	}
}

// wrongChecksums returns how many segments of TCP with a wrong checksum the host's stack has received.
func (s *station) wrongChecksums() (n int) {
	s.t.Helper()
	must(s.t, s.ns.Do(func() error {
		text, err := os.ReadFile("/proc/thread-self/net/snmp")
		if err != nil {
			return err
		}
		var names []string
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if fields[0] != "Tcp:" {
				continue
			}
			if names == nil {
				names = fields
				continue
			}
			n, err = strconv.Atoi(fields[slices.Index(names, "InCsumErrors")])
		}
		return err
	}))
	return n
}

func TestLossBetweenOrdinaryVethsIsAsAskedAndAsCounted(t *testing.T) {
	const n, longest, loss = 5000, 200, 0.1
	for name, c := range plainWires {
		t.Run(name, func(t *testing.T) {
			b := newPlainBench(t, 1500)
			c.Fault.Loss = loss
			cable, stop := b.plug(c)
			b.blast(cable, 0, n, longest)
			stop()
			d := report(t, cable).Directions[0].Counters
			numbers, damaged := arrived(b.hosts[1].receive(d.Forwarded), longest)
			if want := (fault.Counters{Forwarded: uint64(len(numbers)), Dropped: n - uint64(len(numbers))}); d != want ||
				damaged > 0 || !slices.IsSorted(numbers) {
				t.Errorf("counted %+v\nseen    %+v", d, want)
			}
			near(t, "dropped", d.Dropped, n, loss, 1)
		})
	}
}

func TestOrdinaryVethThatIsDownIsAnOverrun(t *testing.T) {
	for name, c := range plainWires {
		t.Run(name, func(t *testing.T) {
			b := newPlainBench(t, 1500)
			cable, _ := b.plug(c)
			b.blast(cable, 0, 100, 60)
			must(t, b.hosts[1].ns.SetLink("host1", false))
			for i := range 50 {
				b.hosts[0].send(numbered(uint64(i), 60))
			}
			eventually(t, "50 overruns", func() bool { return report(t, cable).Directions[0].Overrun == 50 })
			if d := report(t, cable).Directions[0].Counters; d != (fault.Counters{Forwarded: 100, Overrun: 50}) {
				t.Errorf("counted %+v", d)
			}
		})
	}
}

// XDP programs that come and go at the hosts change the path, and no frame is lost.
func TestPathFollowsTheFarEnds(t *testing.T) {
	b := newPlainBench(t, 1500)
	cable, stop := b.plug(Config{})
	path := func(want string) {
		t.Helper()
		eventually(t, "path "+want, func() bool { return report(t, cable).Directions[0].Path == want })
		b.blast(cable, 0, 200, 60)
	}
	path(pathTCX)
	for i, h := range b.hosts {
		must(t, h.ns.Do(func() error { return h.takeXDP([]string{"host0", "host1"}[i]) }))
	}
	path(pathXDP)
	must(t, b.hosts[1].link.Close())
	path(pathTCX)
	stop()
	if d := report(t, cable).Directions[0].Counters; d != (fault.Counters{Forwarded: 600}) {
		t.Errorf("counted %+v", d)
	}
}

// A filter of clsact outlives a process that is killed, but calls no program any more: frames pass on to the stack.
func TestFilterLeftBehindDoesNothing(t *testing.T) {
	b := newPlainBench(t, 1500)
	b.address()
	c := Config{A: "a", B: "b", Fault: fault.Config{Loss: 1}, noTCX: true, KeepGSO: true}
	var killed *Cable
	must(t, b.middle.Do(func() (err error) {
		killed, err = Open(c)
		return err
	}))
	for _, way := range killed.wire.(*kernelWire).ways {
		way.objects.Entry.Close() // the kernel does this for a killed process
	}
	must(t, b.middle.AddAddr("a", "10.97.0.2/24"))
	must(t, b.hosts[0].ns.Do(func() error { return echo("10.97.0.2", b) }))
	must(t, killed.Close())
	must(t, b.middle.Do(func() error {
		dev, err := netlink.LinkByName("a")
		if err != nil {
			return err
		}
		qdiscs, err := netlink.QdiscList(dev)
		for _, q := range qdiscs {
			if q.Type() == "clsact" {
				t.Errorf("left: %v", q)
			}
		}
		return err
	}))
}

// echo sends a datagram to an address of the middle, and waits for it there.
func echo(to string, b *bench) error {
	var server net.PacketConn
	err := b.middle.Do(func() (err error) {
		server, err = net.ListenPacket("udp4", to+":7")
		return err
	})
	if err != nil {
		return err
	}
	defer server.Close()
	c, err := net.Dial("udp4", to+":7")
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write([]byte("hello")); err != nil {
		return err
	}
	if err := server.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return err
	}
	_, _, err = server.ReadFrom(make([]byte, 16))
	return err
}
