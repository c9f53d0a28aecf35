package cbfc

import (
	"math/bits"

	"uelink/llr"
	"uelink/wire"
)

func (m *machine) replay() {
	for m.link.Tx.Replaying() {
		if slot, ok := m.link.Tx.Replay(); ok {
			m.net.send(m.slots[slot])
		}
	}
}

// speak sends the control ordered sets of LLR and the port, and STATION each second and after a change.
func (m *machine) speak() {
	now := m.net.now
	idle := len(m.inbox) == 0
	list := m.link.Poll(now, idle, m.list[:0])
	m.reclaim()
	got := wire.Station{
		Local: m.local, Remote: m.remote, Live: m.link.Rx.Live(), Start: m.start, EtherType: wire.EtherTypeData,
		VCs: simVCs, TakesVCs: true, Partner: true, CBFC: true,
	}
	hello := false
	for _, c := range list {
		hello = hello || c.Type == wire.LLRInit || c.Type == wire.LLRInitEcho
	}
	if hello || got != m.station || now >= m.sentAt+second || !m.present && now >= m.sentAt+ms ||
		m.link.StationRequested() {
		m.station, m.sentAt = got, now
		list = got.Items(list)
	}
	m.look()
	m.env.Idle = idle
	list = m.port.Poll(now, &m.env, list)
	for len(list) == cap(list) {
		m.says(list)
		list = m.port.Poll(now, &m.env, list[:0])
	}
	m.says(list)
}

func (m *machine) says(list []wire.CtlOS) {
	if len(list) > 0 {
		m.net.send(packet{to: m.peer, control: append([]wire.CtlOS(nil), list...)})
	}
}

// sendCounts sends a CC_Update.
func (m *machine) sendCounts() {
	t := &m.port.Tx
	if !m.present || !t.CCDue(m.net.now) {
		return
	}
	u := &wire.CCUpdate{VCs: t.Counted()}
	for rest := u.VCs; rest != 0; rest &= rest - 1 {
		vc := bits.TrailingZeros32(rest)
		u.Count[vc] = t.Consumed(uint8(vc)) & (1<<wire.CCBitsSeed - 1)
	}
	if m.launch(packet{to: m.peer, counts: u, octets: 60}) {
		t.CCSent(m.net.now)
	}
}

// launch sends a frame, if LLR lets it leave. One that LLR drops has left.
func (m *machine) launch(p packet) bool {
	verdict := llr.Bare
	if m.remote && (p.counts != nil || m.bare>>p.vc&1 == 0) {
		verdict = m.link.Tx.Admit(p.octets)
	}
	switch verdict {
	case llr.Wait:
		return false
	case llr.Sequence:
		slot := m.free[len(m.free)-1]
		m.free = m.free[:len(m.free)-1]
		p.seq, p.sequenced = m.link.Tx.Push(slot, p.octets, false, m.net.now), true
		m.slots[slot] = p
		m.pushed = append(m.pushed, slot)
		m.unacked[m.account(&p)]++
	case llr.Bare, llr.Drop:
	}
	if p.counts == nil {
		m.fates[p.vc] = append(m.fates[p.vc], 0)
		if !p.sequenced {
			m.excuse(&p)
		}
	}
	if verdict != llr.Drop {
		m.net.send(p)
	}
	return true
}

// sendFrames sends the waiting frames, the channels in turn.
func (m *machine) sendFrames() {
	m.first = (m.first + 1) % simVCs
	for blocked := uint32(0); blocked != 1<<simVCs-1; {
		for i := range uint8(simVCs) {
			if vc := (m.first + i) % simVCs; blocked>>vc&1 == 0 && !m.sendFrame(vc) {
				blocked |= 1 << vc
			}
		}
	}
}

func (m *machine) sendFrame(vc uint8) bool {
	id := m.next[vc]
	if id == m.offered[vc] || len(m.free) == 0 {
		m.port.Tx.Unblock(vc, m.net.now)
		return false
	}
	p := packet{to: m.peer, vc: vc, id: id, octets: sizeOf(id)}
	credits, gate := m.port.Tx.Gate(vc, p.octets)
	if gate == TooLong {
		m.net.failed("%s: a frame of %d octets is too long for VC %d", m.name, p.octets, vc)
	}
	if gate == Shut {
		m.port.Tx.Block(vc, m.net.now)
		return false
	}
	if !m.launch(p) {
		return false
	}
	m.port.Tx.Charge(vc, credits, m.net.now)
	m.next[vc]++
	return true
}
