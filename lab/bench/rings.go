package main

import (
	"errors"
	"fmt"
	"math"
	"time"

	"uelink/internal/netns"
)

// testpmdRings returns the ring sizes of testpmd that are tried out, in descriptors. 0 is testpmd's default.
func testpmdRings() []int { return []int{0, 512} }

// Windows in which each ring size of testpmd is tried.
const (
	ringWindows      = 5                      // number of windows
	quickRingWindows = 2                      // number of windows with --quick
	ringOver         = 200 * time.Millisecond // length of a window
)

// ringTrial is the fastest ring size, and its rate as a multiple of the default's.
type ringTrial struct {
	rings int
	gain  float64
}

// startTestpmd starts a testpmd over interfaces of a namespace, on a CPU, with buffers of mbuf octets and the ring
// size that is fastest for them. The first call for each buffer size tries all ring sizes.
func (s *session) startTestpmd(ns *netns.NS, cpu, mbuf int, ports ...string) (*process, error) {
	best, tried := s.testpmd.rings[mbuf]
	if !tried {
		if err := s.cores.aside(func() (err error) { best, err = s.tryRings(mbuf); return err }); err != nil {
			return nil, fmt.Errorf("trial of testpmd's rings: %w", err)
		}
		if s.testpmd.rings == nil {
			s.testpmd.rings = map[int]ringTrial{}
		}
		s.testpmd.rings[mbuf] = best
	}
	return s.testpmd.start(ns, cpu, mbuf, best.rings, ports...)
}

// tryRings measures testpmd with buffers of mbuf octets and each ring size, side by side, and returns the fastest
// ring size.
func (s *session) tryRings(mbuf int) (best ringTrial, err error) {
	s.progress("  testpmd's rings, buffers of %d octets", mbuf)
	lanes, err := s.open(s.ringCandidates(mbuf))
	defer func() { err = errors.Join(err, closeLanes(lanes)) }()
	if err != nil {
		return best, err
	}
	e := effort{windows: ringWindows, over: ringOver}
	if s.quick {
		e.windows = quickRingWindows
	}
	var pps [][]float64
	for _, octets := range tableSizes() {
		if mbufFor(octets) != mbuf {
			continue
		}
		r, err := s.race(lanes, octets, e)
		if err != nil {
			return best, err
		}
		pps = append(pps, r.medians(s.cores.prevailing()))
	}
	i, gain := fastest(pps)
	return ringTrial{testpmdRings()[i], gain}, nil
}

// ringCandidates returns one testpmd with buffers of mbuf octets for each ring size, in the order of testpmdRings.
// Nothing is started yet.
func (s *session) ringCandidates(mbuf int) (list []oneWay) {
	for _, rings := range testpmdRings() {
		list = append(list, oneWay{name: fmt.Sprintf("testpmd, rings %d", rings), load: plainLoad,
			start: func(b *bed, _ string) (forwarder, error) {
				return s.testpmd.start(b.device, deviceCPU, mbuf, rings, "edge0", "link0")
			}})
	}
	return list
}

// fastest returns the index of the candidate with the highest rates, and the geometric mean of its ratios to the
// first candidate (1 if none is faster). pps has, for each load, the rate of each candidate.
func fastest(pps [][]float64) (best int, gain float64) {
	gain = 1
	for i := range pps[0] {
		product := 1.0
		for _, rates := range pps {
			product *= rates[i] / rates[0]
		}
		if mean := math.Pow(product, 1/float64(len(pps))); mean > gain {
			best, gain = i, mean
		}
	}
	return best, gain
}

// ringsNote returns a note for a table, as text: which ring sizes testpmd had, and how much faster they are than
// its default.
func (s *session) ringsNote() string {
	text := "A trial in the same run chose the fastest ring sizes for testpmd:"
	for _, pool := range []struct {
		mbuf    int
		lengths string
	}{{defaultMbuf, "frames up to %d octets"}, {largeMbuf, "frames above %d octets"}} {
		best, tried := s.testpmd.rings[pool.mbuf]
		if !tried {
			continue
		}
		lengths := fmt.Sprintf(pool.lengths, defaultMbuf-mbufHead)
		if best.rings == 0 {
			text += fmt.Sprintf(" the default for %s;", lengths)
		} else {
			text += fmt.Sprintf(" `--rxd=%[1]d --txd=%[1]d` for %s (%.2f times the rate of the default);",
				best.rings, lengths, best.gain)
		}
	}
	return text[:len(text)-1] + "."
}
