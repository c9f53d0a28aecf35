package rule

import (
	"slices"
	"time"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// longestAside is how long a frame waits at most to be overtaken: fewer frames may come than the rule says.
const longestAside = 100 * time.Millisecond

// act carries out the action of the rule s on a message that it hits, and returns what became of the message.
func (w *Wire) act(s *state, m *message, now wire.Time) outcome {
	r := s.rule
	switch r.action {
	case Drop:
		return lost
	case Corrupt:
		return w.corrupt(s, m, now)
	case Poison:
		return s.poison(m)
	case Duplicate:
		for range r.n {
			w.make(s, m, w.alone(m, true), now)
		}
	case Hold:
		due := now.Add(r.hold)
		if r.parked {
			due = wire.Never
		}
		return w.hold(s, m, waiting{due: due})
	case Reorder:
		return w.hold(s, m, waiting{due: now.Add(longestAside), left: r.n})
	case Rewrite:
		if !r.rewrite.change(r, m, w) {
			s.misfits++
			return untouched
		}
		return changed
	case Replay:
		w.replay(s, m, now)
	default: // count does nothing, and inject matches nothing
	}
	return untouched
}

// alone returns a frame with the message: the frame itself, or, in memory of the wire, a frame with only this control
// ordered set or micropacket. With companions the frame also has the other control ordered sets that a receiver needs
// to understand this one.
func (w *Wire) alone(m *message, companions bool) []byte {
	switch {
	case m.unit < 0:
		return m.frame
	case m.kinds&micropacketKinds != 0:
		n := micropacket.FrameLen(1, m.head.FCS)
		w.own = slices.Grow(w.own[:0], n)[:n]
		copy(micropacket.At(w.own, 0), m.octets())
		m.putHippi(w.own, 1, 0) // the number is set when the frame leaves
		return w.own
	}
	w.own = slices.Grow(w.own[:0], wire.MaxControlLen)[:wire.MaxControlLen]
	copy(w.own, m.frame[:countAt+1])
	n := 0
	for i := range int(m.frame[countAt]) {
		if i == m.unit || companions && m.needs(i) {
			copy(wire.CtlOSAt(w.own, n), wire.CtlOSAt(m.frame, i))
			n++
		}
	}
	w.own = w.own[:max(wire.HeaderLen+2+n*wire.CtlOSLen+wire.FCSLen, wire.MinFrameLen)]
	wire.SealControl(w.own, n)
	return w.own
}

// needs reports whether a receiver needs control ordered set i of the frame to understand the message: for LLR_INIT and
// its echo the start id; for an LLR_ACK or LLR_NACK the count of frames received twice, and the gaps.
func (m *message) needs(i int) bool {
	c, fault := wire.ParseCtlOS(wire.CtlOSAt(m.frame, i), wire.ViewPCS)
	if fault != wire.NoFault {
		return false
	}
	if m.kinds&(1<<Ack|1<<Nack) != 0 {
		return c.Type == wire.GapCtlOS || c.Type == wire.StationCtlOS && c.Item == wire.StationTwice
	}
	return c.Type == wire.StationCtlOS && c.Item == wire.StationStart
}

// make lets another frame leave now, behind the present frame.
func (w *Wire) make(s *state, m *message, frame []byte, now wire.Time) {
	f := waiting{due: now, added: true, hippi: m.kinds&micropacketKinds != 0}
	if !w.ways[m.way].put(frame, f) {
		s.overflow++
	}
}

// hold puts the message into the store, to leave when f says: at a time, or after a number of later frames. If the
// store is full, the message is lost.
func (w *Wire) hold(s *state, m *message, f waiting) outcome {
	f.rule, f.added, f.hippi = s, m.unit >= 0, m.kinds&micropacketKinds != 0
	if !w.ways[m.way].put(w.alone(m, true), f) {
		s.overflow++
		return lost
	}
	s.waiting++
	return withheld
}

// corrupt flips bits of the message: those of the rule's pattern, or one random bit. An ordered set or micropacket
// leaves in a frame of its own (withheld), so that the rest of its frame arrives. If the pattern reaches beyond the
// message, nothing changes, and the hit counts as a misfit.
func (w *Wire) corrupt(s *state, m *message, now wire.Time) outcome {
	r, octets := s.rule, m.octets()
	at, pattern := r.at, r.pattern
	if at < 0 {
		bit := w.random.Uint64() % uint64(8*max(len(octets), 1))
		w.scratch = append(w.scratch[:0], 1<<(bit%8))
		at, pattern = int(bit/8), w.scratch
	}
	if at+len(pattern) > len(octets) {
		s.misfits++
		return untouched
	}
	if m.unit < 0 {
		xorAt(octets, at, pattern)
		if r.fix {
			m.reseal()
		}
		return changed
	}
	frame := w.alone(m, false)
	whole := kinds(1 << Control)
	if m.kinds&micropacketKinds != 0 {
		whole = 1 << Hippi
	}
	xorAt(unitAt(frame, 0, whole), at, pattern)
	switch {
	case r.fix && whole == 1<<Control:
		wire.SealControl(frame, 1)
	case whole == 1<<Hippi:
		seal(micropacket.At(frame, 0), r.fix)
	}
	w.make(s, m, frame, now)
	return withheld
}

// seal corrects the LCRC of a micropacket; without fix it does nothing.
func seal(octets []byte, fix bool) {
	if !fix {
		return
	}
	var p micropacket.Micropacket
	p.Parse(octets)
	p.Seal()
	p.Put(octets)
}

// poison makes the FCS image of a data frame wrong on purpose: the bits of the rule's pattern are flipped, or all. A
// message without an FCS image counts as a misfit.
func (s *state) poison(m *message) outcome {
	if !m.shim || !m.preamble.FCS {
		s.misfits++
		return untouched
	}
	difference := ^uint32(0)
	if p := s.rule.pattern; len(p) > 0 {
		difference = uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
	}
	wire.PutFCS(m.frame, difference)
	return changed
}

// remember keeps a match for a later replay.
func (s *state) remember(frame []byte, hippi bool) {
	s.pastAt = (s.pastAt + 1) % len(s.past)
	s.past[s.pastAt] = append(s.past[s.pastAt][:0], frame...)
	s.hippi = hippi
}

// replay lets the match leave again that was n matches ago.
func (w *Wire) replay(s *state, m *message, now wire.Time) {
	old := s.past[(s.pastAt+1)%len(s.past)] // the ring has the last n matches and the present one, so the oldest is next
	if len(old) == 0 {
		s.misfits++
		return
	}
	w.make(s, m, old, now)
}
