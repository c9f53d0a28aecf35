package bridge

import "testing"

// An attacker who has addresses move at will causes 10 events a second.
func TestEventsAreLimited(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{}, PortSettings{})
	reported := map[EventKind]int{}
	for range 10 {
		for n := range 3000 {
			l.send(n%3, host(n%1000+1), everybody)
		}
		l.now += second
		for _, e := range l.Events(nil) {
			reported[e.Kind]++
		}
	}
	if reported[Moved] > 108 || reported[Moved] < 75 || reported[TableFull] != 1 {
		t.Errorf("told %v", reported)
	}
	if c := l.Counters(); c.EventsSuppressed == 0 || c.EventsLost != 0 {
		t.Errorf("%+v", c)
	}
}

// Nor can he make the ring grow when nobody takes the events.
func TestEventsAreBounded(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{})
	for n := range 1000 {
		l.send(n%2, host(1), everybody)
		l.send(n%2, host(2), everybody)
		l.now += second / 2
	}
	list := l.Events(nil)
	c := l.Counters()
	if len(list) != eventsKept || c.EventsLost == 0 || uint64(len(list))+c.EventsLost+c.EventsSuppressed != 2*999 {
		t.Errorf("%d events, %+v", len(list), c)
	}
	if list[0].Address.MAC != host(1) || list[1].Address.MAC != host(2) || list[0].To != 1 || list[2].To != 0 {
		t.Errorf("not in order: %+v", list[:4])
	}
	if again := l.Events(list[:0]); len(again) != 0 {
		t.Errorf("told twice: %+v", again)
	}
	l.send(0, host(1), everybody)
	wantEvents(t, l, Event{Moved, Address{MAC: host(1)}, 1, 0})
}
