package pfc

import (
	"errors"
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/wire"
)

func TestStatesHaveEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine { return &Pauser{} }, "quanta", "spacing")
	snapshottest.EveryField(t, func() snapshot.Machine { return &Paused{next: wire.Never} }, "next")
}

// renew replaces both machines by others with the same state, by chance: nothing may change.
func (l *line) renew() {
	if l.random.IntN(100) > 0 {
		return
	}
	pauser, paused := &Pauser{}, &Paused{}
	if err := errors.Join(snapshottest.Renew(l.pauser, pauser), snapshottest.Renew(l.paused, paused)); err != nil {
		l.t.Fatal(err)
	}
	l.pauser, l.paused = pauser, paused
}

func TestGoldenStatesAreRead(t *testing.T) {
	pauser, err := NewPauser(PauserSettings{Priorities: 0b1000, XOff: [8]int{3: 10}, XOn: [8]int{3: 5}, Rate: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	pauser.SetLevel(3, 10)
	pauser.Poll(1000)
	snapshottest.Golden(t, "pauser", pauser, func() snapshot.Machine { return &Pauser{} })
	paused, err := NewPaused(PausedSettings{Priorities: 0b1000, Rate: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	paused.ReceivedFrame(wire.PFC{Enable: 0b1000, Quanta: [8]uint16{3: 100}}, 1000)
	snapshottest.Golden(t, "paused", paused, func() snapshot.Machine { return &Paused{} })
}
