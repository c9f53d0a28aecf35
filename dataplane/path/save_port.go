package path

import (
	"strconv"

	"uelink/dataplane/negotiation"
	"uelink/internal/snapshot"
)

// passState saves the state of a link to a snapshot, or restores it, except the state that Port.PassState covers.
func (l *Link) passState(s *snapshot.State) {
	s.Group("llr", l.LLR.PassState)
	s.Group("cbfc", l.cbfc.PassState)
	s.Group("partner", l.Partner.PassState)
	s.Group("negotiation", l.modes.machine.PassState)
	snapshot.Number(s, "pace_limit", &l.pace.limit)
	snapshot.Number(s, "pace_apart", &l.pace.apart)
	snapshot.Number(s, "pace_run", &l.pace.run)
	snapshot.Number(s, "fresh", &l.pace.fresh)
	snapshot.Number(s, "replayed", &l.pace.replayed)
	s.Bool("queued", &l.pace.queued)
	snapshot.Number(s, "at_once", &l.pace.atOnce)
	s.Bool("holding", &l.pushback.holding)
	s.Bool("refusing", &l.pushback.refusing)
	s.Struct("agreed", &l.modes.agreed)
	snapshot.Number(s, "transmitter", &l.modes.transmitter)
	snapshot.Number(s, "receiver", &l.modes.receiver)
	s.Struct("self", &l.self)
	s.Bool("shim_only", &l.addressing.shimOnly)
	l.passLengths(s)
	l.passPartner(s)
	l.passCredits(s)
	from := 0
	for i, t := range l.Port.sources {
		if t == l.dataFrom {
			from = i + 1
		}
	}
	snapshot.Number(s, "data_from", &from)
	if s.Check(from >= 0 && from <= len(l.Port.sources), "data from queue %d", from-1); s.Restoring() && s.Valid() &&
		from > 0 {
		l.dataFrom = l.Port.sources[from-1]
	}
	snapshot.Number(s, "heard", &l.Heard)
	s.Group("told", l.reports.last.passState)
	snapshot.Number(s, "told_to", &l.reports.reportedTo)
	snapshot.Number(s, "stall_since", &l.reports.stallSince)
	s.Check(l.LLR.Rx.CountKept()+len(l.buffered.free) == len(l.buffered.frames), "%d frames are kept", l.LLR.Rx.CountKept())
	if s.Restoring() {
		l.offerReplay()       // by the settings and sockets of this process
		l.keepPlace()         // which may be another file now
		l.LLR.Rx.KeepFrames() // Settle has forwarded all frames
	}
	s.Check(l.modes.transmitter <= negotiation.Retiring && l.modes.receiver <= negotiation.Retiring, "LLR modes %d and %d",
		l.modes.transmitter, l.modes.receiver)
}

// passLengths saves the link's frame lengths, shim and outer addresses to a snapshot, or restores them.
func (l *Link) passLengths(s *snapshot.State) {
	snapshot.Number(s, "carries", &l.Lengths.Carries)
	snapshot.Number(s, "longest", &l.Lengths.longest)
	snapshot.Number(s, "takes", &l.Lengths.takes)
	snapshot.Number(s, "most", &l.Lengths.most)
	snapshot.Number(s, "channels", &l.channels)
	s.Struct("shim", &l.addressing.shim)
	snapshot.Numbers(s, "outer", l.addressing.outer[:])
	snapshot.Numbers(s, "control_to", l.addressing.controlTo[:])
	snapshot.Numbers(s, "other_station", l.strangers.otherStation[:])
	snapshot.Number(s, "calm_at", &l.reports.calmAt)
	snapshot.Number(s, "other_seen", &l.strangers.otherSeen)
	snapshot.Number(s, "other_at", &l.strangers.otherAt)
	snapshot.Numbers(s, "sent_to", l.strangers.sentTo[:])
	s.Check(l.channels >= 0 && l.channels < len(l.account.unacked), "%d channels", l.channels)
}

