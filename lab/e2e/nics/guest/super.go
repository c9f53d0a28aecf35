package guest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/control/api"
	"uelink/internal/netns"
)

// A test of edges with super-frames, without a NIC. The kernel matters: whether it has TCX, and which frames its packet
// sockets take. The test bed is that of a link over a veth; the hosts have addresses:
//
//	hostA: TCP ── A (uelinkd) ── veth ── B (uelinkd) ── hostB: echo

// superScript is the name of the script of super-frames.
const superScript = "super"

// Names of the results of the script of super-frames, in their order.
const (
	SuperFrames = "super-frames"
	SuperTCP    = "TCP in super-frames"
	SuperECN    = "accurate ECN in super-frames"
	SuperUDP    = "datagrams in super-frames"
	SuperKilled = "super-frames, kill -9"
	SuperOff    = "offload: off, on"
)

// Load of the tests of super-frames.
const (
	superOctets   = 8 << 20          // octets of a TCP stream, each way
	superDuration = 60 * time.Second // longest time of a stream, and of the datagrams
)

// super runs the script of edges with super-frames: the edges take super-frames, or show a reason; TCP arrives; the
// kernel does not answer the host in place of a killed daemon; a reload ends super-frames, and begins them again.
func (s *session) super() error {
	b, err := s.newVethBed()
	if err != nil {
		return err
	}
	err = errors.Join(b.hostA.AddAddr("eth0", plainAddresses[0]+"/24"), b.hostB.AddAddr("eth0", plainAddresses[1]+"/24"),
		serveEcho(b.hostB))
	if err != nil {
		return err
	}
	bed, err := b.settings()
	if err != nil {
		return err
	}
	s.send(Message{Bed: bed})
	for _, step := range []struct {
		name string
		do   func(*Cell) error
	}{{SuperFrames, b.superFrames}, {SuperTCP, b.superTCP}, {SuperECN, b.superECN}, {SuperUDP, b.superUDP},
		{SuperKilled, b.superKilled}, {SuperOff, b.superOff}} {
		c := Cell{Fault: step.name, Outcome: Clean}
		if err := bounded(func() error { return step.do(&c) }); err != nil {
			c.Outcome, c.Why = Failed, err.Error()
			c.Log = append(b.a.log.tail(40), b.b.log.tail(40)...)
		}
		s.send(Message{Cell: &c})
	}
	return nil
}

// superFrames waits until both edges take super-frames, or one shows why it does not.
func (b *bed) superFrames(c *Cell) error {
	for _, d := range []*daemon{b.a, b.b} {
		var p api.Port
		err := within(establishment, d.name+": super-frames, or a reason why none are taken", func() (problem string) {
			var err error
			if p, err = d.port("edge0"); err != nil {
				return err.Error()
			}
			if p.Offload != "on" && p.OffloadReason == "" {
				return "offload is " + p.Offload
			}
			return ""
		})
		if err != nil {
			return err
		}
		c.Notice += fmt.Sprintf("%s: offload %s %s; ", d.name, p.Offload, p.OffloadReason)
		if p.Offload == "on" {
			c.Notice += fmt.Sprintf("the edge has a clsact filter: %v; ", d.filtered())
		}
	}
	return nil
}

// filtered reports whether a filter of clsact is at the ingress of a daemon's edge.
func (d *daemon) filtered() (found bool) {
	_ = d.ns.Do(func() error { // an error: without the interface there is no filter
		l, err := netlink.LinkByName("edge0")
		if err != nil {
			return err
		}
		list, err := netlink.FilterList(l, netlink.HANDLE_MIN_INGRESS)
		found = len(list) > 0
		return err
	})
	return found
}

// superTCP sends a stream both ways, and returns an error unless it came back whole, in super-frames at both edges.
func (b *bed) superTCP(c *Cell) error {
	sent, both, err := bulk(b.hostA, plainAddresses[1], superOctets, superDuration)
	if err != nil {
		return err
	}
	c.Notice = fmt.Sprintf("%.1f MB each way, %d segments sent again", float64(sent)/1e6, both.Again)
	return b.superCounts(c, true)
}

// superECN is superTCP with accurate ECN (RFC 9768); a kernel without it gives c the outcome Absent. A veth without the
// offload for accurate ECN (Linux 7.3) gets its segments in single frames, so superECN requires no super-frames.
func (b *bed) superECN(c *Cell) error {
	const accurate, usual = "3", "2"
	if err := b.setECN(accurate); err != nil {
		c.Outcome, c.Why = Absent, err.Error()
		return nil
	}
	sent, both, err := bulk(b.hostA, plainAddresses[1], superOctets, superDuration)
	if err = errors.Join(err, b.setECN(usual)); err != nil {
		return err
	}
	c.Notice = fmt.Sprintf("%.1f MB each way, %d segments sent again", float64(sent)/1e6, both.Again)
	return b.superCounts(c, false)
}

// setECN sets the sysctl tcp_ecn of both hosts: which ECN their TCP requests and accepts.
func (b *bed) setECN(value string) (err error) {
	for _, host := range []*netns.NS{b.hostA, b.hostB} {
		err = errors.Join(err, host.Do(func() error {
			return os.WriteFile("/proc/sys/net/ipv4/tcp_ecn", []byte(value), 0)
		}))
	}
	return err
}

