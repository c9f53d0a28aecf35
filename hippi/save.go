package hippi

import (
	"strconv"

	"uelink/internal/snapshot"
	"uelink/wire/micropacket"
)

// longestSaved is the longest payload of a Message under way that is saved or restored, octets: that of VC1 and VC2.
const longestSaved = micropacket.HeaderPayload + 4100*micropacket.DataLen

// PassState saves or restores the state of an end, with the micropackets in all of its buffers, the payload that has
// not left, and the payload that has arrived of Messages in the memory of Accept. A restored link has its own memory
// for the payloads; Move gives it the caller's. The next layer has answered every indication.
func (l *Link) PassState(s *snapshot.State) {
	s.Struct("profile", &l.profile)
	if s.Restoring() && s.Valid() {
		l.makeBuffers()
	}
	s.Group("src", l.src.passState)
	s.Group("dst", l.dst.passState)
	for vc := range l.arrival {
		name := strconv.Itoa(vc)
		s.Group("arrival"+name, l.arrival[vc].passState)
		snapshot.Number(s, "confirm_phase"+name, &l.confirm[vc].phase)
		snapshot.Number(s, "confirm_status"+name, &l.confirm[vc].status)
		s.Check(l.confirm[vc].phase <= confirmNow && l.confirm[vc].status <= Reject, "impossible phase or "+
			"status of the confirm of VC%d", vc)
	}
	snapshot.Number(s, "state", &l.state)
	s.Bool("met", &l.met)
	snapshot.Number(s, "answer", &l.answer)
	snapshot.Number(s, "turn", &l.timers.turn)
	snapshot.Number(s, "dead_man", &l.timers.deadMan)
	snapshot.Number(s, "hold_off", &l.timers.holdOff)
	snapshot.Number(s, "keep_at", &l.timers.keepAt)
	snapshot.Number(s, "due", &l.timers.due)
	s.Group("activity", l.activity.passState)
	snapshot.Number(s, "notices", &l.notices)
	s.Bool("indicated", &l.indicated)
	snapshot.Number(s, "epoch", &l.epoch)
	snapshot.Number(s, "partner", &l.partner)
	s.Group("vc3", l.vc3.passState)
	s.Group("frames", l.frames.passState)
	s.Struct("events", &l.Events)
	s.Struct("counters", &l.Counters)
	l.check(s)
}

// check makes the snapshot invalid if the restored link has an impossible state: an unknown one, an answer that is
// none, halves with different sequence numbers, or a waiting Message without its Header.
func (l *Link) check(s *snapshot.State) {
	s.Check(l.state <= Init2, "state %d", l.state)
	s.Check(l.answer == 0 || l.answer == micropacket.ResetACK || l.answer == micropacket.InitializeACK, "answer %d",
		l.answer)
	s.Check(l.src.space == l.dst.space, "this end's Source counts TSEQ modulo %d, but its Destination "+
		"modulo %d", l.src.space, l.dst.space)
	if !s.Valid() {
		return
	}
	for vc := range l.arrival {
		a, front := &l.arrival[vc], l.dst.vc[vc].front()
		s.Check(a.phase != arrivalWaiting || front != nil && front.Control.Type() == micropacket.Header,
			"a Message waits on VC%d, but the VC buffer does not begin with a Header micropacket", vc)
	}
}

// Fills reports whether a Message on a virtual channel has memory, and is not indicated yet.
func (l *Link) Fills(vc uint8) bool {
	a := &l.arrival[vc&3]
	return !a.admin && (a.phase == arrivalFilling || a.phase == arrivalDone)
}

// Move copies the payload that has arrived so far, of the Message that is arriving on a virtual channel, to chunk, and
// the rest will arrive there. ok is false if no Message is arriving, or chunk is shorter than the payload will be.
func (l *Link) Move(vc uint8, chunk []byte) (ok bool) {
	a := &l.arrival[vc&3]
	if !l.Fills(vc) || a.length() > int64(len(chunk)) {
		return false
	}
	copy(chunk, a.chunk[:a.at])
	a.chunk = chunk
	return true
}

