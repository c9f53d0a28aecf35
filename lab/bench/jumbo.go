package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/internal/netns"
	"uelink/lab/bench/report"
	"uelink/lab/traffic"
	"uelink/wire"
)

// jumboMTU is the MTU of the hosts in the experiment "jumbo".
const jumboMTU = 9000

// jumboSizes returns the frame sizes of the table of long frames, in octets without FCS: the longest at an MTU of
// 1500, the longest in one chunk, UE's 4 KiB of payload with headers, and the longest at jumboMTU.
func jumboSizes() []int { return []int{1514, 3800, 4214, jumboMTU + wire.HeaderLen} }

// jumboPath is the forwarders of a row between host A and host B:
//
//	hostA               A               B               hostB
//	host0 ~ edge0 [     ] link0 ~ link0 [     ] edge0 ~ host0
type jumboPath struct {
	name   string
	spaces [4]*netns.NS
	ends   []*daemon // the two daemons; none for the kernel's bridges
}

// jumboPaths returns the kinds of forwarders between two hosts that the table of long frames compares: the
// kernel's bridges, then two daemons without LLR, then two with LLR. Nothing is started yet.
func jumboPaths() []*jumboPath {
	return []*jumboPath{{name: "kernel bridge"}, {name: "uelink, LLR off"}, {name: "uelink"}}
}

// open makes the namespaces and veths of two hosts and two forwarders, starts the forwarders (Linux bridges or
// daemons) and freezes the daemons.
func (p *jumboPath) open(s *session, name string) (err error) {
	for i, part := range []string{"hostA", "A", "B", "hostB"} {
		if p.spaces[i], err = netns.New(name + "-" + part); err != nil {
			return err
		}
	}
	hostA, a, b, hostB := p.spaces[0], p.spaces[1], p.spaces[2], p.spaces[3]
	err = errors.Join(
		netns.Veth(hostA, "host0", a, "edge0", jumboMTU),
		netns.Veth(a, "link0", b, "link0", jumboMTU+wire.Overhead),
		netns.Veth(b, "edge0", hostB, "host0", jumboMTU))
	if err != nil || p.name == "kernel bridge" {
		return errors.Join(err, a.Bridge("br0", 0, "edge0", "link0"), b.Bridge("br0", 0, "edge0", "link0"))
	}
	llr := "local: true, remote: true"
	if p.name == "uelink, LLR off" {
		llr = "local: false, remote: false"
	}
	for cpu, ns := range []*netns.NS{a, b} {
		d, err := startDaemon(ns, cpu, s.newDir(), s.uelinkds[0], daemonConfig{llr: llr, profile: patient})
		if err != nil {
			return err
		}
		p.ends = append(p.ends, d)
		d.freeze()
	}
	return nil
}

// close stops the daemons and removes the namespaces.
func (p *jumboPath) close() (err error) {
	for _, d := range p.ends {
		d.thaw()
		err = errors.Join(err, d.stop())
	}
	for _, ns := range p.spaces {
		if ns != nil {
			err = errors.Join(err, ns.Close())
		}
	}
	return err
}

// carry lets the daemons run, sends numbered frames of a length between the hosts, both ways at once for a while,
// and freezes the daemons again. It returns the goodput of both ways together in bits a second, and an error if a
// frame was not delivered exactly once, in order and unchanged.
func (p *jumboPath) carry(s *session, octets int, over time.Duration) (bps float64, err error) {
	for _, d := range p.ends {
		d.thaw()
		defer d.freeze()
	}
	c := traffic.DefaultConfig()
	c.From = traffic.End{Interface: "host0", NetNS: p.spaces[0].Name(), Label: "hostA"}
	c.To = traffic.End{Interface: "host0", NetNS: p.spaces[3].Name(), Label: "hostB"}
	c.Size, c.Frames, c.Duration, c.Window = fmt.Sprint(octets), 0, over, 64
	r, err := traffic.Run(s, c, nil)
	if err == nil && !r.Clean() {
		err = fmt.Errorf("%s: %d octets: not every frame arrived exactly once, in order and unchanged: %+v",
			p.name, octets, r.Directions)
	}
	for _, d := range r.Directions {
		bps += float64(d.GoodputBPS)
	}
	return bps, err
}

// jumbo runs the experiment "jumbo" and adds its table to the report: frames that fit one chunk of memory, and
// frames that take several, through two daemons and through the kernel's bridges.
func (s *session) jumbo() (err error) {
	paths := jumboPaths()
	defer func() {
		for _, p := range paths {
			err = errors.Join(err, p.close())
		}
	}()
	for i, p := range paths {
		if err := p.open(s, fmt.Sprint("jumbo", i)); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	sizes := jumboSizes()
	t, err := inTurns(s, len(sizes)*len(paths), s.rounds, func(i, _ int) (float64, error) {
		return paths[i%len(paths)].carry(s, sizes[i/len(paths)], s.over)
	})
	if err == nil {
		s.reportJumbo(paths, t)
	}
	return err
}

// jumboTable returns the table without rows.
func (s *session) jumboTable() report.Table {
	return report.Table{
		Name: "jumbo", Title: "Frames in one chunk and in several",
		Columns: report.Columns("octets", "%d", "path", "%s", "Gbit/s", "%.3f", "frames/s", "%.0f",
			"paired ratio of Gbit/s to the kernel's bridge", "%.3f", "quartiles", "%s", "pairs of windows", "%d"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds or more of %v. Paths and sizes come in turns. `uelink traffic` sends "+
				"numbered frames both ways at once, with a window of 64, over three veth pairs; MTU %d. Rates are of both "+
				"directions together. ",
				s.rounds, s.over, jumboMTU) + pairedNote,
			"Sender, receiver and both ends share two cores. A frame above 3840 octets takes several chunks of 4096.",
		},
	}
}

// reportJumbo adds the table to the report: a row for each size and path, with the ratio to the kernel's path.
func (s *session) reportJumbo(paths []*jumboPath, measured turns[float64]) {
	t, in := s.jumboTable(), s.cores.prevailing()
	for i, octets := range jumboSizes() {
		for k, p := range paths {
			contestant, kernel := i*len(paths)+k, i*len(paths)
			rounds, astray := measured.count(in, contestant, kernel)
			self := func(bps float64) float64 { return bps }
			rates := measured.values(contestant, rounds, self)
			to := ratios(rates, measured.values(kernel, rounds, self))
			bps := median(rates)
			t.Add(octets, p.name, bps/1e9, bps/8/float64(octets), median(to), quartiles(to), windows(rounds, astray))
		}
	}
	t.Notes = append(t.Notes, s.cores.note())
	s.report.Add(t)
}
