package sched

import (
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/wire"
)

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine {
		s := New(Settings{Rate: 1e9, Burst: 1000})
		return &s
	}, "groups", "reach", "light", "rounds[0].queues", "rounds[31].queues")
}

// renew replaces the scheduler by another with the same state, by chance: nothing may change.
func (m *simulation) renew() {
	if m.renews.IntN(500) > 0 {
		return
	}
	fresh := New(Settings{})
	if err := snapshottest.Renew(&m.s, &fresh); err != nil {
		m.t.Fatalf("seed %d: %v", m.seed, err)
	}
	if m.s != fresh {
		m.t.Fatalf("seed %d: %+v was restored as %+v", m.seed, m.s, fresh)
	}
	m.s = fresh
}

func TestGoldenStatesAreRead(t *testing.T) {
	s := New(Settings{Rate: 1e9, Burst: 1000, Queues: [Queues]QueueSettings{3: {Group: 2, Weight: 9}, 4: {Group: 1}}})
	s.Open(1000)
	s.Next(0b11001)
	s.Sent(3, 1500)
	snapshottest.Golden(t, "scheduler", &s, func() snapshot.Machine {
		s := New(Settings{})
		return &s
	})
}

// FuzzRestore restores any text between a valid first and last line. A state that is accepted works on without a
// panic and can be saved.
func FuzzRestore(f *testing.F) {
	s := New(Settings{Rate: 1e9, Burst: 1000})
	f.Add(snapshottest.Body(&s))
	f.Fuzz(func(t *testing.T, body []byte) {
		s := New(Settings{})
		if snapshottest.Restore(body, &s) != nil {
			return
		}
		for i := range wire.Time(100) {
			s.Open(i * 1e6)
			q, _ := s.Next(^uint32(0) >> (i % 32))
			s.Sent(q, 1500)
			s.Deadline()
		}
		snapshot.Save("scheduler", &s)
	})
}
