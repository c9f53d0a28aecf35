package cbfc

import (
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/wire"
)

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine { return NewPort(settingsOf(1, 100)) },
		"Rx.space", "Rx.settings", "Tx.size", "Tx.pool.profile", "Tx.pool.keeps", "Tx.pool.shared", "Tx.pool.most",
		"Tx.pool.size", "Tx.pool.bound")
}

// renew replaces the port by another with the same state, by chance: nothing may change.
func (m *machine) renew() {
	if m.renews == nil || m.renews.IntN(500) > 0 {
		return
	}
	fresh := NewPort(Settings{})
	if err := snapshottest.Renew(m.port, fresh); err != nil {
		m.net.failed("%s: %v", m.name, err)
	}
	m.port = fresh
}

func TestGoldenStatesAreRead(t *testing.T) {
	p := started(t, settingsOf(0b101, 100))
	p.a.Tx.Charge(2, 7, p.now)
	snapshottest.Golden(t, "port", p.a.Port, func() snapshot.Machine { return NewPort(Settings{}) })
}

func TestRestoredPortHasItsCredits(t *testing.T) {
	p := started(t, settingsOf(0b101, 100))
	p.a.Tx.Charge(2, 7, p.now)
	fresh := NewPort(Settings{})
	if err := snapshottest.Renew(p.a.Port, fresh); err != nil {
		t.Fatal(err)
	}
	if v := &fresh.Tx.vc[2]; v.channel.phase != Lossless || v.used != 7 || v.limit != 100 || fresh.Tx.Used != 7 {
		t.Errorf("VC 2: %v, %d credits used of %d", v.channel.phase, v.used, v.limit)
	}
}

// FuzzRestore restores any text between a valid first and last line. A state that is accepted works on without a
// panic and can be saved.
func FuzzRestore(f *testing.F) {
	f.Add(snapshottest.Body(NewPort(settingsOf(0b101, 100))))
	f.Fuzz(func(t *testing.T, body []byte) {
		p := NewPort(Settings{})
		if snapshottest.Restore(body, p) != nil {
			return
		}
		env := Env{Known: true, CBFC: true, Start: 3, LLR: true, Largest: 1514, Idle: true}
		for i := range wire.Time(5) {
			now := i * second
			p.ReceivedControl([]wire.CtlOS{{Type: wire.CFUpdate}}, &env, now)
			if credits, g := p.Tx.Gate(0, 100); g == Open {
				p.Tx.Charge(0, credits, now)
			}
			p.Rx.Free(0, p.Rx.Store(0, 100))
			p.Poll(now, &env, make([]wire.CtlOS, 0, 100))
			p.Deadline()
			p.State(now)
		}
		snapshot.Save("cbfc", p)
	})
}