// superUDP sends many datagrams by one call (UDP_SEGMENT), and returns an error unless each arrived once and in order:
// in super-frames, or in single frames where the host's kernel has no super-frames of UDP.
func (b *bed) superUDP(c *Cell) error {
	at, err := listenDatagrams(b.hostB)
	if err != nil {
		return err
	}
	defer at.Close()
	err = errors.Join(receiveBuffer(at, cableBuffer), at.SetReadDeadline(time.Now().Add(superDuration)))
	if err != nil {
		return err
	}
	const bursts, frames, size = 50, 20, 1400
	sent := make(chan error, 1)
	go func() { sent <- sendBursts(b.hostA, bursts, frames*size, size) }()
	octets := make([]byte, 2048)
	for n := range bursts * frames {
		length, err := at.Read(octets)
		if err != nil || length != size || octets[0] != byte(n/frames) {
			return fmt.Errorf("datagram %d: length %d octets, number of the burst %d: %w", n, length, octets[0], err)
		}
	}
	c.Notice = fmt.Sprintf("%d datagrams in %d bursts", bursts*frames, bursts)
	return errors.Join(<-sent, b.superCounts(c, false))
}

// sendBursts sends bursts of octets from a namespace to the other host, each as datagrams of a size with the number of
// the burst.
func sendBursts(ns *netns.NS, bursts, octets, size int) error {
	var c net.Conn
	err := ns.Do(func() (err error) {
		c, err = net.Dial("udp4", net.JoinHostPort(plainAddresses[1], fmt.Sprint(datagramPort)))
		return err
	})
	if err != nil {
		return err
	}
	defer c.Close()
	raw, err := c.(*net.UDPConn).SyscallConn()
	if err != nil {
		return err
	}
	failure := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_SEGMENT, size)
	})
	for n := range bursts {
		if err := errors.Join(err, failure); err != nil {
			return err
		}
		_, err = c.Write(bytes.Repeat([]byte{byte(n)}, octets))
	}
	return err
}

// superCounts adds to the notice of c how many super-frames both edges have had so far. It returns an error if a
// super-frame was refused, or if there were none although TCP has sent.
func (b *bed) superCounts(c *Cell, tcp bool) error {
	for _, d := range []*daemon{b.a, b.b} {
		p, err := d.port("edge0")
		if err != nil {
			return err
		}
		s := p.Socket
		c.Notice += fmt.Sprintf("; %s: %d super-frames received, %d sent, %d refused", d.name, s.RxSuper, s.TxSuper,
			s.TxSuperRefused)
		if n := s.RxSuperMalformed + s.RxSuperNoRoom; n > 0 {
			return fmt.Errorf("%s: %d super-frames from the host were malformed or found no room: %s", d.name, n, c.Notice)
		}
		if p.Offload != "on" && p.OffloadReason == "" || p.Offload == "on" && tcp && min(s.RxSuper, s.TxSuper) == 0 {
			return fmt.Errorf("offload %s: no super-frames: %s", p.Offload, c.Notice)
		}
	}
	return nil
}

// superKilled kills daemon A: until its restart the kernel of A must not answer hostA. Then super-frames begin again.
func (b *bed) superKilled(c *Cell) error {
	const address = "192.0.2.77" // address of A's kernel at the edge
	b.a.kill()
	if err := b.a.ns.AddAddr("edge0", address+"/24"); err != nil {
		return err
	}
	err := b.hostA.Do(func() error {
		_, err := net.DialTimeout("tcp4", address+":1", 2*time.Second) // nobody listens: an answer is a refusal
		return err
	})
	if errors.Is(err, syscall.ECONNREFUSED) {
		return errors.New("with the daemon killed, the kernel answers hostA at the edge")
	}
	c.Notice = fmt.Sprintf("with the daemon killed, the kernel does not answer hostA (%v)", err)
	err = b.a.ns.Do(func() error {
		l, err := netlink.LinkByName("edge0")
		if err != nil {
			return err
		}
		a, err := netlink.ParseAddr(address + "/24")
		if err != nil {
			return err
		}
		return netlink.AddrDel(l, a)
	})
	if err = errors.Join(err, b.a.start()); err != nil {
		return err
	}
	return errors.Join(b.established(), b.superFrames(&Cell{}), b.superTCP(&Cell{}))
}

// superOff ends super-frames by a reload, and begins them again. TCP arrives with and without super-frames.
func (b *bed) superOff(c *Cell) error {
	on := b.a.text
	for _, step := range []struct{ text, want string }{
		{strings.ReplaceAll(on, "role: edge}", "role: edge, offload: off}"), "off"}, {on, "on"},
	} {
		if err := os.WriteFile("/run/A.yaml", []byte(step.text), 0o644); err != nil {
			return err
		}
		if err := b.a.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			return err
		}
		err := within(establishment, "offload "+step.want, func() string {
			p, err := b.a.port("edge0")
			if err != nil || p.Offload != step.want && p.OffloadReason == "" {
				return fmt.Sprint(p.Offload, " ", err)
			}
			return ""
		})
		if err != nil {
			return err
		}
		c.Notice += fmt.Sprintf("with offload %s the edge has a clsact filter: %v; ", step.want, b.a.filtered())
		sent, _, err := bulk(b.hostA, plainAddresses[1], superOctets, superDuration)
		if err != nil {
			return fmt.Errorf("offload %s: %d octets: %w", step.want, sent, err)
		}
	}
	return nil
}