// passPartner saves to a snapshot, or restores, which end of the link is away for a restart and since when, results
// of LLDP postponed meanwhile, and flushes.
func (l *Link) passPartner(s *snapshot.State) {
	s.Bool("introduces", &l.absence.introduces)
	s.Bool("away", &l.absence.away)
	s.Bool("leaving", &l.absence.leaving.on)
	snapshot.Number(s, "leaving_since", &l.absence.leaving.since)
	snapshot.Number(s, "leaving_back", &l.absence.leaving.back)
	s.Bool("resumes", &l.bookmark.resumes)
	s.Struct("past", &l.bookmark.past)
	s.Struct("postponed", &l.modes.postponed)
	snapshot.Number(s, "postponed_to", &l.absence.postponedTo)
	snapshot.Number(s, "drain", &l.modes.drain)
	snapshot.Number(s, "flushes", &l.reports.flushes)
	snapshot.Text(s, "flushed", &l.reports.flushed)
}

// passCredits saves the link's own state of credits, beside that of the CBFC machine, to a snapshot, or restores it.
func (l *Link) passCredits(s *snapshot.State) {
	s.Bool("credit_on", &l.credit.on)
	snapshot.Number(s, "credit_switched", &l.credit.switched)
	snapshot.Number(s, "credit_asked", &l.credit.asked)
	s.Struct("credit_trouble", &l.creditsTold.trouble)
	snapshot.Number(s, "credit_lossless", &l.credit.lossless)
	snapshot.Number(s, "credit_leaves", &l.credit.leaves)
	s.Struct("env", &l.account.env)
	snapshot.Numbers(s, "unacked", l.account.unacked[:])
	t := &l.creditsTold
	snapshot.Number(s, "credits_moving", &t.moving)
	snapshot.Number(s, "credits_counted", &t.counted)
	snapshot.Number(s, "credits_at", &t.at)
	snapshot.Number(s, "credits_losses", &t.losses)
	s.Bool("credits_live", &t.live)
	s.Group("credits_too_long", t.tooLong.PassState)
	for vc := range t.vc {
		s.Group("credits"+strconv.Itoa(vc), t.vc[vc].passState)
	}
}

// passState saves what events have last reported about a virtual channel to a snapshot, or restores it.
func (c *channelTold) passState(s *snapshot.State) {
	snapshot.Number(s, "phase", &c.phase)
	snapshot.Number(s, "failure", &c.failure)
	snapshot.Number(s, "why", &c.named)
	snapshot.Number(s, "timeouts", &c.timeouts)
	s.Group("overruns", c.overruns.PassState)
	snapshot.Number(s, "drift_seen", &c.drift.seen)
	s.Bool("drift_excused", &c.drift.excused)
	s.Bool("drift_suspect", &c.drift.suspect)
	s.Bool("drift_told", &c.drift.reported)
	snapshot.Number(s, "drift_at", &c.drift.at)
}

// passState saves what events have last reported about a link to a snapshot, or restores it.
func (r *reported) passState(s *snapshot.State) {
	snapshot.Number(s, "tx", &r.tx)
	s.Bool("rx_off", &r.rxOff)
	s.Bool("known", &r.hasPartner)
	snapshot.Number(s, "start", &r.start)
	snapshot.Number(s, "problem", &r.problem)
	snapshot.Number(s, "flushes", &r.flushes)
	snapshot.Number(s, "reinits", &r.reinits)
	s.Bool("stalled", &r.stalled)
	s.Bool("busy", &r.busy)
	s.Bool("away", &r.away)
	snapshot.Numbers(s, "mac", r.mac[:])
	s.Bool("other", &r.other)
}

