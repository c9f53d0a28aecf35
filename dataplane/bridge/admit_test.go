package bridge

import (
	"testing"
	"time"
)

func TestLearningOff(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{}, PortSettings{})
	if err := l.SetPort(0, PortSettings{}); err != nil {
		t.Fatal(err)
	}
	l.send(0, host(1), everybody)
	l.wantAt(host(1), 0, -1)
	l.send(1, host(1), everybody)
	l.send(0, host(1), everybody)
	l.wantAt(host(1), 0, 1) // nor does it move there
}

func TestFramesRefreshTheirSource(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{})
	for range 10 {
		l.send(0, host(1), host(2))
		l.now += 299 * second
		l.wantAt(host(1), 0, 0)
	}
	l.now += second
	l.wantAt(host(1), 0, -1)
	if c := l.Counters(); c.FDBLearned != 1 || c.FDBAged != 0 {
		t.Errorf("%+v", c)
	}
}

func TestAddressMoves(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	l.send(1, host(1), everybody)
	l.want("to it", l.send(2, host(2), host(1)), "1")
	if c := l.Counters(); c.FDBMoves != 1 || c.FDBLearned != 2 {
		t.Errorf("%+v", c)
	}
	wantEvents(t, l, Event{Kind: Moved, Address: Address{MAC: host(1)}, From: 0, To: 1})
}

// An address that has aged is no longer anywhere, so it does not move.
func TestAgedAddressIsLearnedAnew(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	l.now += 300 * second
	l.send(1, host(1), everybody)
	l.wantAt(host(1), 0, 1)
	wantEvents(t, l)
	if c := l.Counters(); c.FDBMoves != 0 || c.FDBLearned != 2 || c.FDBAged != 1 || c.FDBEntries != 1 {
		t.Errorf("%+v", c)
	}
}

func TestStaticAddressNeverMovesNorAges(t *testing.T) {
	l := newLab(t, plain(), PortSettings{Static: []Address{{MAC: host(1)}}}, PortSettings{}, PortSettings{})
	l.want("from another port", l.send(1, host(1), everybody), "0 2")
	l.now += 1000 * second
	l.Poll(l.now)
	l.want("to it", l.send(2, host(2), host(1)), "0")
	if c := l.Counters(); c.FDBMoves != 0 || c.FDBMovesRefused != 1 || c.FDBStatic != 1 {
		t.Errorf("%+v", c)
	}
	wantEvents(t, l)
}

func TestFullTableFloods(t *testing.T) {
	s := plain()
	s.MaxEntries = 16
	l := newLab(t, s, PortSettings{Static: []Address{{MAC: host(500)}}}, PortSettings{}, PortSettings{})
	for n := range 20 {
		l.send(0, host(n+1), everybody)
	}
	l.want("to one that fits", l.send(1, host(1), host(16)), "0")
	l.want("to one that does not", l.send(1, host(1), host(17)), "0 2")
	l.want("to a static one", l.send(1, host(1), host(500)), "0") // static ones do not count
	if c := l.Counters(); c.FDBFull != 4 || c.FDBEntries != 17 || c.FDBLearned != 16 {
		t.Errorf("%+v", c)
	}
}

// A full table is reported once, until an eighth of it is free.
func TestFullTableIsToldOnceUntilThereIsRoom(t *testing.T) {
	s := plain()
	s.MaxEntries = 16
	l := newLab(t, s, PortSettings{}, PortSettings{})
	fill := func() {
		for n := range 20 {
			l.send(0, host(n+1), everybody)
		}
	}
	forget := func(list ...int) {
		for _, n := range list {
			if err := l.Delete(Address{MAC: host(n)}, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	full := func(n int) Event { return Event{Kind: TableFull, Address: Address{MAC: host(n)}} }
	fill()
	fill()
	wantEvents(t, l, full(17))
	forget(1)
	fill() // 1 comes back
	wantEvents(t, l)
	forget(1, 2)
	fill()
	wantEvents(t, l, Event{Kind: Room}, full(17))
	s.MaxEntries = 17
	l.Configure(s)
	fill() // one more fits, which is not an eighth
	wantEvents(t, l)
	s.MaxEntries = 32
	l.Configure(s)
	fill()
	wantEvents(t, l, Event{Kind: Room})
	for n := range 20 {
		l.send(0, host(n+101), everybody)
	}
	wantEvents(t, l, full(113))
}

// The verdict of Decide counts, also when the bridge has changed since.
func TestTakeAfterAChange(t *testing.T) {
	l := newLab(t, plain(), PortSettings{Isolated: true}, PortSettings{Isolated: true})
	l.send(1, host(2), everybody)
	frame := addressesOf(host(1), host(2))
	v := l.Decide(0, frame, untagged(), 0)
	l.RemovePort(1)
	if l.Admit(0, frame, &v, 0) || v.Drop != DropIsolated {
		t.Errorf("%+v", v)
	}
	v = l.Decide(1, frame, untagged(), 0)
	if err := l.SetPort(1, PortSettings{Learning: true}); err != nil {
		t.Fatal(err)
	}
	if l.Admit(1, frame, &v, 0) || v.Drop != DropPort || l.Counters().RxDropPort != 1 {
		t.Errorf("%+v", v)
	}
	v = l.Decide(0, frame, untagged(), 0)
	l.RemovePort(0)
	if l.Admit(0, frame, &v, 0) || v.Drop != DropPort || l.Counters().RxDropPort != 2 {
		t.Errorf("%+v", v)
	}
}

func TestSettingsHaveWords(t *testing.T) {
	for want, v := range map[string]interface{ MarshalText() ([]byte, error) }{
		"filter": ReservedFilter, "forward": ReservedForward, "event": LoopGuardEvent, "block": LoopGuardBlock,
		"unicast": Unicast, "unknown": Unknown, "broadcast": Broadcast, "multicast": Multicast,
		"not dropped": NoReason, "destination's port blocked by the loop guard": DropEgressBlocked,
		"moved": Moved, "flapping": Flapping, "blocked": Blocked, "unblocked": Unblocked, "table_full": TableFull, "room": Room,
		"?": Reason(200),
	} {
		if got, err := v.MarshalText(); string(got) != want || err != nil {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

// wantEvents fetches the events and fails the test unless they are these.
func wantEvents(t *testing.T, l *lab, want ...Event) {
	t.Helper()
	got := l.Events(nil)
	if len(got) != len(want) {
		t.Errorf("events %+v, want %+v", got, want)
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("event %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

// An address of a low resolution: 512 ns.
func TestAgeIsExactTo512Nanoseconds(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{})
	l.now = 1000*second + 511
	l.send(0, host(1), everybody)
	l.now += 7 * second
	age := l.Entries(l.now)[0].Age
	if age < 7*time.Second || age >= 7*time.Second+512 {
		t.Errorf("age %v", age)
	}
}
