package bridge

import (
	"maps"
	"slices"
)

// compare looks at all that can be seen of the two.
func (s *simulation) compare() {
	got, want := map[Address]Entry{}, map[Address]Entry{}
	for _, e := range s.Entries(s.now) {
		got[e.Address] = e
	}
	for a, e := range s.m.table {
		if s.m.fresh(e, s.now) {
			want[a] = Entry{a, e.port, e.static, s.now.Sub(e.seen)}
			if e.static {
				want[a] = Entry{a, e.port, true, 0}
			}
		}
	}
	if !maps.Equal(got, want) {
		s.Errorf("table\n got %#v\nwant %#v", got, want)
	}
	wantSound(s, &s.table)
	s.compareCounters()
	s.compareEvents()
}

func (s *simulation) compareCounters() {
	got, want := s.Counters(), s.m.counters
	want.FDBEntries, want.FDBStatic = len(s.m.table), len(s.m.table)-s.m.learned()
	want.EventsLost, want.EventsSuppressed = got.EventsLost, got.EventsSuppressed
	if got != want {
		s.Errorf("\n got %+v\nwant %+v", got, want)
	}
	for n := range MaxPorts {
		p := s.m.ports[n]
		if p == nil {
			if s.port(n) != nil || s.Blocked(n) {
				s.Errorf("there is a port %d", n)
			}
			continue
		}
		if s.Blocked(n) != p.blocked || s.PortCounters(n) != p.counters() {
			s.Errorf("port %d: blocked %v\n got %+v\nwant %+v", n, s.Blocked(n), s.PortCounters(n), p.counters())
		}
	}
}

// counters is written in the order of PortCounters.
func (p *modelPort) counters() PortCounters {
	return PortCounters{
		p.taken[Unicast], p.taken[Unknown], p.taken[Broadcast], p.taken[Multicast],
		p.drops[DropBlocked], p.drops[DropSource], p.drops[DropReserved], p.drops[DropVLAN],
		p.drops[DropStormBroadcast], p.drops[DropStormUnknown], p.drops[DropStormMulticast],
		p.drops[DropSamePort], p.drops[DropEgressVLAN], p.drops[DropIsolated], p.drops[DropEgressBlocked], p.blocks,
	}
}

// compareEvents: the events are those of the model, in order, apart from the ones counted as suppressed or lost.
func (s *simulation) compareEvents() {
	reported := s.Events(nil)
	s.seen = append(s.seen, reported...)
	rest := s.m.events
	for _, e := range s.seen {
		at := slices.Index(rest, e)
		if at < 0 {
			s.Errorf("%+v is told and has not happened", e)
			return
		}
		rest = rest[at+1:]
	}
	c := s.Counters()
	if missing := uint64(len(s.m.events) - len(s.seen)); missing != c.EventsSuppressed+c.EventsLost {
		s.Errorf("%d events are not told, but %d are counted", missing, c.EventsSuppressed+c.EventsLost)
	}
	for _, e := range reported {
		s.kinds[e.Kind]++
	}
}
