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
	s.Group("negotiation", l.modes.PassState)
	snapshot.Number(s, "pace_limit", &l.pace.limit)
	snapshot.Number(s, "pace_apart", &l.pace.apart)
	snapshot.Number(s, "pace_run", &l.pace.run)
	snapshot.Number(s, "fresh", &l.fresh)
	snapshot.Number(s, "replayed", &l.replayed)
	s.Bool("queued", &l.queued)
	snapshot.Number(s, "at_once", &l.atOnce)
	s.Bool("holding", &l.Holding)
	s.Bool("refusing", &l.refusing)
	s.Struct("agreed", &l.agreed)
	snapshot.Number(s, "transmitter", &l.transmitter)
	snapshot.Number(s, "receiver", &l.receiver)
	s.Struct("self", &l.self)
	s.Bool("shim_only", &l.shimOnly)
	l.passLengths(s)
	l.passPartner(s)
	l.passCredits(s)
	from := 0
	for i, t := range l.sources {
		if t == l.dataFrom {
			from = i + 1
		}
	}
	snapshot.Number(s, "data_from", &from)
	if s.Check(from >= 0 && from <= len(l.sources), "data from queue %d", from-1); s.Restoring() && s.Valid() && from > 0 {
		l.dataFrom = l.sources[from-1]
	}
	snapshot.Number(s, "heard", &l.Heard)
	s.Group("told", l.last.passState)
	snapshot.Number(s, "told_to", &l.reportedTo)
	snapshot.Number(s, "stall_since", &l.stallSince)
	s.Check(l.LLR.Rx.CountKept()+len(l.buffered.free) == len(l.buffered.frames), "%d frames are kept", l.LLR.Rx.CountKept())
	if s.Restoring() {
		l.offerReplay()       // by the settings and sockets of this process
		l.keepPlace()         // which may be another file now
		l.LLR.Rx.KeepFrames() // Settle has forwarded all frames
	}
	s.Check(l.transmitter <= negotiation.Retiring && l.receiver <= negotiation.Retiring, "LLR modes %d and %d",
		l.transmitter, l.receiver)
}

// passLengths saves the link's frame lengths, shim and outer addresses to a snapshot, or restores them.
func (l *Link) passLengths(s *snapshot.State) {
	snapshot.Number(s, "carries", &l.Carries)
	snapshot.Number(s, "longest", &l.longest)
	snapshot.Number(s, "takes", &l.takes)
	snapshot.Number(s, "most", &l.most)
	snapshot.Number(s, "channels", &l.channels)
	s.Struct("shim", &l.shim)
	snapshot.Numbers(s, "outer", l.outer[:])
	snapshot.Numbers(s, "control_to", l.controlTo[:])
	snapshot.Numbers(s, "other_station", l.otherStation[:])
	snapshot.Number(s, "calm_at", &l.calmAt)
	snapshot.Number(s, "other_seen", &l.otherSeen)
	snapshot.Number(s, "other_at", &l.otherAt)
	snapshot.Numbers(s, "sent_to", l.sentTo[:])
	s.Check(l.channels >= 0 && l.channels < len(l.unacked), "%d channels", l.channels)
}

// passPartner saves to a snapshot, or restores, which end of the link is away for a restart and since when, results
// of LLDP postponed meanwhile, and flushes.
func (l *Link) passPartner(s *snapshot.State) {
	s.Bool("introduces", &l.introduces)
	s.Bool("away", &l.away)
	s.Bool("leaving", &l.leaving.on)
	snapshot.Number(s, "leaving_since", &l.leaving.since)
	snapshot.Number(s, "leaving_back", &l.leaving.back)
	s.Bool("resumes", &l.resumes)
	s.Struct("past", &l.past)
	s.Struct("postponed", &l.postponed)
	snapshot.Number(s, "postponed_to", &l.postponedTo)
	snapshot.Number(s, "drain", &l.drain)
	snapshot.Number(s, "flushes", &l.flushes)
	snapshot.Text(s, "flushed", &l.flushed)
}

// passCredits saves the link's own state of credits, beside that of the CBFC machine, to a snapshot, or restores it.
func (l *Link) passCredits(s *snapshot.State) {
	s.Bool("credit_on", &l.credit.on)
	snapshot.Number(s, "credit_switched", &l.credit.switched)
	snapshot.Number(s, "credit_asked", &l.credit.asked)
	s.Struct("credit_trouble", &l.creditsTold.trouble)
	snapshot.Number(s, "credit_lossless", &l.credit.lossless)
	snapshot.Number(s, "credit_leaves", &l.credit.leaves)
	s.Struct("env", &l.env)
	snapshot.Numbers(s, "unacked", l.unacked[:])
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
	s.Group("scheduler", p.sched.PassState)
	s.Bool("pfc", &p.pause.on)
	s.Group("pauser", p.pause.pauser.PassState)
	s.Group("paused", p.pause.paused.PassState)
	snapshot.Number(s, "pfc_known", &p.pause.reported)
	snapshot.Number(s, "pfc_stuck", &p.pause.stuck)
	snapshot.Number(s, "pfc_long", &p.pause.long)
	s.Struct("dcb", &p.DCB)
	s.Bool("up", &p.up)
	s.Bool("stalled", &p.stalled)
	snapshot.Numbers(s, "mac", p.mac[:])
	snapshot.Number(s, "mtu", &p.MTU)
	snapshot.Number(s, "speed", &p.speed)
	s.Group("still", p.standstill.passState)
	s.Group("drops_leaving", p.drops.leaving.passState)
	s.Group("drops_entering", p.drops.entering.passState)
	s.Group("drops_long", p.drops.long.passState)
	s.Group("drops_changed", p.drops.changed.passState)
	s.Group("drops_link_end", p.drops.linkEnd.passState)
	s.Struct("stops_told", &p.stopsTold)
	s.Group("drops_vlan", p.drops.vlan.PassState)
	snapshot.Number(s, "drops_no_vlan", &p.drops.noVLAN)
	snapshot.Number(s, "drops_last_vlan", &p.drops.lastVLAN)
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
		p.shaped = p.settings.Scheduler.Rate > 0
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
		s.Check(uint64(lengths[i]) <= t.size && vcs[i] <= uint8(len(Link{}.unacked)-1), "slot %d: %d octets, VC %d", i,
			lengths[i], vcs[i])
	}
	if n > 0 {
		t.refill()
	}
}
