package llr

import (
	"uelink/internal/snapshot"
	"uelink/wire"
)

// PassState saves to snapshot s, or restores from it, the state of both machines, with the numbers and slots of the
// replay buffer and the counters. The content of the slots belongs to the caller.
func (l *Link) PassState(s *snapshot.State) {
	s.Group("tx", l.Tx.passState)
	s.Group("rx", l.Rx.passState)
	s.Struct("counters", &l.counters)
	snapshot.Number(s, "restarts", &l.restarts)
	s.Check(l.Tx.space == l.Rx.space && l.Tx.space == l.Rx.partner.space && l.Tx.space == l.Tx.hello.space,
		"transmitter, receiver and handshake have different ranges of sequence numbers")
}

// passState saves to snapshot s, or restores from it, the state of the transmitter: each field that the type explains,
// by its name in snapshots. A restored state that cannot be makes the snapshot invalid.
func (t *Tx) passState(s *snapshot.State) {
	s.Struct("profile", &t.profile)
	snapshot.Number(s, "state", &t.state)
	s.Bool("carrier", &t.port.carrier)
	t.space.passState(s)
	snapshot.Number(s, "seq", &t.seq)
	snapshot.Number(s, "max_frames", &t.limits.frames)
	snapshot.Number(s, "max_octets", &t.limits.octets)
	s.Group("window", t.window.passState)
	s.Group("replay", t.replay.passState)
	s.Group("selective", func(s *snapshot.State) {
		t.sel.passState(s, &t.window)
		s.Check(!t.sel.posting || len(t.sel.lost) > 0 && t.state == TxReplay, "a selective replay in state %v, "+
			"with %d frames to send again", t.state, len(t.sel.lost))
	})
	s.Group("tail", t.tail.passState)
	s.Group("patience", t.patience.passState)
	snapshot.Number(s, "hold_heard", &t.hold.heard)
	s.Bool("hold_forgiven", &t.hold.forgiven)
	snapshot.Number(s, "misfit_seq", &t.misfit.seq)
	snapshot.Number(s, "misfit_runs", &t.misfit.runs)
	snapshot.Number(s, "misfit_at", &t.misfit.at)
	t.passTimers(s)
	s.Group("hello", t.hello.passState)
	s.Bool("resuming", &t.resume.on)
	snapshot.Number(s, "resumed_at", &t.resume.since)
	s.Group("loop", t.loop.passState)
	snapshot.Number(s, "flushes", &t.ended.flushes)
	snapshot.Text(s, "reason", &t.ended.reason)
	s.Struct("stuck", &t.ended.stuck)
	snapshot.Number(s, "reinits", &t.ended.reinits)
	snapshot.Text(s, "again", &t.ended.reinitReason)
	t.check(s)
}

// passTimers saves the transmitter's times (timers, carrier loss), its port speed and its frame lengths to a
// snapshot, or restores them.
func (t *Tx) passTimers(s *snapshot.State) {
	snapshot.Number(s, "timeout", &t.limits.timeout)
	snapshot.Number(s, "timer", &t.timer)
	snapshot.Number(s, "busy", &t.busy)
	s.Bool("rearm", &t.rearm)
	snapshot.Number(s, "not_live", &t.notLive)
	snapshot.Number(s, "nacked", &t.nacked)
	snapshot.Number(s, "now", &t.now)
	snapshot.Number(s, "down_at", &t.port.downAt)
	snapshot.Number(s, "longest", &t.port.longest)
	snapshot.Number(s, "crossed", &t.room.crossed)
	snapshot.Number(s, "speed", &t.port.speed)
}

// check makes a snapshot invalid whose restored transmitter has an impossible state, such as more outstanding frames
// than sequence numbers allow.
func (t *Tx) check(s *snapshot.State) {
	outstanding := t.window.outstanding()
	s.Check(t.state <= TxFlush, "state %d", t.state)
	s.Check(t.seq <= uint32(t.space), "seq %d", t.seq)
	s.Check(outstanding <= uint32(t.space)/2+1, "%d frames outstanding", outstanding)
	s.Check(outstanding == 0 || t.running() || t.state == TxInit && t.resume.on,
		"the state %v allows no outstanding frames", t.state)
	s.Check(t.replay.cursor-t.window.first <= outstanding || t.state != TxReplay || t.sel.posting,
		"the next frame to replay is at position %d, beyond the outstanding frames", t.replay.cursor)
	s.Check(t.limits.frames >= 1 && int(t.limits.frames) <= len(t.window.frames), "a window of %d frames", t.limits.frames)
}

// passState saves to snapshot s, or restores from it, the range of the sequence numbers.
func (p *space) passState(s *snapshot.State) {
	snapshot.Number(s, "space", p)
	s.Check(*p >= 7 && *p <= standard && *p&(*p+1) == 0, "the largest sequence number is %d, want 2^n-1", *p)
}

