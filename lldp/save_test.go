package lldp

import (
	"bytes"
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/wire"
)

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine {
		a := NewAgent(Config{}, RxTx, Local{})
		a.pending = &Local{}
		a.rx.neighbors.list = []Neighbor{{Info: &Info{octets: []byte{1}}}}
		return a
	}, "providers", "parsed", "orgs", "infos", "sources", "removed", "rx.neighbors.max", "rx.neighbors.list[0].Info.PDU")
}

// savedAgent is an agent with a neighbour.
func savedAgent(t testing.TB) *Agent {
	local := Local{Chassis: ChassisID{Subtype: ChassisMAC, ID: []byte{2, 0, 0, 0, 0, 1}},
		Port: PortID{Subtype: PortIfName, ID: []byte("eth0")}, SystemName: "a"}
	a := NewAgent(Config{Destination: NearestBridge, Timers: DefaultTimers()}, RxTx, local)
	local.Chassis.ID = []byte{2, 0, 0, 0, 0, 2}
	b := NewAgent(Config{Destination: NearestBridge, Timers: DefaultTimers()}, RxTx, local)
	a.SetPortEnabled(true)
	b.SetPortEnabled(true)
	frame, _ := b.Poll(1000, nil, nil)
	a.Poll(1000, nil, nil)
	if a.Receive(frame, 2000, nil); len(a.rx.neighbors.list) != 1 {
		t.Fatal("no neighbour")
	}
	return a
}

// A restored agent sends no shutdown LLDPDU, whatever its local data were before.
func TestRestoredAgentKeepsItsIdentity(t *testing.T) {
	a := savedAgent(t)
	other := NewAgent(Config{}, RxTx, Local{})
	other.SetLocal(a.local)
	if err := snapshot.Restore("agent", snapshot.Save("agent", a), other); err != nil {
		t.Fatal(err)
	}
	for now := range wire.Time(10) {
		want, _ := a.Poll(now*1e9, nil, nil)
		if frame, _ := other.Poll(now*1e9, nil, nil); !bytes.Equal(frame, want) {
			t.Errorf("% x is sent, not % x", frame, want)
		}
	}
}

func freshAgent() snapshot.Machine { return NewAgent(Config{}, Off, Local{}) }

func TestGoldenStatesAreRead(t *testing.T) {
	snapshottest.Golden(t, "agent", savedAgent(t), freshAgent)
}

// FuzzRestore restores any text between a valid first and last line. A state that is accepted works on without a
// panic and can be saved.
func FuzzRestore(f *testing.F) {
	f.Add(snapshottest.Body(savedAgent(f)))
	f.Fuzz(func(t *testing.T, body []byte) {
		a := NewAgent(Config{}, Off, Local{})
		if snapshottest.Restore(body, a) != nil {
			return
		}
		frame, _ := savedAgent(t).Poll(5e9, nil, nil)
		for i := range wire.Time(5) {
			a.Receive(frame, i*1e9, nil)
			a.Poll(i*1e9, nil, nil)
			a.Deadline()
		}
		snapshot.Save("agent", a)
	})
}
