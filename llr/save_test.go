package llr

import (
	"math/rand/v2"
	"testing"

	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/wire"
)

func TestStateHasEveryField(t *testing.T) {
	snapshottest.EveryField(t, func() snapshot.Machine {
		p := profile()
		p.Replay = Auto
		l := NewLink(p, 1, testNonce)
		l.Tx.SetMode(true, 0)
		l.Tx.state = TxAdvance
		l.partnerKeeps(4)
		l.Tx.sel.start(&l.Tx.profile, &l.Tx.window)
		l.Rx.startReplay()
		l.Tx.Push(7, 60, false, 1)
		l.Tx.sel.lose(0)
		l.Tx.sel.gap = 0
		l.Rx.reorder.put(0, 7)
		l.Rx.reorder.free = append(l.Rx.reorder.free, 9)
		return l
	},
		"Rx.inOrder", "Rx.forward.keeps", "Rx.forward.next", "Rx.forward.acked", "Rx.forward.repeat", // by KeepFrames
		"Tx.window.mask", "Rx.reorder.space", "Rx.reorder.frames",
		"Tx.room.crowd", // the window fills again
		"timeline.*")    // measured anew, so that versions without it take the state over
}

// renew replaces the link by another with the same state, by chance: nothing may change.
func (s *station) renew() {
	if s.net.renews == nil || s.net.renews.IntN(*simRenew) > 0 {
		return
	}
	fresh := NewLink(Profile{MaxOutstandingFrames: 1}, 0, [2]byte{})
	if err := snapshottest.Renew(s.link, fresh); err != nil {
		s.net.failed("%s: %v", s.name, err)
	}
	s.link = fresh
	s.net.renewed++
}

// A simulation in which the ends are saved and restored again and again counts the same as without.
func TestSaveAndRestoreChangeNothing(t *testing.T) {
	times := uint64(0)
	for seed := range uint64(120) {
		kind := ReplayKind(seed % 2)
		plain, _ := simulateRenewed(t, seed/2+1, kind, false, nil)
		renewed, n := simulateRenewed(t, seed/2+1, kind, false, rand.New(rand.NewPCG(seed, 3)))
		if plain != renewed {
			t.Fatalf("seed %d, %v: saved and restored: %+v\nplain: %+v", seed/2+1, kind, renewed, plain)
		}
		times += n
	}
	if t.Logf("saved and restored %d times", times); times < 1000 {
		t.Error("hardly ever saved and restored")
	}
}

// savedLink is a link with frames in the replay buffer.
func savedLink() *Link {
	l := NewLink(profile(), 1, testNonce)
	l.Rx.SetMode(true)
	l.Tx.SetMode(true, 0)
	l.Poll(1000, true, nil)
	l.ReceivedControl(2000, wire.CtlOS{Type: wire.LLRInitEcho, Seq: 1, InitData: testNonce},
		wire.CtlOS{Type: wire.LLRInit, Seq: 9, InitData: [2]byte{7}})
	for slot := range uint32(3) {
		l.Tx.Push(slot, 100+int(slot), slot == 1, 3000)
	}
	l.Rx.Receive(9, wire.FCSGood, 60)
	return l
}

func TestGoldenStatesAreRead(t *testing.T) {
	fresh := func() snapshot.Machine { return NewLink(profile(), 5, [2]byte{}) }
	snapshottest.Golden(t, "link", savedLink(), fresh)
}

func TestRestoredLinkHasFramesAndNumbers(t *testing.T) {
	l := NewLink(profile(), 5, [2]byte{})
	if err := snapshottest.Renew(savedLink(), l); err != nil {
		t.Fatal(err)
	}
	if frames, octets := l.Tx.Outstanding(); frames != 3 || octets != 303 || l.Tx.NextSeq() != 4 || l.Rx.NextSeq() != 10 {
		t.Errorf("%d frames with %d octets outstanding, numbers %d and %d", frames, octets, l.Tx.NextSeq(), l.Rx.NextSeq())
	}
}

// FuzzRestore restores any text between a valid first and last line. A state that is accepted works on without a
// panic and can be saved.
func FuzzRestore(f *testing.F) {
	f.Add(snapshottest.Body(savedLink()))
	f.Fuzz(func(t *testing.T, body []byte) {
		l := NewLink(profile(), 1, testNonce)
		if snapshottest.Restore(body, l) != nil {
			return
		}
		for now := range wire.Time(5) {
			l.ReceivedControl(now*1e6, wire.CtlOS{Type: wire.LLRNack, Seq: l.Tx.NextSeq()})
			l.Rx.Receive(l.Rx.NextSeq(), wire.FCSGood, 60)
			if l.Tx.Admit(60) == Sequence {
				l.Tx.Push(99, 60, false, now*1e6)
			}
			for range 100 {
				l.Tx.Replay()
				l.Tx.Free()
			}
			l.Poll(now*1e6, true, nil)
			l.Deadline()
		}
		snapshot.Save("llr", l)
	})
}
