package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/bench/report"
	"uelink/wire"
)

// creditVCs returns how many lossless virtual channels a link has in the rows of the table of credits.
func creditVCs() []int { return []int{1, 8, 32} }

// creditSizes returns the frame sizes of the table of credits, octets.
func creditSizes() []int { return []int{64, 1500} }

// stalledVC is the channel that is stalled, in pairs with a stalled channel. The measured frames are on VC 0.
const stalledVC = 2

// credits runs the experiment "credits" and adds its table to the report: the cost of credit-based flow control at
// both ends of a link.
func (s *session) credits() error {
	measured, err := s.bothWaysOf(creditSizes(), creditPairs)
	if err != nil {
		return err
	}
	t := s.creditsTable()
	for i, octets := range creditSizes() {
		for k, p := range creditPairs() {
			t.Add(creditRow(measured[i], s.cores.prevailing(), octets, k, p.name)...)
		}
	}
	t.Notes = append(t.Notes, s.cores.note())
	s.report.Add(t)
	return nil
}

// creditsTable returns the table without rows.
func (s *session) creditsTable() report.Table {
	return report.Table{
		Name: "credits", Title: "Credit-based flow control, both directions, both ends of a link, a core each",
		Columns: report.Columns("octets", "%d", "daemons", "%s", "Mpps, both ways", "%.2f",
			"CPU ns per frame, both ends", "%.0f", "paired ratio of goodput to CBFC off", "%.2f", "quartiles", "%s",
			"paired ratio of CPU time to CBFC off", "%.2f", "quartiles", "%s", "pairs of windows", "%d"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds or more. The pairs of daemons run in turns, in a different order each "+
				"round, and idle pairs are frozen. %d frames go round on VC 0. ", s.rounds, circulating) + pairedNote,
			"CBFC off: 1 VC. Other rows name the number of VCs, all lossless, with the limits of `auto`. PFC with the " +
				fmt.Sprintf("hosts: the edges trust dot1p and have PFC for priority %d; PFC itself costs CPU time. ", stalledVC) +
				fmt.Sprintf("The VC stopped by both hosts: VC %d, which is full in both directions.", stalledVC),
		},
	}
}

// creditRow returns the cells of one row of the table: pair i of daemons with frames of a size, and the ratios of its
// rate and CPU time to those of the first pair. Only windows measured at the given distance between the CPUs (regime)
// count; if these are too few, all windows do.
func creditRow(t turns[window], in regime, octets, i int, name string) []any {
	rounds, astray := t.count(in, i, 0)
	pps, cpu := t.values(i, rounds, windowPPS), t.values(i, rounds, windowPerFrame)
	toPPS, toCPU := ratios(pps, t.values(0, rounds, windowPPS)), ratios(cpu, t.values(0, rounds, windowPerFrame))
	return []any{octets, name, median(pps) / 1e6, median(cpu), median(toPPS), quartiles(toPPS), median(toCPU),
		quartiles(toCPU), windows(rounds, astray)}
}

// creditPairs returns the pairs of daemons of the table, none started yet: CBFC off, 1, 8 and 32 lossless channels, 8
// with PFC of the hosts, and 8 with PFC where the hosts stall one channel.
func creditPairs() []*pair {
	list := []*pair{creditPair("CBFC off", 0, false, false)}
	for _, n := range creditVCs() {
		list = append(list, creditPair(fmt.Sprintf("%d lossless VCs", n), n, false, false))
	}
	return append(list, creditPair("8 lossless VCs, PFC with the hosts", 8, true, false),
		creditPair("8 lossless VCs, PFC with the hosts, one VC stopped by both hosts", 8, true, true))
}