// passState saves or restores the Source: each field that the type explains, by its name in snapshots, but the bitmaps
// waiting and funded, which follow from the others. An impossible state makes the snapshot invalid.
func (t *Source) passState(s *snapshot.State) {
	space := t.space
	snapshot.Number(s, "space", &space)
	s.Check(space == t.space, "the saved Source counts TSEQ modulo %d, this end's Source modulo %d", space, t.space)
	snapshot.Number(s, "first", &t.first)
	snapshot.Number(s, "count", &t.count)
	snapshot.Number(s, "at", &t.at)
	s.Check(t.first < uint8(t.space) && t.count < uint8(t.space) && t.at <= t.count,
		"impossible numbers of micropackets from TSEQ %d on: %d unacknowledged, %d sent", t.first, t.count, t.at)
	s.Bool("acked", &t.acked)
	snapshot.Number(s, "turn", &t.turn)
	s.Check(t.turn < VCs, "VC%d, which has sent last, does not exist", t.turn)
	snapshot.Numbers(s, "credit", t.credit[:])
	snapshot.Number(s, "timer", &t.timer)
	snapshot.Numbers(s, "starved", t.starved[:])
	snapshot.Number(s, "retries", &t.retries)
	s.Group("loop", t.loop.passState)
	snapshot.Numbers(s, "offered", t.offered[:])
	for vc := range t.origins {
		s.Group("origin"+strconv.Itoa(vc), t.origins[vc].passState)
	}
	if s.Valid() {
		t.passBuffer(s)
	}
	if !s.Restoring() || !s.Valid() {
		return
	}
	t.waiting, t.funded = 0, 0
	for vc := range t.origins {
		if t.origins[vc].left > 0 {
			t.waiting |= 1 << vc
		}
		if t.credit[vc] > 0 {
			t.funded |= 1 << vc
		}
	}
}

// passBuffer saves or restores the unacknowledged micropackets, the oldest first. After restoring it counts them by
// virtual channel (owner, under).
func (t *Source) passBuffer(s *snapshot.State) {
	octets := make([]byte, int(t.count)*micropacket.Len)
	for i := range int(t.count) {
		t.buffer[t.space.add(t.first, uint8(i))].Put(octets[i*micropacket.Len:])
	}
	passMicropackets(s, "buffer", &octets, int(t.count))
	if !s.Restoring() || !s.Valid() {
		return
	}
	t.under = [VCs + 1]uint8{}
	for i := range int(t.count) {
		tseq := t.space.add(t.first, uint8(i))
		m := &t.buffer[tseq]
		m.Parse(octets[i*micropacket.Len:])
		s.Check(m.Control.Type().Sequenced() && m.Control.TSEQ() == tseq, "micropacket %d has TSEQ %d", tseq,
			m.Control.TSEQ())
		if t.owner[tseq] = VCs; m.Control.Type().Buffered() {
			t.owner[tseq] = m.Control.VC()
		}
		t.under[t.owner[tseq]]++
	}
}

// passMicropackets saves or restores n micropackets under a name, as the octets that they have on the wire.
func passMicropackets(s *snapshot.State, name string, octets *[]byte, n int) {
	s.Bytes(name, octets, n*micropacket.Len)
	s.Check(len(*octets) == n*micropacket.Len, "%s: %d octets of %d micropackets", name, len(*octets), n)
}

// passState saves or restores the loop time, with the measurement that runs.
func (l *loop) passState(s *snapshot.State) {
	snapshot.Number(s, "mean", &l.mean)
	snapshot.Number(s, "spread", &l.spread)
	snapshot.Number(s, "least", &l.least)
	snapshot.Number(s, "sent", &l.sent)
	snapshot.Number(s, "again", &l.resent)
	snapshot.Number(s, "seq", &l.seq)
	s.Bool("timing", &l.timing)
	snapshot.Number(s, "backoff", &l.backoff)
	s.Check(l.mean >= 0 && l.spread >= 0 && l.backoff <= maxBackoff && l.seq < Sequences, "impossible loop "+
		"time: mean %v, spread %v, %d doublings", l.mean, l.spread, l.backoff)
}

// passState saves or restores what has to leave on a virtual channel: a Message with its payload, or one micropacket.
func (o *origin) passState(s *snapshot.State) {
	snapshot.Number(s, "kind", &o.kind)
	s.Bytes("data", &o.data, longestSaved)
	snapshot.Number(s, "at", &o.at)
	single := make([]byte, micropacket.Len)
	o.single.Put(single)
	s.Bytes("single", &single, micropacket.Len)
	s.Struct("head", &o.head)
	snapshot.Number(s, "left", &o.left)
	snapshot.Number(s, "ecrc", &o.ecrc)
	s.Bool("damage", &o.damage)
	s.Bool("open", &o.open)
	s.Check(o.kind <= originForwarded && len(single) == micropacket.Len, "kind %d", o.kind)
	if !s.Restoring() || !s.Valid() {
		return
	}
	o.single.Parse(single)
	switch left := int64(o.left); {
	case left == 0:
	case o.kind == originMessage && o.at < 0:
		s.Check(o.at == -1 && left == 1+int64(micropacket.DataMicropackets(len(o.data))), "%d micropackets of %d octets",
			left, len(o.data))
	case o.kind == originMessage:
		rest := len(o.data) - o.at
		s.Check(rest > 0 && left == int64((rest+micropacket.DataLen-1)/micropacket.DataLen), "%d micropackets of %d octets",
			left, rest)
	default:
		s.Check(left == 1 && (o.kind == originAdmin || o.single.Control.Type().Buffered()), "%d micropackets", left)
	}
}

