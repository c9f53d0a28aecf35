package path

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/bridge"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/dataplane/trim"
	"uelink/wire"
)

// DSCPs of the tests of trimming; the class and the queue of a frame is its DSCP / 8.
const (
	dscpTrimmable = 8
	dscpTrimmed   = 16
	dscpControl   = 46
	dscpOther     = 0

	queueTrimmable = dscpTrimmable / 8
	queueTrimmed   = dscpTrimmed / 8
)

// congested is three hosts at a bridge: what two of them send to the third is more than its port
// carries. That port trims.
type congested struct {
	*lan
	t    testing.TB
	seed uint64
	out  *Port
	sent []uint32 // by host: IP packets
}

func newCongested(t testing.TB, seed uint64, s bridge.Settings) *congested {
	o := defaults()
	c := &congested{lan: newLAN(rand.New(rand.NewPCG(seed, 8)), 1, 3, o, s), t: t, seed: seed, sent: make([]uint32, 3)}
	c.out = c.hosts[2].edge
	for i, h := range c.hosts {
		c.configure(h.edge, func(p *model.PortSettings) { p.Trimming = c.asked(i) })
	}
	c.domains[0].ConfigureTrimming(trimTo(128))
	for i, h := range c.hosts {
		c.say(i, (i+1)%3, dscpOther, 60)
		c.rounds(4)
		for h.host.Recv() != nil {
		}
	}
	c.rounds(8)
	c.drain()
	return c
}

// asked is trimming of the port of a host: the third's only.
func (c *congested) asked(host int) model.PortTrimming {
	if host != 2 {
		return model.PortTrimming{}
	}
	return model.PortTrimming{Queues: 1 << queueTrimmable, DSCP: dscpTrimmed}
}

// trimTo is the settings of the tests, with a size.
func trimTo(size int) model.TrimmingSettings {
	return model.TrimmingSettings{Class: queueTrimmed, Settings: trim.Settings{
		Size: size, Trimmable: trim.DSCPs(0).Including(dscpTrimmable), Control: trim.DSCPs(0).Including(dscpControl),
		DSCP: dscpTrimmed, RewriteIP: true, UDPPort: trim.DefaultUDPPort, Protocol: trim.DefaultProtocol,
	}}
}

// configure gives an edge the class and queue of each DSCP, strict priority, and more.
func (c *congested) configure(p *Port, change func(*model.PortSettings)) {
	s := p.settings
	s.QoS.Trust = qos.TrustDSCP
	for dscp := range s.QoS.DSCP {
		s.QoS.DSCP[dscp] = uint8(dscp / 8)
	}
	for class := range uint8(8) {
		s.QoS.Queue[class] = class
		s.Scheduler.Queues[class].Group = class
	}
	change(&s)
	p.Set(s, c.now)
	c.domains[0].ConfigureTrimming(c.domains[0].Trimming.settings)
}

// slow limits the port of the third host: 1 octet a microsecond.
func slow(p *model.PortSettings) { p.Scheduler.Rate, p.Scheduler.Burst = 8_000_000, 600 }

// packet is the next IPv4 packet of UET over UDP from one host to another, in a frame of n octets.
func (c *congested) packet(from, to int, dscp uint8, n int) []byte {
	f := make([]byte, n)
	da, sa := c.hosts[to].mac(), c.hosts[from].mac()
	copy(f, da[:])
	copy(f[6:], sa[:])
	binary.BigEndian.PutUint16(f[12:], 0x0800)
	ip := f[14:]
	copy(ip, []byte{0x45, dscp << 2, byte((n - 14) >> 8), byte(n - 14), 0, 1, 0x40, 0, 64, 17})
	copy(ip[12:], []byte{192, 0, 2, 1, 192, 0, 2, 2})
	binary.BigEndian.PutUint16(ip[10:], ^headerSum(ip[:20]))
	copy(ip[20:], []byte{0xC0, byte(from), 0x12, 0xB9, byte((n - 34) >> 8), byte(n - 34), 0xBE, 0xEF})
	binary.BigEndian.PutUint32(ip[28:], c.sent[from])
	for i := 32; i < len(ip); i++ {
		ip[i] = byte(i) ^ byte(c.sent[from])
	}
	return f
}

// headerSum is the sum that the checksum of IP makes 0xFFFF (RFC 791 §3.1).
func headerSum(header []byte) uint16 {
	sum := uint32(0)
	for at := 0; at < len(header); at += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[at:]))
	}
	for sum > 0xFFFF {
		sum = sum>>16 + sum&0xFFFF
	}
	return uint16(sum)
}

// fail ends the test.
func (c *congested) fail(format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf("seed %d: %s", c.seed, fmt.Sprintf(format, args...))
}

