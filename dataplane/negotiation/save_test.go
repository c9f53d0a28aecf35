package negotiation

import (
	"math/rand/v2"
	"testing"
	"time"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
)

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine { return &Machine{} })
}

// renew replaces the machine by another with the same state, by chance: nothing may change.
func (e *end) renew(r *rand.Rand) error {
	if r.IntN(20) > 0 {
		return nil
	}
	var fresh Machine
	err := snapshottest.Renew(&e.Machine, &fresh)
	e.Machine = fresh
	return err
}

func TestGoldenStatesAreRead(t *testing.T) {
	var m Machine
	m.Configure(true, Both{Local: true, Remote: true}, time.Second, 1000)
	m.ReceivedAgreement(Both{Local: true, Remote: true}, 2000)
	m.SetRemote(false, 3000)
	snapshottest.Golden(t, "negotiation", &m, func() snapshot.Machine { return &Machine{} })
}
