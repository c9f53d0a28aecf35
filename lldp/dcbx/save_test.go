package dcbx

import (
	"math/rand/v2"
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
)

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine {
		p, err := NewPort(Default(), &Output{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}, "control.features", "control.sends", "pg.id", "pfc.id", "app.id", "pg.find", "pg.emit", "pfc.find", "pfc.emit",
		"app.find", "app.emit")
}

// renew replaces the port by another with the same state, by chance: nothing may change.
func (a *agent) renew(r *rand.Rand) error {
	if r.IntN(20) > 0 {
		return nil
	}
	fresh, err := NewPort(Default(), &Output{})
	if err != nil {
		return err
	}
	if err := snapshottest.Renew(a.port, fresh); err != nil {
		return err
	}
	if a.check.port == a.port {
		a.check.port = fresh
	}
	a.port = fresh
	return nil
}

// savedPort is a port with a peer.
func savedPort(t testing.TB) *Port {
	var out Output
	p, err := NewPort(Default(), &out)
	if err != nil {
		t.Fatal(err)
	}
	p.SetLink(true, &out)
	peer, err := NewPort(Default(), &out)
	if err != nil {
		t.Fatal(err)
	}
	peer.SetLink(true, &out)
	payload, _ := peer.AppendTLV(nil)
	p.Receive(1, [][]byte{payload}, &out)
	return p
}

// freshPort is a port without a link.
func freshPort() snapshot.Machine {
	p, err := NewPort(Default(), &Output{})
	if err != nil {
		panic(err)
	}
	return p
}

// TestReasonsOfEarlierVersions: a restored reason has the words of this version, so comparisons hold after an upgrade.
func TestReasonsOfEarlierVersions(t *testing.T) {
	for former, want := range map[Reason]Reason{
		"it is disabled here":                       ReasonDisabled,
		"the peer has it disabled":                  ReasonPeerDisabled,
		"the peer's settings cannot be operated by": ReasonUnusable,
		ReasonAbsent:                                ReasonAbsent,
	} {
		saved, restored := savedPort(t), freshPort().(*Port)
		saved.pfc.reason = former
		if err := snapshottest.Restore(snapshottest.Body(saved), restored); err != nil {
			t.Fatal(err)
		}
		equal(t, string(former), restored.pfc.reason, want)
	}
}

func TestGoldenStatesAreRead(t *testing.T) { snapshottest.Golden(t, "dcbx", savedPort(t), freshPort) }

// FuzzRestore restores any text between a valid first and last line. A state that is accepted works on without a
// panic and can be saved.
func FuzzRestore(f *testing.F) {
	f.Add(snapshottest.Body(savedPort(f)))
	f.Fuzz(func(t *testing.T, body []byte) {
		p := freshPort().(*Port)
		if snapshottest.Restore(body, p) != nil {
			return
		}
		var out Output
		payload, _ := savedPort(t).AppendTLV(nil)
		p.Receive(1, [][]byte{payload}, &out)
		p.AppendTLV(nil)
		p.Snapshot()
		p.NeighborDeleted(true, 0, &out)
		snapshot.Save("dcbx", p)
	})
}
