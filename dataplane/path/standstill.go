package path

import (
	"time"

	"uelink/dataplane/model"
	"uelink/wire"
)

// standstillAfter is the time without a sent frame, while frames wait, after which a port counts as standing still.
const standstillAfter = 2 * time.Millisecond

// standstill detects that the host of an edge port accepts no frames.
type standstill struct {
	since    wire.Time // time when a frame began to wait, or of the last frame sent; 0 = no frame waits
	frames   uint64    // TxFrames at the last look
	wait     int       // frames waiting when the standstill began
	stands   bool      // the port stands still
	reported bool      // the standstill was reported by an event
}

// judge updates whether an edge port stands still: its host has accepted no frame for the time standstillAfter while
// frames wait. The standstill ends when half of the waiting frames have left.
func (p *Port) judge(now wire.Time) {
	s := &p.findings.standstill
	if p.egress.waiting == 0 && s.since == 0 || p.Suspended {
		return
	}
	moved := p.Counters.TxFrames != s.frames
	s.frames = p.Counters.TxFrames
	switch {
	case p.egress.filled&^p.settings.Stops.Stopped == 0: // no frame waits for the host
		*s = standstill{frames: s.frames, reported: s.reported}
	case s.stands:
		s.stands = 2*p.egress.waiting > s.wait
	case moved || s.since == 0:
		s.since = max(now, 1)
	case now.Sub(s.since) >= standstillAfter:
		s.stands, s.wait = true, p.egress.waiting
	}
}

// reportStill publishes an event when the host of an edge port stops accepting frames, or accepts frames again.
func (p *Port) reportStill(h *model.Hub) {
	if p.findings.standstill.stands == p.findings.standstill.reported {
		return
	}
	p.findings.standstill.reported = p.findings.standstill.stands
	text := "the host takes frames again"
	switch {
	case p.findings.standstill.stands && p.Other != nil:
		text = "the host takes no frames: does it, or a device behind it, stand still? The partner of the link is told to " +
			"wait"
	case p.findings.standstill.stands:
		text = "the host takes no frames: does it, or a device behind it, stand still? Frames that have no room to wait " +
			"are dropped"
	}
	h.PublishAt(model.WarnIf(p.findings.standstill.stands), p.settings.Name, model.EventStandstill, text)
}
