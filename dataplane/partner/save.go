package partner

import (
	"uelink/internal/snapshot"
	"uelink/wire"
)

// PassState saves to snapshot s, or restores from it, the state of the partner and the schedule of this end's
// STATION.
func (p *Partner) PassState(s *snapshot.State) {
	s.Bool("known", &p.present)
	snapshot.Numbers(s, "mac", p.mac[:])
	snapshot.Number(s, "start", &p.start)
	s.Bool("started", &p.started)
	snapshot.Number(s, "last_control", &p.lastControl)
	snapshot.Number(s, "introducing", &p.introducing)
	s.Bool("sends_station", &p.sendsStation)
	s.Struct("reported", &p.reported)
	snapshot.Number(s, "reported_at", &p.reportedAt)
	snapshot.Number(s, "controls", &p.controls)
	s.Bool("shims", &p.shims)
	s.Bool("addressed", &p.addressed)
	snapshot.Number(s, "rested_at", &p.restedAt)
	s.Bool("probed", &p.probed)
	s.Bool("lost", &p.lost)
	s.Bool("native", &p.native)
	s.Bool("pins", &p.pins)
	snapshot.Numbers(s, "pinned", p.pinned[:])
	snapshot.Number(s, "announces", &p.announces)
	snapshot.Number(s, "leave_patience", &p.leave.patience)
	snapshot.Number(s, "leave_until", &p.leave.until)
	s.Group("seen", p.seen.passState)
	snapshot.Number(s, "problem", &p.problem)
	s.Group("station", p.station.passState)
	s.Group("probe", p.probe.passState)
	s.Group("longest", p.longest.passState)
	s.Check(p.problem <= VCsHere, "problem %d", p.problem)
	s.Check(p.start <= wire.StartMask && p.station.start <= wire.StartMask, "start id %d", p.start)
}

// passState saves what was observed of the partner's frames to a snapshot, or restores it.
func (n *seen) passState(s *snapshot.State) {
	s.Bool("silent", &n.silent)
	snapshot.Number(s, "awaits", &n.awaits)
	snapshot.Number(s, "came_back_at", &n.cameBackAt)
	snapshot.Number(s, "same_at", &n.sameAt)
	snapshot.Number(s, "tagged_at", &n.taggedAt)
	snapshot.Number(s, "other_at", &n.otherAt)
	snapshot.Number(s, "ether_type", &n.etherType)
	snapshot.Number(s, "other_data", &n.otherData)
	snapshot.Number(s, "other_start", &n.otherStart)
	snapshot.Numbers(s, "other_mac", n.otherMAC[:])
	s.Bool("dialect", &n.dialect)
	snapshot.Number(s, "without_fcs", &n.withoutFCS)
	snapshot.Number(s, "there_since", &n.thereSince)
	snapshot.Number(s, "here_since", &n.hereSince)
	snapshot.Number(s, "sent", &n.sent)
	snapshot.Number(s, "sent_at", &n.sentAt)
	snapshot.Number(s, "reports", &n.reports)
}

// passState saves to snapshot s, or restores from it, the schedule of this end's STATION.
func (t *station) passState(s *snapshot.State) {
	snapshot.Number(s, "start", &t.start)
	s.Struct("sent", &t.sent)
	s.Bool("ever_sent", &t.everSent)
	snapshot.Number(s, "at", &t.at)
	s.Bool("on", &t.on)
	s.Bool("always", &t.always)
	snapshot.Number(s, "early", &t.early)
	s.Bool("answers", &t.answers)
	s.Bool("requests", &t.requests)
	snapshot.Number(s, "reply_at", &t.replyAt)
}

// passState saves to snapshot s, or restores from it, the search for the longest frame that crosses the wire.
func (p *probe) passState(s *snapshot.State) {
	snapshot.Number(s, "want", &p.want)
	snapshot.Number(s, "takes", &p.takes)
	snapshot.Number(s, "reports", &p.reports)
	snapshot.Number(s, "due", &p.due)
	snapshot.Number(s, "rung", &p.rung)
	snapshot.Number(s, "limit", &p.limit)
	snapshot.Number(s, "rounds", &p.rounds)
	snapshot.Number(s, "since", &p.since)
	snapshot.Number(s, "best", &p.best)
	s.Bool("counts", &p.counts)
	s.Group("acked", p.acked.passState)
	s.Group("weighed", p.weighed.passState)
	s.Check(p.rung >= 0 && p.rounds >= 0, "rung %d, %d rounds", p.rung, p.rounds)
}

// passState saves the evidence about lost probes, taken from the partner's reports, to a snapshot, or restores it.
func (e *evidence) passState(s *snapshot.State) {
	s.Float("bits", &e.bits)
	s.Bool("begun", &e.begun)
	snapshot.Number(s, "before", &e.before)
	snapshot.Number(s, "sent", &e.sent)
	snapshot.Number(s, "rounds", &e.rounds)
	snapshot.Number(s, "last", &e.last)
	snapshot.Numbers(s, "probes", e.probes[:])
	snapshot.Number(s, "n", &e.n)
	s.Check(e.n >= 0 && e.n <= spanProbes, "%d probes", e.n)
}

// passState saves the longest lengths of recently received control frames to a snapshot, or restores them.
func (l *longest) passState(s *snapshot.State) {
	snapshot.Number(s, "begun", &l.begun)
	snapshot.Number(s, "now", &l.now)
	snapshot.Number(s, "previous", &l.previous)
}
