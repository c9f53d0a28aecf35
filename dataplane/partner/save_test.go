package partner

import (
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/wire"
)

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine {
		p := New(1)
		return &p
	}, "probe.required") // the link's, at each review
}

func TestGoldenStatesAreRead(t *testing.T) {
	p := New(1)
	p.present, p.mac, p.started, p.start = true, wire.MAC{2, 0, 0, 0, 0, 9}, true, 77
	p.reported = wire.Station{Largest: 9000, Live: true, Start: 77}
	p.probe.weighed.bits = 1.5
	snapshottest.Golden(t, "partner", &p, func() snapshot.Machine { return &Partner{} })
}

// FuzzRestore restores any text between a valid first and last line. A state that is accepted works on without a
// panic and can be saved.
func FuzzRestore(f *testing.F) {
	p := New(1)
	f.Add(snapshottest.Body(&p))
	f.Fuzz(func(t *testing.T, body []byte) {
		p := New(1)
		if snapshottest.Restore(body, &p) != nil {
			return
		}
		for now := range wire.Time(5) {
			p.UpdateProblem(wire.Station{}, uint64(now), now*1e9)
			p.AppendStation(wire.Station{}, nil, true, now*1e9)
			p.Probe(now * 1e9)
			p.MaxFrame()
		}
		snapshot.Save("partner", &p)
	})
}