// creditPair describes two daemons, the ends of a link with vcs lossless virtual channels; 0 is CBFC off. With
// pauses, their edges obey PFC of the hosts; with stalled, the hosts pause the priority of channel stalledVC. No
// daemon is started yet.
func creditPair(name string, vcs int, pauses, stalled bool) *pair {
	c := daemonConfig{llr: "local: true, remote: true", profile: patient}
	if vcs > 0 {
		c.link = ", cbfc: {mode: static, vcs: ["
		for vc := range vcs {
			c.link += fmt.Sprintf("{index: %d, lossless: true}, ", vc)
		}
		c.link += "]}"
	}
	if pauses {
		c.edge = fmt.Sprintf(", qos: {trust: dot1p}, pfc: {mode: static, priorities: [%d], rate: 10Mbps}", stalledVC)
	}
	p := &pair{name: name, isLLR: true, start: func(s *session, _ int) starter { return s.daemons(c) }}
	p.prepare = func() error {
		if err := p.circuit.credited(vcs); err != nil || !stalled {
			return err
		}
		return p.circuit.stall()
	}
	return p
}

// credited waits until the links of both daemons have vcs virtual channels, all of them with credits. With vcs 0 it
// only waits for an answer of each daemon's API.
func (c *circuit) credited(vcs int) error {
	for _, f := range c.devices {
		d := f.(*daemon)
		if err := d.await("credits", func() bool {
			p, err := d.client.Port(context.Background(), "link0")
			return err == nil && (vcs == 0 || p.CBFC != nil && len(p.CBFC.VCs) == vcs &&
				!slices.ContainsFunc(p.CBFC.VCs, noCredits))
		}); err != nil {
			return err
		}
	}
	return nil
}

func noCredits(v api.VirtualChannel) bool { return v.Phase != "lossless" }

// stalls is the time between two pauses by a host. A pause at 10 Mb/s lasts 3.3 s.
const stalls = time.Second

// stall begins to stall virtual channel stalledVC in both directions, until the circuit is closed: each host
// pauses its priority by PFC, and sends frames of the priority, which fill the channel. It does not wait until the
// channel is full.
func (c *circuit) stall() error {
	for _, host := range c.hosts {
		send, err := sender(host, "host0")
		if err != nil {
			return err
		}
		c.stops = append(c.stops, send.keepStopped())
	}
	return nil
}

// raw is a packet socket of a host.
type raw struct{ fd int }

// sender opens a packet socket in namespace ns that sends by an interface there. keepStopped closes it.
func sender(ns *netns.NS, ifname string) (raw, error) {
	index, err := ns.Ifindex(ifname)
	if err != nil {
		return raw{}, err
	}
	r := raw{}
	err = ns.Do(func() (err error) {
		if r.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		return unix.Bind(r.fd, &unix.SockaddrLinklayer{Ifindex: index})
	})
	return r, err
}

// keepStopped starts a goroutine that sends, once a second, a PFC frame for the priority of channel stalledVC and
// 16 frames of this priority. stop ends the goroutine, closes the socket and returns the errors of sending.
func (r raw) keepStopped() (stop func() error) {
	done, ended := make(chan struct{}), make(chan error)
	var pause [wire.MinFrameLen]byte
	f := wire.PFC{Enable: 1 << stalledVC}
	f.Quanta[stalledVC] = 0xFFFF
	wire.PutPFC(pause[:], wire.MAC{2, 0, 0, 0, 0, 9}, f)
	var data [wire.MinFrameLen]byte
	copy(data[:], []byte{2, 0, 0, 0, 0, 8, 2, 0, 0, 0, 0, 9, 0x81, 0, stalledVC << 5, 0})
	binary.BigEndian.PutUint16(data[16:], wire.EtherTypeLLDP-1)
	go func() {
		var err error
		for running := true; running; {
			_, pauseErr := unix.Write(r.fd, pause[:])
			for range 16 {
				_, dataErr := unix.Write(r.fd, data[:])
				err = errors.Join(err, dataErr)
			}
			err = errors.Join(err, pauseErr)
			select {
			case <-done:
				running = false
			case <-time.After(stalls):
			}
		}
		ended <- errors.Join(err, unix.Close(r.fd))
	}()
	return func() error { close(done); return <-ended }
}
