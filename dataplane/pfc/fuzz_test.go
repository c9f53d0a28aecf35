package pfc

import (
	"testing"
	"time"

	"uelink/wire"
)

// FuzzPFC has a machine of each kind get anything at any time: frames of the other end, and levels. What is agreed on
// stops and nothing else, no pause lasts longer than its quanta, and no machine wants to be called at once again.
func FuzzPFC(f *testing.F) {
	f.Add(uint8(0b1010), true, []byte{0, 8, 0xFF, 0xFF, 1, 9, 0, 0, 2, 3, 200, 3, 3, 10})
	f.Fuzz(func(t *testing.T, priorities uint8, pause bool, in []byte) {
		s := gigabit(priorities)
		pauser := newTestPauser(t, s)
		paused, err := NewPaused(PausedSettings{Priorities: priorities, Pause: pause, Rate: s.Rate})
		if err != nil {
			t.Fatal(err)
		}
		m := fuzzed{t: t, pauser: pauser, paused: paused, may: priorities}
		for len(in) >= 4 {
			m.step(in[0], in[1], in[2], in[3], pause)
			in = in[4:]
		}
		if still := paused.Stopped(m.now.Add(pauseTime(MaxQuanta, s.Rate))); still != 0 {
			t.Errorf("%b are stopped although the longest pause is over", still)
		}
	})
}

// fuzzed is both machines, on a clock that a fuzzer moves.
type fuzzed struct {
	t      *testing.T
	pauser *Pauser
	paused *Paused
	now    wire.Time
	may    uint8 // priorities that may ever be stopped
}

// step is a frame, a level or a while, as its first octet says.
func (m *fuzzed) step(what, a, b, c uint8, pause bool) {
	m.t.Helper()
	switch what % 4 {
	case 0:
		f := wire.PFC{Enable: a}
		for i := range f.Quanta {
			f.Quanta[i] = uint16(b)<<8>>i | uint16(c)
		}
		m.paused.ReceivedFrame(f, m.now)
	case 1:
		f := wire.PFC{Global: true, Enable: 0xFF}
		for i := range f.Quanta {
			f.Quanta[i] = uint16(b)<<8 | uint16(c)
		}
		if m.paused.ReceivedFrame(f, m.now); pause {
			m.may = 0xFF
		}
	case 2:
		m.pauser.SetLevel(int(a), int(b))
		m.pauser.Poll(m.now)
	default:
		m.now = m.now.Add(time.Duration(a)<<16 | time.Duration(b)<<8 | time.Duration(c))
	}
	if stopped := m.paused.Stopped(m.now); stopped&^m.may != 0 {
		m.t.Fatalf("%b are stopped, agreed on are %b", stopped, m.may)
	}
	m.paused.Stuck(m.now)
	if at := m.paused.Deadline(); at <= m.now {
		m.t.Fatalf("at %d what is stopped wants to be called at %d", m.now, at)
	}
	m.pauser.Poll(m.now)
	if at := m.pauser.Deadline(); at <= m.now {
		m.t.Fatalf("at %d what stops wants to be called at %d, which has just been done", m.now, at)
	}
}
