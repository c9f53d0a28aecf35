package tools

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// complaint is a way in which the frames of a row of the table of dropped frames are dropped.
type complaint struct {
	of     string // the cures of the row with these words; empty: those that no other complaint has
	port   string // of A: it counts the frames
	says   string // words of the status, where these are not about the counter
	a, b   bed.Configuration
	put    func(p *patient) // changes what is no configuration of a daemon
	drop   func(p *patient) // sends frames, of which some are dropped; with the cure none is
	values map[string]string
	waits  bool // a cure at A makes it wait for B, whose status has a command then
}

// lazy makes the kernel hand frames of the host over to the edge of A each 50 ms only, as a kernel without CPU does.
func lazy(p *patient) {
	p.t.Helper()
	bed.SetAttribute(p.t, p.top.A, "edge0", "gro_flush_timeout", "50000000")
	bed.SetAttribute(p.t, p.top.A, "edge0", "napi_defer_hard_irqs", "1000000")
}

// queueing gives the host of A a queueing discipline.
func (p *patient) queueing(discipline string) {
	p.t.Helper()
	p.A.Shell(p.t, p.top.HostA, "tc qdisc replace dev eth0 root "+discipline)
}

// narrow gives the wire the MTU of the edges, which is less than a link needs.
func narrow(p *patient) {
	p.t.Helper()
	for _, port := range []string{"a", "b"} {
		bed.Must(p.t, p.top.Wire.SetMTU(port, bed.EdgeMTU))
	}
	bed.Must(p.t, p.top.HostA.SetMTU("eth0", bed.EdgeMTU))
}

// longer gives the host of A a larger MTU than the edges have.
func longer(p *patient) {
	p.t.Helper()
	bed.Must(p.t, p.top.HostA.SetMTU("eth0", 3000))
	for _, end := range []*netns.NS{p.top.A, p.top.B} {
		bed.Must(p.t, end.SetMTU("edge0", bed.EdgeMTU))
	}
}

// full sends frames as long as the MTU of the host allows.
func full(p *patient) {
	p.t.Helper()
	l, err := p.top.HostA.Link("eth0")
	bed.Must(p.t, err)
	p.send(20, wire.HeaderLen+l.MTU)
	bed.AwaitCrossing(p.from, p.to, bed.Patience)
}

// streamed sends 2 MB by TCP from the host of A to that of B, and stops A when half of them are there.
func streamed(p *patient) {
	p.t.Helper()
	const half = 1 << 20
	var l net.Listener
	bed.Must(p.t, p.top.HostB.Do(func() (err error) {
		l, err = net.Listen("tcp4", bed.AddressB+":0")
		return err
	}))
	defer l.Close()
	var c net.Conn
	bed.Must(p.t, p.top.HostA.Do(func() (err error) {
		c, err = net.DialTimeout("tcp4", l.Addr().String(), bed.Patience)
		return err
	}))
	defer c.Close()
	s, err := l.Accept()
	bed.Must(p.t, err)
	defer s.Close()
	sent := make(chan error, 2)
	write := func() { _, err := c.Write(make([]byte, half)); sent <- err }
	read := func() {
		bed.Must(p.t, s.SetReadDeadline(time.Now().Add(bed.Patience)))
		_, err := io.CopyN(io.Discard, s, half)
		bed.Must(p.t, errors.Join(err, <-sent))
	}
	go write()
	read()
	p.A.Freeze()
	go write()
	time.Sleep(30 * time.Millisecond) // the kernel sends what the windows allow
	p.A.Signal(syscall.SIGCONT)
	read()
}

