package bridge

import "uelink/wire"

// The second half of the model: the calls that change it.

func (m *model) take(in int, sa [6]byte, v *Verdict, now wire.Time) bool {
	p := m.ports[in]
	if p == nil || v.Drop == DropPort {
		v.Drop = DropPort
		m.counters.RxDropPort++
		return false
	}
	switch {
	case p.blocked:
		v.Drop = DropBlocked
	case v.Drop == DropSource, v.Drop == DropReserved, v.Drop == DropVLAN:
	case v.Class != Unicast && !p.limits[v.Class].take(now):
		v.Drop = map[Class]Reason{
			Broadcast: DropStormBroadcast, Unknown: DropStormUnknown, Multicast: DropStormMulticast,
		}[v.Class]
	case p.Learning && !m.learn(in, Address{sa, v.VLAN}, now):
		v.Drop = DropBlocked
	}
	switch {
	case v.Drop == NoReason:
		p.taken[v.Class]++
	case v.Drop != DropEgressBlocked:
		p.drops[v.Drop]++
	case m.ports[v.Out] != nil:
		m.ports[v.Out].drops[v.Drop]++
	}
	return v.Drop == NoReason
}

func modelBurst(rate int64) int64 {
	burst := rate / 50
	if few := min(8, rate); burst < few {
		burst = few
	}
	return burst * 1e9
}

func (l *modelLimit) take(now wire.Time) bool {
	if l.rate == 0 {
		return true
	}
	if passed := now.Sub(l.last); passed > 0 {
		l.left, l.last = min(l.left+int64(min(passed, 1e9))*l.rate, modelBurst(l.rate)), now
	}
	if l.left < 1e9 {
		return false
	}
	l.left -= 1e9
	return true
}

func (m *model) learn(in int, a Address, now wire.Time) bool {
	e, ok := m.table[a]
	switch {
	case !ok && m.learned() >= m.settings.MaxEntries:
		m.counters.FDBFull++
		if !m.full {
			m.full = true
			m.events = append(m.events, Event{Kind: TableFull, Address: a, To: in})
		}
		return true
	case !ok:
		m.counters.FDBLearned++
	case e.static:
		if e.port != in {
			m.counters.FDBMovesRefused++
		}
		return true
	case !m.fresh(e, now):
		m.counters.FDBAged++
		m.counters.FDBLearned++
	case e.port != in:
		if !m.move(e.port, in, a, now) {
			return false
		}
	}
	m.table[a] = modelEntry{port: in, seen: now}
	return true
}

func (m *model) move(from, to int, a Address, now wire.Time) bool {
	place := m.place(a)
	o := m.bouts[place]
	if o == nil || now.Sub(o.last) > 1e9 || o.address == a && !o.reported && (now.Sub(o.began) > 1e9 || o.stray >= 4) {
		o = &modelBout{address: a, began: now, last: now, ports: [2]int{from, to}}
		m.bouts[place] = o
	}
	same := o.address == a && (o.ports == [2]int{from, to} || o.ports == [2]int{to, from})
	if same {
		o.last, o.stray = now, 0
		o.moves++
	} else if o.address == a {
		o.stray++
	}
	switch {
	case same && o.reported:
	case same && o.moves == 4:
		o.reported = true
		m.counters.FDBFlapping++
		m.events = append(m.events, Event{Flapping, a, o.ports[0], o.ports[1]})
		if m.settings.LoopGuard == LoopGuardBlock {
			p := m.ports[o.ports[1]]
			p.blocked, p.until = true, now.Add(m.settings.BlockTime)
			p.blocks++
			m.events = append(m.events, Event{Blocked, a, o.ports[0], o.ports[1]})
			delete(m.bouts, place)
			if o.ports[1] == to {
				return false
			}
		}
	default:
		m.events = append(m.events, Event{Moved, a, from, to})
	}
	m.counters.FDBMoves++
	return true
}

func (m *model) unblock(now wire.Time) {
	for _, n := range m.numbers() {
		if p := m.ports[n]; p.blocked && p.until <= now {
			p.blocked = false
			m.events = append(m.events, Event{Kind: Unblocked, To: n})
		}
	}
}

func (m *model) add(e Entry) bool {
	old, ok := m.table[e.Address]
	elsewhere := ok && old.static && old.port != e.Port
	if m.ports[e.Port] == nil || m.settings.VLANFiltering != (e.VLAN != 0) || elsewhere {
		return false
	}
	m.table[e.Address] = modelEntry{port: e.Port, static: true}
	m.room()
	return true
}

func (m *model) delete(a Address, port int) bool {
	e, ok := m.table[a]
	if m.ports[port] == nil || m.settings.VLANFiltering != (a.VLAN != 0) || !ok || e.port != port {
		return false
	}
	delete(m.table, a)
	m.room()
	return true
}

func (m *model) flush(port, vlan int) (gone int) {
	for a, e := range m.table {
		if !e.static && (port == -1 || e.port == port) && (vlan == -1 || int(a.VLAN) == vlan) {
			delete(m.table, a)
			gone++
		}
	}
	m.room()
	return gone
}

// swept takes out what a sweep may have taken out: the bridge says what it still has.
func (m *model) swept(matches func(Address) bool, now wire.Time) {
	for a, e := range m.table {
		if !m.fresh(e, now) && !matches(a) {
			delete(m.table, a)
			m.counters.FDBAged++
		}
	}
	m.room()
}
