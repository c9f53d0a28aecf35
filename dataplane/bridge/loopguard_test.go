package bridge

import (
	"fmt"
	"testing"
	"time"

	"uelink/wire"
)

// guarded is a bridge that blocks.
func guarded() Settings {
	s := plain()
	s.LoopGuard, s.BlockTime = LoopGuardBlock, 10*time.Second
	return s
}

// flap has an address move to and fro, first to port 1.
func flap(l *lab, mac [6]byte, moves int) {
	for n := range moves {
		l.send((n+1)%2, mac, everybody)
	}
}

func TestFlappingIsToldOncePerBout(t *testing.T) {
	l := newLab(t, plain(), PortSettings{}, PortSettings{}, PortSettings{})
	a := Address{MAC: host(1)}
	there, back := Event{Moved, a, 0, 1}, Event{Moved, a, 1, 0}
	l.send(0, host(1), everybody)
	flap(l, host(1), 3)
	wantEvents(t, l, there, back, there)
	l.send(0, host(1), everybody)
	wantEvents(t, l, Event{Flapping, a, 0, 1})
	for range 100 { // it goes on
		flap(l, host(1), 2)
		l.now += second
	}
	wantEvents(t, l)
	l.now += second + 1 // it is over
	flap(l, host(1), 4)
	wantEvents(t, l, there, back, there, Event{Flapping, a, 0, 1})
	if c := l.Counters(); c.FDBMoves != 208 || c.FDBFlapping != 2 || c.EventsSuppressed != 0 {
		t.Errorf("%+v", c)
	}
	if l.Blocked(0) || l.Blocked(1) {
		t.Error("a port is blocked by a guard that only tells")
	}
}

