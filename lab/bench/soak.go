package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/dataplane/fault"
	"uelink/lab/bench/report"
)

// soakWire returns the faults of the wire of the soak: it loses 1 in 1000 frames in bursts of 8, and damages 1 in
// 10,000.
func soakWire() fault.Config { return fault.Config{Loss: 1e-3, Burst: 8, Corrupt: 1e-4, Seed: 1} }

// soakOctets is the length of the frames of the soak.
const soakOctets = 256

// soak runs the experiment "soak" and adds its table to the report: two daemons deliver --frames frames over a bad
// wire. A frame that is lost, comes twice or out of order is an error.
func (s *session) soak() (err error) {
	c, err := s.wired("soak", s.replaying(patient))
	defer func() { err = errors.Join(err, c.close()) }()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := s.soakUntil(c); err != nil {
		return err
	}
	took := time.Since(began)
	delivered, err := s.settled(c)
	if err != nil {
		return err
	}
	t := s.soakTable()
	t.Add(delivered, 0, 0, took.Minutes())
	s.report.Add(t)
	return nil
}

func (s *session) soakTable() report.Table {
	bad := soakWire()
	return report.Table{Name: "soak", Title: "Soak", Columns: report.Columns("frames delivered", "%d", "lost", "%d",
		"twice or out of order", "%d", "minutes", "%.1f"),
		Notes: []string{fmt.Sprintf("%d frames of %d octets go round through two daemons over a wire that loses %g "+
			"of all frames in bursts of %g and damages %g. Profile: `%s`.",
			circulating, soakOctets, bad.Loss, bad.Burst, bad.Corrupt, s.replaying(patient))}}
}

// soakUntil puts the bad wire between the two daemons of a circuit, starts the circulation of frames, and takes the
// wire out again when --frames frames have arrived. It returns an error when a frame came out of order or twice, or the
// session was interrupted.
func (s *session) soakUntil(c *circuit) (err error) {
	pull, err := c.plug(soakWire())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pull()) }()
	if err := c.up(); err != nil {
		return err
	}
	if err := c.feed(circulating, soakOctets); err != nil {
		return err
	}
	for {
		w, err := c.watch(soakReport)
		if err != nil {
			return err
		}
		m, err := c.now()
		if err != nil || m.wrong > 0 {
			return errors.Join(err, c.inOrder())
		}
		s.progress("  %d of %d frames, %.2f Mpps", m.frames, s.frames, w.pps()/1e6)
		if err := s.Err(); err != nil || m.frames >= s.frames {
			return err
		}
	}
}

// soakReport is the time between two progress lines.
const soakReport = 10 * time.Second
