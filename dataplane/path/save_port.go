package path

import (
	"strconv"

	"uelink/internal/snapshot"
)

// passState saves what events have last reported about a virtual channel to a snapshot, or restores it.
func (c *channelReport) passState(s *snapshot.State) {
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
// Domain.PassState saves.
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
	s.Group("drops_leaving", p.findings.drops.leaving.PassState)
	s.Group("drops_entering", p.findings.drops.entering.PassState)
	s.Group("drops_long", p.findings.drops.long.PassState)
	s.Group("drops_changed", p.findings.drops.changed.PassState)
	s.Group("drops_link_end", p.findings.drops.linkEnd.PassState)
	s.Struct("stops_told", &p.findings.reportedStops)
	s.Group("drops_vlan", p.findings.drops.vlan.PassState)
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
	s.Check(n == len(t.state), "the handed-over state has %d TX slots, the devices of this process have %d",
		n, len(t.state))
	t.Posted = 0
	for i := range t.state {
		t.state[i] = slotState{len: lengths[i], posted: posted[i], unacked: unacked[i] != 0, vc: vcs[i]}
		t.Posted += int(posted[i])
		s.Check(uint64(lengths[i]) <= t.size && vcs[i] <= uint8(len(Link{}.account.unacked)-1),
			"TX slot %d has %d octets for VC %d: the octets or the VC are out of range", i,
			lengths[i], vcs[i])
	}
	if n > 0 {
		t.refill()
	}
}

// passQueues saves to snapshot s, or restores from it, the frames that wait for a port, queue by queue, first in
// first out.
func (p *Port) passQueues(d *Domain, s *snapshot.State) {
	snapshot.Number(s, "shut", &p.egress.shut)
	snapshot.Number(s, "halted", &p.egress.halted)
	for i := range p.egress.queues {
		s.Group(strconv.Itoa(i), func(s *snapshot.State) { p.passQueue(d, s, uint8(i)) })
	}
}

// passQueue saves to snapshot s, or restores from it, the frames that wait in one queue of a port.
func (p *Port) passQueue(d *Domain, s *snapshot.State, number uint8) {
	q := &p.egress.queues[number]
	snapshot.Number(s, "bound", &q.bound)
	list := make([]entry, 0, q.length)
	for i, left := q.head, q.length; left > 0; left-- {
		list = append(list, d.entries.all[i])
		i = d.entries.all[i].next
	}
	watermark := q.watermark
	snapshot.List(s, "frames", &list, len(d.entries.all), func(s *snapshot.State, e *entry) { e.passState(s) })
	snapshot.Number(s, "watermark", &watermark)
	if !s.Restoring() || !s.Valid() {
		return
	}
	for i := range list {
		e := &list[i]
		ok := int(e.source) < len(d.sources) && d.sources[e.source] != nil && d.entries.left > 0 &&
			int(e.addr)+int(e.length) <= len(d.sources[e.source].area) && d.sources[e.source].holds(uint64(e.addr))
		if s.Check(ok, "frame %d: RX queue %d, address %d, %d octets: out of range", i, e.source, e.addr, e.length); !ok {
			return
		}
		at, f := d.entries.take(e.reserved)
		e.reserved, e.next = f.reserved, 0
		*f = *e
		q.push(&d.entries, at)
		p.egress.waiting++
		p.egress.filled |= 1 << number
	}
	q.watermark = watermark
}

// passState saves a waiting frame to a snapshot, or restores it: the chunk it lies in, and the changes to make when
// it is sent.
func (e *entry) passState(s *snapshot.State) {
	snapshot.Number(s, "addr", &e.addr)
	snapshot.Number(s, "length", &e.length)
	snapshot.Number(s, "source", &e.source)
	s.Struct("retag", &e.retag)
	s.Bool("kept", &e.reserved)
	snapshot.Number(s, "trim_ip", &e.trim.ip)
	snapshot.Number(s, "trim_dscp", &e.trim.dscp)
	snapshot.Number(s, "trim_queue", &e.trim.queue)
}