// say has a host send a packet; it is false if its interface has no room.
func (c *congested) say(from, to int, dscp uint8, n int) bool {
	if !c.hosts[from].host.Send(c.packet(from, to, dscp, n)) {
		return false
	}
	c.sent[from]++
	return true
}

// rounds works the bridge so many times.
func (c *congested) rounds(n int) {
	c.t.Helper()
	for range n {
		if err := c.step(); err != nil {
			c.fail("%v", err)
		}
	}
}

// step works the bridge once, moves the clock, and checks that nothing is lost or there twice. The
// hosts do not look at what has come to them.
func (c *congested) step() error {
	d := c.domains[0]
	worked, at := d.Step(c.now)
	if c.now += 5e3; worked == 0 {
		c.now = max(c.now, min(at, c.now+1e6))
	}
	return d.conserved()
}

// offer has the first two hosts send n packets each, as fast as the bridge takes them.
func (c *congested) offer(n int, dscp uint8, octets int) {
	c.t.Helper()
	for end := c.now.Add(time.Second); n > 0 && c.now < end; c.rounds(1) {
		for i := 0; i < 8 && n > 0; i++ {
			if c.say(0, 2, dscp, octets) && c.say(1, 2, dscp, octets) {
				n--
			}
		}
	}
}

// rest works the bridge until nothing waits, and returns what has come to the third host.
func (c *congested) rest() (got []delivery) {
	c.t.Helper()
	for end := c.now.Add(10 * time.Second); ; c.rounds(1) {
		got = append(got, c.drain()...)
		if c.domains[0].Held() == 0 {
			return append(got, c.drain()...)
		}
		if c.now > end {
			c.fail("not at rest: %d frames wait", c.out.egress.waiting)
		}
	}
}

// delivery is a packet that has come to the third host.
type delivery struct {
	from    uint8
	number  uint32
	dscp    uint8
	trimmed bool
}

// drain takes what has come to the third host, and checks it.
func (c *congested) drain() (got []delivery) {
	c.t.Helper()
	for f := c.hosts[2].host.Recv(); f != nil; f = c.hosts[2].host.Recv() {
		if wire.EtherType(f) != 0x0800 {
			continue
		}
		a, err := arrived(f)
		if err != nil {
			c.fail("%v: %x", err, f)
		}
		got = append(got, a)
	}
	return got
}

// arrived reads a packet: its header is right, its octets are those that were sent, and UDP's
// length says how many those were.
func arrived(f []byte) (delivery, error) {
	ip := f[14:]
	a := delivery{from: ip[21], number: binary.BigEndian.Uint32(ip[28:]), dscp: ip[1] >> 2}
	total, whole := int(binary.BigEndian.Uint16(ip[2:])), int(binary.BigEndian.Uint16(ip[24:]))+20
	a.trimmed = total < whole
	switch {
	case headerSum(ip[:20]) != 0xFFFF:
		return a, fmt.Errorf("the checksum of IP is wrong")
	case total != len(ip):
		return a, fmt.Errorf("IP says %d octets, there are %d", total, len(ip))
	case a.trimmed != (a.dscp == dscpTrimmed):
		return a, fmt.Errorf("DSCP %d, and %d octets of %d", a.dscp, total, whole)
	}
	for i := 32; i < len(ip); i++ {
		if ip[i] != byte(i)^byte(a.number) {
			return a, fmt.Errorf("octet %d of packet %d was changed", i, a.number)
		}
	}
	return a, nil
}

// trimmedConserved tells whether the trimmed frames that wait are those that have been counted and
// neither sent nor dropped: at each queue, each port, and in the domain.
func (d *Domain) trimmedConserved() error {
	all := uint64(0)
	for _, p := range d.ports {
		if p == nil {
			continue
		}
		var waiting [sched.Queues]uint64
		port := uint64(0)
		for q := range p.egress.queues {
			i := p.egress.queues[q].head
			for range p.egress.queues[q].length {
				e := &d.entries.all[i]
				if i = e.next; e.trim.ip != 0 {
					waiting[e.trim.queue]++
					port++
				}
			}
		}
		for q, n := range waiting {
			if got := p.egress.counters[q].TrimCounters.Waiting(); got != n {
				return fmt.Errorf("port %s: %d trimmed frames of queue %d wait, counted %d", p.settings.Name, n, q, got)
			}
		}
		if got := p.Counters.TrimCounters.Waiting(); got != port {
			return fmt.Errorf("port %s: %d trimmed frames wait, counted %d", p.settings.Name, port, got)
		}
		all += port
	}
	if got := d.Trimming.Counters.Waiting(); got != all {
		return fmt.Errorf("%d trimmed frames wait, counted %d", all, got)
	}
	return nil
}