// passState saves to snapshot s, or restores from it, the frames of the replay buffer, oldest first: a line of the
// snapshot has one field of all frames.
func (w *window) passState(s *snapshot.State) {
	size := len(w.frames)
	snapshot.Number(s, "size", &size)
	snapshot.Number(s, "freed", &w.freed)
	snapshot.Number(s, "first", &w.first)
	snapshot.Number(s, "tail", &w.tail)
	snapshot.Number(s, "octets", &w.octets)
	n := w.tail - w.freed
	if s.Restoring() {
		s.Check(size >= 1 && size <= 2*MaxOutstandingFrames && size&(size-1) == 0,
			"the replay buffer cannot have room for %d frames", size)
		s.Check(int(n) <= size && w.first-w.freed <= n, "the positions in the replay buffer are out of order: "+
			"freed %d, first %d, tail %d", w.freed, w.first, w.tail)
		if !s.Valid() {
			n, size = 0, 1
		}
		w.frames, w.mask = make([]held, size), uint32(size-1)
	}
	w.passFrames(s, min(n, uint32(size)))
	octets := int64(0)
	for p := w.first; s.Valid() && p != w.freed+n; p++ {
		octets += int64(w.at(p).length)
	}
	s.Check(octets == w.octets, "%d octets outstanding in all, but the sum of the frames is %d", w.octets, octets)
}

// passFrames saves to snapshot s, or restores from it, n frames from position freed on: lists of their slots, lengths,
// times of sending and poisoned FCS images. Two restored frames in the same slot make the snapshot invalid.
func (w *window) passFrames(s *snapshot.State, n uint32) {
	slots, lengths, poisoned := make([]uint32, n), make([]uint32, n), make([]uint8, n)
	pushed := make([]wire.Time, n)
	for i := range n {
		f := w.at(w.freed + i)
		slots[i], lengths[i], pushed[i] = f.slot, f.length, f.pushed
		if f.poisoned {
			poisoned[i] = 1
		}
	}
	snapshot.Numbers(s, "slot", slots)
	snapshot.Numbers(s, "length", lengths)
	snapshot.Numbers(s, "pushed", pushed)
	snapshot.Numbers(s, "poisoned", poisoned)
	if !s.Restoring() {
		return
	}
	seen := make(map[uint32]bool, n)
	for i := range n {
		*w.at(w.freed + i) = held{slot: slots[i], length: lengths[i], pushed: pushed[i], poisoned: poisoned[i] != 0}
		s.Check(!seen[slots[i]], "two frames of the replay buffer are in the same slot, %d", slots[i])
		seen[slots[i]] = true
	}
}

// passState saves to snapshot s, or restores from it, the state of the present or last replay, and of the replays since
// the last progress.
func (r *replay) passState(s *snapshot.State) {
	snapshot.Number(s, "cursor", &r.cursor)
	snapshot.Number(s, "again", &r.repeatedTo)
	snapshot.Number(s, "reach", &r.reach)
	snapshot.Number(s, "apart", &r.apart)
	snapshot.Number(s, "acked", &r.acked)
	snapshot.Number(s, "behind", &r.behind)
	s.Group("burst", r.burst.passState)
	snapshot.Number(s, "most", &r.most)
	s.Bool("counted", &r.counted)
	s.Bool("by_timer", &r.byTimer)
	s.Bool("timed", &r.timed)
	s.Bool("begun", &r.begun)
	snapshot.Number(s, "began", &r.began)
	snapshot.Number(s, "row", &r.row)
	snapshot.Number(s, "count", &r.count)
	s.Bool("expired", &r.expired)
	snapshot.Number(s, "count_from", &r.countFrom)
	snapshot.Number(s, "stuck_from", &r.stuckFrom)
}

// passState saves to snapshot s, or restores from it, what was learned about how fast the partner acknowledges.
func (p *patience) passState(s *snapshot.State) {
	snapshot.Number(s, "least", &p.least)
	snapshot.Number(s, "wait", &p.wait)
	snapshot.Number(s, "slow", &p.slow)
	snapshot.Number(s, "at", &p.at)
	snapshot.Number(s, "twice", &p.twice)
	s.Bool("counts", &p.counts)
	snapshot.Number(s, "before", &p.before)
	snapshot.Number(s, "maybe", &p.maybe)
}

// passState saves to snapshot s, or restores from it, the state of the handshake (LLR_INIT and its schedule).
func (h *handshake) passState(s *snapshot.State) {
	h.space.passState(s)
	snapshot.Numbers(s, "nonce", h.nonce[:])
	snapshot.Number(s, "seq", &h.seq)
	s.Bool("sent", &h.sent)
	snapshot.Number(s, "due", &h.due)
	snapshot.Number(s, "last", &h.last)
	snapshot.Number(s, "since", &h.since)
	snapshot.Number(s, "interval", &h.interval)
	s.Check(h.seq <= uint32(h.space), "seq %d", h.seq)
}

// passState saves to snapshot s, or restores from it, the measured loop times (round trips). A restored total that is
// not the sum of the classes makes the snapshot invalid.
func (l *loopTimes) passState(s *snapshot.State) {
	snapshot.Numbers(s, "counts", l.counts[:])
	snapshot.Number(s, "total", &l.total)
	snapshot.Number(s, "late", &l.late)
	snapshot.Number(s, "least", &l.least)
	snapshot.Number(s, "handshake", &l.handshake)
	s.Bool("sure", &l.sure)
	sum := uint32(0)
	for _, n := range l.counts {
		sum += uint32(n)
	}
	s.Check(sum == l.total, "%d loop times in all, but the sum of the counts is %d", l.total, sum)
}
