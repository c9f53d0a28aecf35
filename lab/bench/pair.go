package main

import (
	"errors"
	"fmt"

	"uelink/internal/netns"
)

// pair is two forwarders, measured as both ends of a link.
type pair struct {
	name    string
	start   func(s *session, mbuf int) starter // mbuf: octets of testpmd's buffers; daemons ignore it
	isLLR   bool
	prepare func() error // called before frames circulate; may be nil
	circuit *circuit
}

// pairs returns the kinds of whole links that the benchmark's tables compare, each a pair of forwarders joined by a
// wire: two testpmd, two daemons without LLR, two with LLR, two with HIPPI-6400-PH. No process is started yet.
func pairs() []*pair {
	off, llr := uelinkPair("local: false, remote: false"), uelinkPair("local: true, remote: true")
	return []*pair{
		{name: "testpmd", start: func(s *session, mbuf int) starter {
			return func(ns *netns.NS, cpu int) (forwarder, error) {
				return s.startTestpmd(ns, cpu, mbuf, ports(1)...)
			}
		}},
		{name: "uelink, LLR off", start: off},
		{name: "uelink", start: llr, isLLR: true},
		{name: "uelink, hippi6400", start: func(s *session, _ int) starter {
			return s.daemons(daemonConfig{hippi: true, profile: patient})
		}},
	}
}

// uelinkPair returns the function start of a pair of daemons; llr is the text of the keys local and remote of LLR.
func uelinkPair(llr string) func(*session, int) starter {
	return func(s *session, _ int) starter {
		return s.daemons(daemonConfig{llr: llr, profile: patient})
	}
}

// ports returns the names of a forwarder's interfaces for a number of links: edge0, link0, edge1, link1 and so on.
func ports(links int) (names []string) {
	for i := range links {
		names = append(names, nth("edge", i), nth("link", i))
	}
	return names
}

// daemons returns a function that starts a daemon with configuration c; the daemon is the first program of --uelinkd.
func (s *session) daemons(c daemonConfig) starter {
	return func(ns *netns.NS, cpu int) (forwarder, error) {
		return startDaemon(ns, cpu, s.newDir(), s.uelinkds[0], c)
	}
}

// eager is patient with a replay timer of a few round trips, so that losses repaired only by the timer take no longer.
const eager = patient + ", max_replay_timer: 500us"

// replaying returns the text of an LLR profile with the kind of replay of --replay. Without --replay the profile has no
// key replay, which older daemons refuse.
func (s *session) replaying(profile string) string {
	if s.replay == "" {
		return profile
	}
	return profile + ", replay: " + s.replay
}

// reliable returns the configuration of a daemon with LLR both ways. profile is the text of the LLR profile.
func reliable(profile string) daemonConfig {
	return daemonConfig{llr: "local: true, remote: true", profile: profile}
}

// open starts two forwarders as the ends of a link, with a host behind each, starts the circulation of frames of a
// length between the hosts, and freezes both forwarders. name is the prefix of the namespaces.
func (p *pair) open(s *session, name string, frames, octets int) (err error) {
	if p.circuit, err = newDirect(name); err != nil {
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

// close stops both forwarders and removes their namespaces. If before is nil, it first checks that all circulating
// frames are still there, and returns an error if not.
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

// sideBySide starts the pairs of forwarders, measures them in turns, with the given number of frames of a length
// circulating through each, and removes them. It returns the windows by pair and round.
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

// windowPPS returns how many frames a second arrived at the hosts in a window, both ways together.
func windowPPS(w window) float64      { return w.pps() }
func windowPerFrame(w window) float64 { return w.perFrame() }

// turn lets both forwarders run, measures one window, and freezes them again.
func (p *pair) turn(s *session) (w window, err error) {
	p.circuit.thaw()
	defer p.circuit.freeze()
	if err := p.circuit.moving(); err != nil {
		return w, err
	}
	return p.circuit.watch(s.over)
}
