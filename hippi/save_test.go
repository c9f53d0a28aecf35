package hippi

import (
	"math/rand/v2"
	"testing"
	"time"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/wire/micropacket"
)

// The fields that stay out are those computed from others, and the micropackets of rings, of which only the filled part
// is saved: TestSaveAndRestoreChangeNothing has them.
func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine { return NewLink(Software(), 1) },
		"src.common", "src.buffer[]", "src.buffer[0].*", "src.waiting", "src.funded", "src.under[0]", "src.under[4]",
		"src.owner[]", "src.owner[0]", "dst.space", "dst.vc[0].slots[]", "dst.vc[0].slots[0].*", "dst.vc[0].head",
		"dst.vc[3].slots[]", "dst.vc[3].slots[0].*", "dst.vc[3].head", "arrival[0].chunk[]", "arrival[3].chunk[]",
		"scratch.*")
}

// renew replaces the machine of a station by another with the same state, by chance: nothing may change.
func (w *pair) renew(s *station) {
	if w.renews == nil || w.renews.IntN(50) > 0 {
		return
	}
	fresh := NewLink(Standard(), 1)
	if err := snapshottest.Renew(s.l, fresh); err != nil {
		w.failed("%s: %v", s.name, err)
	}
	for vc := range s.busy {
		if s.busy[vc] {
			clear(s.chunks[vc])
			fresh.Move(uint8(vc), s.chunks[vc])
		}
	}
	s.l = fresh
	w.renewed++
}

// A simulation in which the ends are saved and restored again and again counts the same as without.
func TestSaveAndRestoreChangeNothing(t *testing.T) {
	times := 0
	for seed := range uint64(20) {
		var plain, renewed Counters
		simulate(t, seed+1, &plain, nil)
		times += simulate(t, seed+1, &renewed, rand.New(rand.NewPCG(seed, 3)))
		if plain != renewed {
			t.Fatalf("seed %d: saved and restored: %+v\nplain: %+v", seed+1, renewed, plain)
		}
	}
	if t.Logf("saved and restored %d times", times); times < 1000 {
		t.Error("hardly ever saved and restored")
	}
}

// savedLink is an end with a Message on its way out, one on its way in, and one that waits for memory.
func savedLink(t *testing.T) *Link {
	p := Software()
	p.SULAAllowed = true
	b := newBench(t, p)
	b.credit(1, 20)
	b.credit(0, 3)
	b.acknowledge()
	want(t, "request", b.l.TransferRequest(1, Message{D: micropacket.ULA{2, 9}, Data: make([]byte, 3000)}, b.now), nil)
	b.sends()
	b.null(b.l.src.first + 4)
	b.header(0, 100, false)
	b.l.Accept(0, make([]byte, 100), b.now)
	b.header(2, 50, false)
	b.wait(3 * time.Millisecond)
	return b.l
}

func TestGoldenStatesAreRead(t *testing.T) {
	snapshottest.Golden(t, "hippi", savedLink(t), func() snapshot.Machine { return NewLink(Software(), 5) })
}

func TestRestoredLinkHasMicropacketsAndNumbers(t *testing.T) {
	l := NewLink(Software(), 5)
	if err := snapshottest.Renew(savedLink(t), l); err != nil {
		t.Fatal(err)
	}
	_, waits := l.Arriving(2)
	want(t, "a Message waits on VC2", waits, true)
	want(t, "outstanding", l.Source().Outstanding(), 1+20-5)
	want(t, "credits of VC0", l.Source().Credit(0), 3)
	want(t, "octets arrived on VC0", l.arrival[0].at, micropacket.HeaderPayload)
	chunk := make([]byte, 100)
	want(t, "memory that is too short", l.Move(0, chunk[:99]), false)
	want(t, "memory for no Message", l.Move(2, chunk), false)
	want(t, "memory", l.Move(0, chunk), true)
	want(t, "memory of VC0", &l.arrival[0].chunk[0], &chunk[0])
}

// FuzzRestore restores any text between a valid first and last line. A state that is accepted works on without a
// panic and can be saved.
func FuzzRestore(f *testing.F) {
	f.Add(snapshottest.Body(NewLink(Software(), 1)))
	f.Fuzz(func(t *testing.T, body []byte) {
		l := NewLink(Software(), 5)
		if snapshottest.Restore(body, l) != nil {
			return
		}
		b, chunk := &bench{t: t, l: l, now: 1}, make([]byte, longestSaved)
		for i := range 5 {
			b.now = b.now.Add(time.Duration(i) * 10 * time.Millisecond)
			var m micropacket.Micropacket
			for range 300 {
				l.Transmit(b.now, &m)
			}
			for vc := range uint8(VCs) {
				_ = l.TransferRequest(vc, Message{Data: make([]byte, 100)}, b.now)
				l.TransferConfirm(vc)
				b.header(vc, 100, i%2 == 0)
				l.Accept(vc, chunk, b.now)
				l.TransferIndicate(vc)
				l.TransferResponse(vc, b.now)
				l.AdminIndicate(vc)
			}
			b.null(l.dst.rseq + uint8(i))
		}
		snapshot.Save("hippi", l)
	})
}
