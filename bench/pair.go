package main

import (
	"errors"
	"fmt"

	"uelink/netns"
)

// pair is what is measured as both ends of a link.
type pair struct {
	name    string
	links   int
	start   func(s *session, mbuf int) starter
	isLLR   bool
	prepare func() error // before frames go round; nil: nothing
	circuit *circuit
	came    uint64 // data frames that came while it was measured, with LLR
	twice   uint64 // those of them that had come before
}

// pairs are testpmd, then uelink, with one link.
func pairs() []*pair { return []*pair{testpmdPair(1), offPair(1), llrPair(1)} }

func testpmdPair(links int) *pair {
	return &pair{name: "testpmd", links: links, start: func(s *session, mbuf int) starter {
		return func(ns *netns.NS, cpu int) (forwarder, error) {
			return s.startTestpmd(ns, cpu, mbuf, ports(links)...)
		}
	}}
}

func offPair(links int) *pair {
	return &pair{name: "uelink, LLR off", links: links, start: uelinkPair("local: false, remote: false", links)}
}

func llrPair(links int) *pair {
	return &pair{name: "uelink", links: links, start: uelinkPair("local: true, remote: true", links), isLLR: true}
}

func uelinkPair(llr string, links int) func(*session, int) starter {
	return func(s *session, _ int) starter {
		return s.daemons(daemonConfig{llr: llr, profile: patient, links: links})
	}
}

// ports are the interfaces of a forwarder with so many links, an edge before its link.
func ports(links int) (names []string) {
	for i := range links {
		names = append(names, nth("edge", i), nth("link", i))
	}
	return names
}

// daemons starts the daemon that is measured, the first of --uelinkd.
func (s *session) daemons(c daemonConfig) starter {
	return func(ns *netns.NS, cpu int) (forwarder, error) {
		return startDaemon(ns, cpu, s.newDir(), s.uelinkds[0], c)
	}
}

// eager is patient with a replay timer of a few rounds: an LLR_NACK that is lost
// costs the timer.
const eager = patient + ", max_replay_timer: 500us"

// reliable is a daemon with LLR both ways.
func reliable(profile string) daemonConfig {
	return daemonConfig{llr: "local: true, remote: true", profile: profile}
}

// open puts both ends of a pair to work on frames that go round, and freezes them.
func (p *pair) open(s *session, name string, frames, octets int) (err error) {
	if p.circuit, err = newDirect(name, p.links); err != nil {
		return err
	}
	if err := p.circuit.start(p.start(s, mbufFor(octets))); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if p.isLLR {
		if err := p.circuit.up(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	defer p.circuit.freeze()
	if p.prepare != nil {
		if err := p.prepare(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return p.circuit.settle(frames, octets)
}

// close makes sure that no frame was lost, if all went well before.
func (p *pair) close(before error) (err error) {
	if p.circuit == nil {
		return nil
	}
	p.circuit.thaw()
	if before == nil {
		err = p.circuit.drain()
	}
	if err = errors.Join(err, p.circuit.close()); err != nil {
		err = fmt.Errorf("%s: %w", p.name, err)
	}
	p.circuit = nil
	return err
}

// sideBySide has pairs carry frames that go round, so many on each link, in turns.
func (s *session) sideBySide(list []*pair, frames, octets int) (t turns[window], err error) {
	defer func() {
		for _, p := range list {
			err = errors.Join(err, p.close(err))
		}
	}()
	for i, p := range list {
		if err := p.open(s, fmt.Sprint(i), frames, octets); err != nil {
			return t, err
		}
	}
	return inTurns(s, len(list), s.rounds, func(i, _ int) (window, error) {
		w, err := list[i].turn(s)
		if err != nil {
			err = fmt.Errorf("%s: %w", list[i].name, err)
		}
		return w, err
	})
}

// Figures of a window.
func windowPPS(w window) float64      { return w.pps() }
func windowPerFrame(w window) float64 { return w.perFrame() }

func (p *pair) turn(s *session) (w window, err error) {
	p.circuit.thaw()
	defer p.circuit.freeze()
	if err := p.circuit.moving(); err != nil {
		return w, err
	}
	if !p.isLLR {
		return p.circuit.watch(s.over)
	}
	came, twice, err := p.circuit.received()
	if err != nil {
		return w, err
	}
	if w, err = p.circuit.watch(s.over); err != nil {
		return w, err
	}
	cameNow, twiceNow, err := p.circuit.received()
	p.came, p.twice = p.came+cameNow-came, p.twice+twiceNow-twice
	return w, err
}
