package bridge

import (
	"testing"
	"time"

	"uelink/wire"
)

// poll has the bridge do all that is due up to a time, and returns how often it was called.
func (l *lab) poll(until wire.Time) (calls int) {
	for {
		calls++
		next := l.Poll(l.now)
		if next > until {
			l.now = until
			return calls
		}
		if next <= l.now {
			l.Fatalf("the deadline %d has passed at %d", next, l.now)
		}
		l.now = next
	}
}

func TestNothingToPollFor(t *testing.T) {
	l := newLab(t, plain(), PortSettings{Static: []Address{{MAC: host(1)}}}, PortSettings{})
	if got := l.Poll(0); got != wire.Never {
		t.Errorf("deadline %d of a bridge that has learned nothing", got)
	}
	s := plain()
	s.Ageing = 0
	l.Configure(s)
	l.send(0, host(2), everybody)
	if got := l.Poll(second); got != wire.Never {
		t.Errorf("deadline %d of a bridge that forgets nothing", got)
	}
}

func TestSweepTakesOutWhatHasAged(t *testing.T) {
	s := plain()
	s.MaxEntries = 10_000 // some steps of the sweep
	l := newLab(t, s, PortSettings{}, PortSettings{})
	for n := range 5000 {
		l.send(0, host(n+1), everybody)
	}
	l.poll(200 * second)
	l.send(0, host(77), everybody)
	l.poll(299 * second)
	if got := l.Counters(); got.FDBEntries != 5000 || got.FDBAged != 0 {
		t.Errorf("before: %+v", got)
	}
	l.poll(300*second + 300*second/sweepPart*2)
	if got := l.Counters(); got.FDBEntries != 1 || got.FDBAged != 4999 {
		t.Errorf("after: %+v", got)
	}
	l.wantAt(host(77), 0, 0)
	wantSound(t, &l.table)
	l.poll(700 * second)
	if got := l.Poll(l.now); got != wire.Never || l.Counters().FDBEntries != 0 {
		t.Errorf("deadline %d with %d addresses", got, l.Counters().FDBEntries)
	}
}

// One call goes over a bounded number of slots, however long the last call is ago and however
// many addresses have aged.
func TestSweepIsBounded(t *testing.T) {
	s := plain()
	s.MaxEntries = 10_000
	l := newLab(t, s, PortSettings{}, PortSettings{})
	for n := range 10_000 {
		l.send(0, host(n+1), everybody)
	}
	for before := l.table.count; before > 0; before = l.table.count {
		l.now += 10_000 * second
		if l.Poll(l.now); before-l.table.count > sweepSlots {
			t.Fatalf("%d addresses in one call", before-l.table.count)
		}
	}
}

// A second of polling for a sweep is a bounded number of calls, also with the shortest ageing.
func TestSweepDoesNotSpin(t *testing.T) {
	s := plain()
	s.Ageing, s.MaxEntries = 1, 131072
	l := newLab(t, s, PortSettings{}, PortSettings{})
	calls := 0
	for range 10 {
		l.send(0, host(1), everybody)
		calls += l.poll(l.now + second/10)
	}
	if calls > 1100 {
		t.Errorf("%d calls in a second", calls)
	}
}

func TestAgeingIsNever(t *testing.T) {
	s := plain()
	s.Ageing = 0
	l := newLab(t, s, PortSettings{}, PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	l.now = 100 * 365 * 24 * wire.Time(time.Hour)
	l.Poll(l.now)
	l.want("after a hundred years", l.send(1, host(2), host(1)), "0")
}

// Another ageing time is for the addresses that are there, too.
func TestAgeingChanges(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	l.poll(100 * second)
	l.wantAt(host(1), 0, 0)
	s := plain()
	s.Ageing = 50 * time.Second
	l.Configure(s)
	l.wantAt(host(1), 0, -1)
	l.Poll(l.now)
	if got := l.Counters(); got.FDBAged != 1 || got.FDBEntries != 0 {
		t.Errorf("%+v", got)
	}
}