// Moves that are seconds apart are no bout.
func TestSlowMovesAreNoFlapping(t *testing.T) {
	l := newLab(t, guarded(), PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	for n := range 50 {
		l.now += second / 2
		l.send((n+1)%2, host(1), everybody)
	}
	if c := l.Counters(); c.FDBMoves != 50 || c.FDBFlapping != 0 {
		t.Errorf("%+v", c)
	}
}

// Moves on and on to other ports are no bout.
func TestFlappingIsBetweenTwoPorts(t *testing.T) {
	ports := make([]PortSettings, 100)
	l := newLab(t, guarded(), ports...)
	for n := range ports {
		l.send(n, host(1), everybody)
	}
	if c := l.Counters(); c.FDBMoves != 99 || c.FDBFlapping != 0 {
		t.Errorf("%+v", c)
	}
}

// The station's own frame shows the loop: the port that brings its frames back is blocked.
func TestLoopGuardBlocksTheLaterPort(t *testing.T) {
	l := newLab(t, guarded(), PortSettings{}, PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	flap(l, host(1), 3)
	if l.Blocked(0) || l.Blocked(1) {
		t.Error("blocked too early")
	}
	l.want("the fourth move", l.send(0, host(1), everybody), "2")
	l.wantAt(host(1), 0, 0)
	if l.Blocked(0) || !l.Blocked(1) || l.PortCounters(1).LoopGuardBlocks != 1 {
		t.Error("port 1 is not blocked")
	}
}

// A frame that comes by the later port and shows the loop is dropped, and its address stays
// where it was. Here it comes round by three ports.
func TestFrameThatShowsTheLoopIsDropped(t *testing.T) {
	l := newLab(t, guarded(), PortSettings{}, PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	for range 3 {
		for _, in := range []int{1, 2, 0} {
			l.send(in, host(1), everybody)
		}
	}
	l.want("the fourth time by port 1", l.send(1, host(1), everybody), "port blocked by the loop guard")
	l.wantAt(host(1), 0, 0)
	if !l.Blocked(1) || l.PortCounters(1).RxDropBlocked != 1 {
		t.Errorf("port 1 is not blocked: %+v", l.PortCounters(1))
	}
}

// A loop between two ports is found at once, though the station is behind a third one.
func TestLoopBehindTwoOtherPorts(t *testing.T) {
	l := newLab(t, guarded(), PortSettings{}, PortSettings{}, PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	moves := 0
	for ; moves < 100 && !l.Blocked(1) && !l.Blocked(2); moves++ {
		l.send(1+moves%2, host(1), everybody)
	}
	if moves > 1+strayMoves+boutMoves || l.Blocked(0) {
		t.Errorf("%d moves until a port was blocked", moves)
	}
}

// An address whose place among the bouts is taken is not watched until that bout is over.
func TestBoutsShareAPlace(t *testing.T) {
	l := newLab(t, guarded(), PortSettings{}, PortSettings{})
	place := func(n int) uint64 {
		a := Address{MAC: host(n)}
		return l.table.hash(a.key()) >> 56 % boutsMax
	}
	other := 2
	for place(other) != place(1) {
		other++
	}
	l.send(0, host(1), everybody)
	l.send(0, host(other), everybody)
	l.send(1, host(1), everybody)
	flap(l, host(other), 10)
	if l.Counters().FDBFlapping != 0 {
		t.Error("two bouts in one place")
	}
	l.now += second + 1
	flap(l, host(other), 5)
	if !l.Blocked(0) && !l.Blocked(1) {
		t.Error("the place was not given up")
	}
}

func TestBlockedPortCarriesNothingUntilItsTimeIsOver(t *testing.T) {
	l := newLab(t, guarded(), PortSettings{}, PortSettings{}, PortSettings{})
	l.send(1, host(9), everybody)
	l.send(0, host(1), everybody)
	flap(l, host(1), 4)
	a := Address{MAC: host(1)}
	l.want("from it", l.send(1, host(8), everybody), "port blocked by the loop guard")
	l.want("to it, flooded", l.send(2, host(2), everybody), "0")
	l.want("to it, known", l.send(2, host(2), host(9)), "destination's port blocked by the loop guard")
	l.wantAt(host(8), 0, -1)
	rx, tx := l.PortCounters(1).RxDropBlocked, l.PortCounters(1).TxDropBlocked
	if rx != 1 || tx != 3 { // the frame that showed the loop did not leave by it, either
		t.Errorf("dropped %d from it and %d to it", rx, tx)
	}
	events := l.Events(nil)
	if got := events[len(events)-1]; got != (Event{Blocked, a, 0, 1}) {
		t.Errorf("%+v", got)
	}
	if next := l.Poll(l.now); next != 10*second {
		t.Errorf("deadline %d", next)
	}
	l.now = 10*second - 1
	l.Poll(l.now)
	l.want("just before", l.send(2, host(2), everybody), "0")
	l.now++
	l.Poll(l.now)
	l.want("after", l.send(2, host(2), everybody), "0 1")
	l.want("from it, after", l.send(1, host(8), everybody), "0 2")
	wantEvents(t, l, Event{Kind: Unblocked, To: 1})
}

// A loop that is still there is found again each time that the port comes back.
func TestLoopThatStaysIsBlockedAgainAndAgain(t *testing.T) {
	l := newLab(t, guarded(), PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	for round := range 20 {
		for n := 0; n < 100 && !l.Blocked(1); n++ {
			flap(l, host(1), 2)
		}
		if got := l.PortCounters(1).LoopGuardBlocks; got != uint64(round+1) {
			t.Fatalf("round %d: blocked %d times", round, got)
		}
		l.poll(l.now + 10*second)
	}
}

func TestPortsComeBackEachInItsTime(t *testing.T) {
	l := newLab(t, guarded(), PortSettings{}, PortSettings{}, PortSettings{}, PortSettings{})
	for i, pair := range [][2]int{{0, 1}, {2, 3}} {
		l.now = wire.Time(i) * 4 * second
		l.send(pair[0], host(i+1), everybody)
		for n := range 4 {
			l.send(pair[(n+1)%2], host(i+1), everybody)
		}
	}
	for _, c := range []struct {
		at   wire.Time
		want string
	}{{9, "true true"}, {10, "false true"}, {13, "false true"}, {14, "false false"}} {
		l.poll(c.at * second)
		l.Poll(l.now)
		if got := fmt.Sprint(l.Blocked(1), l.Blocked(3)); got != c.want {
			t.Errorf("after %d s: %s, want %s", c.at, got, c.want)
		}
	}
}

func TestConfigureOpensWhatAGuardHasBlocked(t *testing.T) {
	l := newLab(t, guarded(), PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	flap(l, host(1), 4)
	l.Configure(guarded())
	if !l.Blocked(1) {
		t.Error("opened by the same settings")
	}
	l.Configure(plain())
	if l.Blocked(1) {
		t.Error("still blocked")
	}
}

// A new port with the number of a removed port starts without its history.
func TestRemovedPortLeavesNoBout(t *testing.T) {
	l := newLab(t, guarded(), PortSettings{}, PortSettings{}, PortSettings{})
	l.send(0, host(1), everybody)
	flap(l, host(1), 3)
	l.RemovePort(1)
	if err := l.SetPort(1, PortSettings{Learning: true}); err != nil {
		t.Fatal(err)
	}
	l.send(0, host(1), everybody)
	flap(l, host(1), 3)
	if l.Blocked(0) || l.Blocked(1) {
		t.Error("blocked for what another port did")
	}
	flap(l, host(2), 5)
	if !l.Blocked(0) && !l.Blocked(1) {
		t.Error("not blocked")
	}
	l.RemovePort(1)
	if err := l.SetPort(1, PortSettings{}); err != nil || l.Blocked(1) {
		t.Errorf("a new port is blocked (%v)", err)
	}
	l.poll(100 * second)
}