// PassState saves the state of a port to a snapshot, or restores it, without its waiting frames, which
// Domain.PassState covers.
func (p *Port) PassState(s *snapshot.State) {
	s.Group("scheduler", p.egress.sched.PassState)
	s.Bool("pfc", &p.pause.on)
	s.Group("pauser", p.pause.pauser.PassState)
	s.Group("paused", p.pause.paused.PassState)
	snapshot.Number(s, "pfc_known", &p.pause.reported)
	snapshot.Number(s, "pfc_stuck", &p.pause.stuck)
	snapshot.Number(s, "pfc_long", &p.pause.long)
	s.Struct("dcb", &p.DCB)
	s.Bool("up", &p.iface.up)
	s.Bool("stalled", &p.stalled)
	snapshot.Numbers(s, "mac", p.iface.mac[:])
	snapshot.Number(s, "mtu", &p.MTU)
	snapshot.Number(s, "speed", &p.iface.speed)
	s.Group("still", p.findings.standstill.passState)
	s.Group("drops_leaving", p.findings.drops.leaving.passState)
	s.Group("drops_entering", p.findings.drops.entering.passState)
	s.Group("drops_long", p.findings.drops.long.passState)
	s.Group("drops_changed", p.findings.drops.changed.passState)
	s.Group("drops_link_end", p.findings.drops.linkEnd.passState)
	s.Struct("stops_told", &p.findings.stopsTold)
	s.Group("drops_vlan", p.findings.drops.vlan.passState)
	snapshot.Number(s, "drops_no_vlan", &p.findings.drops.noVLAN)
	snapshot.Number(s, "drops_last_vlan", &p.findings.drops.lastVLAN)
	s.Struct("counters", &p.Counters)
	s.Struct("queue_counters", &p.egress.counters)
	s.Group("slots", p.Slots.passState)
	if p.Link != nil {
		s.Group("link", p.Link.passState)
	}
	if p.HIPPI != nil {
		s.Group("hippi", p.HIPPI.passState)
	}
	if s.Restoring() && s.Valid() {
		p.settings = p.DCB.Operative(p.settings)
		p.egress.shaped = p.settings.Scheduler.Rate > 0
		p.setMTU(p.MTU)
	}
}

// passState saves the state of an edge port's standstill (its host accepts no frames) to a snapshot, or restores it.
func (t *standstill) passState(s *snapshot.State) {
	snapshot.Number(s, "since", &t.since)
	snapshot.Number(s, "frames", &t.frames)
	snapshot.Number(s, "wait", &t.wait)
	s.Bool("stands", &t.stands)
	s.Bool("told", &t.reported)
}

// passState saves which TX slots are in use, posted to the kernel or held by LLR for a replay, to a snapshot, or
// restores that. All other slots are free.
func (t *slots) passState(s *snapshot.State) {
	n := len(t.state)
	lengths, posted, unacked, vcs := make([]uint32, n), make([]uint16, n), make([]uint8, n), make([]uint8, n)
	for i, st := range t.state {
		if st.unacked || st.posted > 0 {
			lengths[i], posted[i], vcs[i] = st.len, st.posted, st.vc
		}
		if st.unacked {
			unacked[i] = 1
		}
	}
	snapshot.Number(s, "slots", &n)
	snapshot.Numbers(s, "len", lengths)
	snapshot.Numbers(s, "posted", posted)
	snapshot.Numbers(s, "held", unacked)
	snapshot.Numbers(s, "vc", vcs)
	if !s.Restoring() {
		return
	}
	s.Check(n == len(t.state), "%d slots, the devices have %d", n, len(t.state))
	t.Posted = 0
	for i := range t.state {
		t.state[i] = slotState{len: lengths[i], posted: posted[i], unacked: unacked[i] != 0, vc: vcs[i]}
		t.Posted += int(posted[i])
		s.Check(uint64(lengths[i]) <= t.size && vcs[i] <= uint8(len(Link{}.account.unacked)-1),
			"slot %d: %d octets, VC %d", i,
			lengths[i], vcs[i])
	}
	if n > 0 {
		t.refill()
	}
}