// passState saves or restores the Destination with its VC buffers. An impossible RSEQ makes the snapshot invalid.
func (d *Destination) passState(s *snapshot.State) {
	snapshot.Number(s, "rseq", &d.rseq)
	snapshot.Number(s, "told", &d.sentRSEQ)
	s.Bool("repeat", &d.repeat)
	s.Bool("silenced", &d.silenced)
	s.Check((d.rseq < uint8(d.space) || d.rseq == micropacket.NoSeq) && (d.sentRSEQ < uint8(d.space) ||
		d.sentRSEQ == micropacket.NoSeq), "RSEQ %d, %d sent", d.rseq, d.sentRSEQ)
	for vc := range d.vc {
		s.Group("vc"+strconv.Itoa(vc), d.vc[vc].passState)
	}
}

// passState saves or restores a VC buffer: its micropackets from the oldest on, and which of them have a fabricated end
// in front. It has as many places as the restored profile says; more micropackets make the snapshot invalid.
func (b *vcBuffer) passState(s *snapshot.State) {
	snapshot.Number(s, "n", &b.n)
	snapshot.Number(s, "owed", &b.owed)
	s.Bool("open", &b.open)
	s.Bool("skipping", &b.skipping)
	s.Bool("cut", &b.cut)
	s.Bool("summing", &b.summing)
	snapshot.Number(s, "ecrc", &b.ecrc)
	snapshot.Number(s, "stall", &b.stall)
	s.Check(int(b.n)+int(b.owed) <= len(b.slots), "%d micropackets and %d credits owed are more than a VC "+
		"buffer of %d micropackets has", b.n, b.owed, len(b.slots))
	if !s.Valid() {
		return
	}
	octets, cuts := make([]byte, int(b.n)*micropacket.Len), make([]uint8, b.n)
	for i := range int(b.n) {
		at := &b.slots[(int(b.head)+i)%len(b.slots)]
		at.m.Put(octets[i*micropacket.Len:])
		if at.cut {
			cuts[i] = 1
		}
	}
	passMicropackets(s, "micropackets", &octets, int(b.n))
	snapshot.Numbers(s, "cuts", cuts)
	if !s.Restoring() || !s.Valid() {
		return
	}
	b.head = 0
	for i := range int(b.n) {
		b.slots[i].m.Parse(octets[i*micropacket.Len:])
		b.slots[i].cut = cuts[i] != 0
	}
}

// passState saves or restores a Message that arrives, with the payload that has arrived. A restored payload lies in new
// memory, which has room for the whole Message. An impossible state makes the snapshot invalid.
func (a *arrival) passState(s *snapshot.State) {
	snapshot.Number(s, "phase", &a.phase)
	s.Bool("admin", &a.admin)
	single := a.single[:]
	s.Bytes("single", &single, micropacket.DataLen)
	s.Struct("head", &a.head)
	s.Struct("status", &a.status)
	payload := a.chunk[:min(int64(len(a.chunk)), a.at)]
	s.Bytes("payload", &payload, longestSaved)
	snapshot.Number(s, "at", &a.at)
	if !s.Restoring() || !s.Valid() {
		return
	}
	a.single = [micropacket.DataLen]byte{}
	copy(a.single[:], single)
	a.chunk = nil
	s.Check(a.phase <= arrivalIndicated && (!a.admin || a.phase >= arrivalDone) && a.at == int64(len(payload)) &&
		a.at <= a.length(), "phase %d, %d octets of %d", a.phase, a.at, a.length())
	if a.phase != arrivalFilling && a.at == 0 || !s.Valid() {
		return
	}
	if s.Check(a.length() <= longestSaved, "a Message of %d octets", a.length()); s.Valid() {
		a.chunk = make([]byte, a.length())
		copy(a.chunk, payload)
	}
}

// passState saves or restores the activity monitor.
func (a *activity) passState(s *snapshot.State) {
	s.Bool("carrier", &a.carrier)
	s.Bool("is", &a.indicated)
	s.Bool("signal", &a.signal)
	snapshot.Number(s, "since", &a.since)
	snapshot.Number(s, "heard", &a.heard)
}

// passState saves or restores the numbers of frames.
func (f *frames) passState(s *snapshot.State) {
	snapshot.Number(s, "sent", &f.sent)
	snapshot.Number(s, "from", &f.from)
	snapshot.Number(s, "last", &f.last)
	snapshot.Number(s, "far", &f.far)
}