// complaints are the ways in which frames of the rows are dropped.
func complaints() map[string][]complaint {
	lossless := func(edge string) bed.Settings {
		s := bed.Lossless
		s.Edge = edge
		return s
	}
	small := lossless("offload: off, ring_size: 256, rx_ring_size: 256")
	smallLink := bed.Lossless.ByFrame()
	smallLink.Link = "ring_size: 64, rx_ring_size: 64"
	window := smallLink
	window.Profile += ", max_outstanding_frames: 1024, max_replay_timer: 1s" // no replay while A is stopped
	switching := bed.Switching.ByFrame()
	switching.Edge += ", ring_size: 64, rx_ring_size: 64"
	rings := map[string]string{"rx_ring_size": "8192", "ring_size": "2048"}
	return map[string][]complaint{
		"rx_ring_full": {
			{of: "of the partner", port: "link0", a: smallLink, b: window, drop: func(p *patient) {
				p.A.Freeze()
				for n := range uint32(600) {
					p.to.Send(bed.Probe(n, 200))
				}
				time.Sleep(20 * time.Millisecond)
				p.A.Signal(syscall.SIGCONT)
				bed.AwaitCrossing(p.to, p.from, bed.Patience)
			}, values: map[string]string{"max_outstanding_frames": "llr_profiles.e2e.max_outstanding_frames 32",
				"rx_ring_size": "4096"}},
			{of: "for TCP", port: "edge0", a: lossless("offload: off, ring_size: 64, rx_ring_size: 64"), drop: streamed,
				values: map[string]string{"NETWORK": "10.77.0.0/24", "HOST_INTERFACE": "eth0", "N": "10000"}},
			{port: "edge0", a: small, drop: func(p *patient) { p.sendWhile(p.A, 1500, 200) }, values: rings},
		},
		"rx_dropped": {
			{port: "edge0", a: small, drop: func(p *patient) { p.sendWhile(p.B, 3000, 200) }, values: rings},
		},
		"rx_oversized": {
			{of: "lower that of the hosts", port: "edge0", says: "the wire carries link frames of up to", put: narrow,
				drop:   full,
				values: map[string]string{"HOST_INTERFACE": "eth0", "N": fmt.Sprint(bed.EdgeMTU - wire.Overhead)}},
			{port: "edge0", says: "the wire carries link frames of up to", put: narrow, drop: full,
				values: map[string]string{"WAY": "a b", "N": fmt.Sprint(bed.LinkMTU)}},
		},
		"rx_super_no_room": {
			{port: "edge0", a: lossless("offload: on"), drop: func(p *patient) { p.sendWhile(p.A, 12000, 200) }},
		},
		"host_tx_dropped": {
			{port: "edge0", put: lazy, drop: func(p *patient) { p.send(1500, 200) },
				values: map[string]string{"HOST_INTERFACE": "eth0"}},
		},
		"host_qdisc_dropped": {
			{port: "edge0", put: func(p *patient) { lazy(p); p.queueing("pfifo limit 50") },
				drop: func(p *patient) { p.send(1500, 200) }, values: map[string]string{"HOST_INTERFACE": "eth0"}},
		},
		"rx_too_long": {
			{port: "edge0", put: longer,
				drop:   func(p *patient) { _ = p.from.Once(bed.Probe(1, wire.HeaderLen+2000)) },
				values: map[string]string{"INTERFACE": "edge0", "N": "3000"}, waits: true},
		},
		"tx_dropped": {
			{port: "edge0", put: func(p *patient) { bed.Must(p.t, p.top.HostA.SetMTU("eth0", 1000)) },
				drop: func(p *patient) {
					for n := range uint32(20) {
						p.to.Send(bed.Probe(n, wire.HeaderLen+bed.EdgeMTU))
					}
					bed.AwaitCrossing(p.to, p.from, bed.Patience)
				}, values: map[string]string{"INTERFACE": "eth0", "N": "1500"}},
		},
		"tx_drop_queue_full": {
			{port: "link0", a: switching, b: bed.Switching.ByFrame(), drop: func(p *patient) { p.sendWhile(p.B, 2000, 200) },
				values: map[string]string{"rx_ring_size": "ports.edge0.rx_ring_size 16384"}},
		},
	}
}
