package path

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/dataplane/partner"
	"uelink/wire"
)

// injects puts a frame onto the wire from a link port with room, as a station between the two ends could.
func (e *end) injects(f []byte) {
	if e.l.Port.txRoom() <= controlReserve {
		return
	}
	slot, chunk := e.l.Port.slot()
	e.l.Port.Slots.state[slot].len = uint32(copy(chunk, f))
	e.l.Port.post(slot)
}

// random fills octets.
func random(r *rand.Rand, b []byte) []byte {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// randomStations is a control frame with up to four STATION of any item, which do not say the partner's start id but by
// chance.
func randomStations(r *rand.Rand) []byte {
	list := make([]wire.CtlOS, 1+r.IntN(4))
	for i := range list {
		list[i] = wire.CtlOS{Type: wire.StationCtlOS, Item: wire.StationItem(r.IntN(16))}
		random(r, list[i].Data[:])
	}
	return controlTo(wire.ControlDA, wire.MAC{2, 9}, list...)
}

// randomTypes is a valid control frame with one control ordered set of a type that is not LLR's, and any octets.
func randomTypes(r *rand.Rand) []byte {
	f := control(wire.CtlOS{Type: wire.StationCtlOS, Data: [5]byte(random(r, make([]byte, 5)))})
	if f[17] = byte(r.Uint32()); f[17] <= byte(wire.LLRInitEcho) {
		f[17] = 0
	}
	binary.LittleEndian.PutUint32(f[24:], crc32.ChecksumIEEE(f[:24]))
	return f
}

// randomData is a data frame of any octets behind its EtherType, with a good FCS image.
func randomData(r *rand.Rand) []byte {
	f := random(r, make([]byte, 100+r.IntN(300)))
	f[12], f[13] = byte(wire.EtherTypeData>>8), byte(wire.EtherTypeData&0xFF)
	end := len(f) - wire.FCSLen
	binary.LittleEndian.PutUint32(f[end:], crc32.ChecksumIEEE(f[:end]))
	return f
}

// randomNumbers is a data frame that is right in all but its number.
func randomNumbers(r *rand.Rand) []byte {
	return shimmed(wire.DialectSeed, wire.Preamble{Sequenced: true, Seq: r.Uint32N(wire.SeqMask + 1), FCS: true}, false)
}

// belief is some of what an end believes of its partner by STATION.
type belief struct {
	start         uint32
	carries, vcs  int
	busy, credits bool
}

func (e *end) believes() belief {
	p := &e.l.Partner
	return belief{p.Start(), p.MaxFrame(), p.VCs(), p.Busy(), p.CBFC()}
}

// A storm of forged frames, as many as the ends' own or more, costs nothing of the numbered frames of others: none is
// lost, refused or held up, and no word of such a frame is believed.
func TestForgedStormsCostNothing(t *testing.T) {
	inOneGoroutine(t)
	for name, forge := range map[string]func(*rand.Rand) []byte{
		"STATION": randomStations, "types": randomTypes, "data": randomData, "numbers": randomNumbers,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(8) {
				r := rand.New(rand.NewPCG(seed, 28))
				p := newPair(defaults(), seed)
				if !p.until(p.established, time.Second) {
					t.Fatal("LLR does not come up")
				}
				p.pass(10e6)
				before := [2]belief{p.a.believes(), p.b.believes()}
				storm := func() {
					for range 4 {
						p.a.injects(forge(r))
						p.b.injects(forge(r))
					}
				}
				if err := p.runWith(4000, 20*time.Second, storm); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for i, e := range []*end{p.a, p.b} {
					refused, flushed, problem := e.edge.Counters.RxOversized, e.l.Port.Counters.TxFlushed, e.l.Partner.Problem()
					if e.gaps+refused+flushed > 0 || problem != partner.None {
						t.Errorf("seed %d, %s: %d frames lost, %d refused, %d flushed; %q", seed, e.name, e.gaps, refused, flushed,
							e.l.remedy().Text)
					}
					if belief := e.believes(); belief != before[i] {
						t.Errorf("seed %d, %s believes %+v of its partner, before the storm %+v", seed, e.name, belief, before[i])
					}
				}
			}
		})
	}
}
