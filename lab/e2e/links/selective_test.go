package links

import (
	"fmt"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/llr"
)

// replaying returns a lossless link with a kind of replay.
func replaying(kind string) bed.Settings {
	s := bed.Lossless
	s.Profile += ", replay: " + kind
	return s
}

// awaitReplay waits until both directions of a link replay by a kind, for a reason.
func awaitReplay(t testing.TB, d *bed.Daemon, kind llr.ReplayKind, reason llr.ReplayReason) {
	t.Helper()
	bed.Eventually(t, fmt.Sprintf("%v at %s", kind, d.Name), func() string {
		if l := d.LLR(); l.ReplayTx != kind || l.ReplayRx != kind || l.ReplayReason != string(reason) {
			return fmt.Sprintf("%v sent, %v received: %q", l.ReplayTx, l.ReplayRx, l.ReplayReason)
		}
		return ""
	})
}

// Over a wire that loses, damages, doubles and reorders frames every frame arrives once and in order, whatever kinds of
// replay the two ends are set to: selective where both can, else go-back-N, and each end says which and why.
func TestSelectiveReplayOverABadWire(t *testing.T) {
	const goes = llr.ReplayConfigured
	for _, c := range []struct {
		a, b   string
		kind   llr.ReplayKind
		reason [2]llr.ReplayReason
	}{
		{"selective", "selective", llr.Selective, [2]llr.ReplayReason{}},
		{"auto", "selective", llr.Selective, [2]llr.ReplayReason{}},
		{"auto", "go_back_n", llr.GoBackN, [2]llr.ReplayReason{llr.ReplayPartner, goes}},
		{"go_back_n", "selective", llr.GoBackN, [2]llr.ReplayReason{goes, llr.ReplayPartner}},
	} {
		t.Run(c.a+" and "+c.b, func(t *testing.T) {
			top := bed.Cabled(t)
			cable := top.Cable("--loss", "0.01", "--corrupt", "0.001", "--duplicate", "0.001", "--reorder", "0.001")
			p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", replaying(c.a)), B: bed.NewDaemon(t, top.B, "B", replaying(c.b))}
			p.Start()
			f := top.Between()
			f.Frames, f.Size = 20_000, "imix"
			r := bed.Untouched(t, f)
			for i, d := range []*bed.Daemon{p.A, p.B} {
				awaitReplay(t, d, c.kind, c.reason[i])
				n := d.LLRCounters()
				if selective := c.kind == llr.Selective; selective != (n.RxKept > 0) || selective != (n.TxSelected > 0) {
					t.Errorf("%s: %d frames kept, %d sent again alone", d.Name, n.RxKept, n.TxSelected)
				}
				arrived, judged := n.RxOK+n.RxBad, n.RxExpectedSeqGood+n.RxExpectedSeqBad+n.RxMissingSeq+n.RxDuplicateSeq
				if arrived != judged+n.RxNotInitialized {
					t.Errorf("%s: %d frames have arrived, and %d are judged: %+v", d.Name, arrived, judged, n)
				}
				t.Logf("%s: %d frames sent for %d delivered; %+v", d.Name, n.TxOK, r.Directions[i].Delivered, n)
				if l := d.LLR(); c.kind == llr.GoBackN {
					t.Logf("recommended %v: goodput %.2f, and %.2f", l.RecommendedReplay, l.GoBackNGoodput, l.SelectiveGoodput)
				}
			}
			if n := bed.Dropped(cable.Pull()); n == 0 {
				t.Error("the wire has lost nothing")
			}
		})
	}
}

// Under load, over a wire that loses frames, both ends are reloaded with selective replay: the sockets are reopened
// with memory for kept frames, and once both ends keep frames LLR begins again with the other kind. No frame is lost.
// Nor is one when the kind is changed back, and sockets are reopened, while frames are kept.
func TestSelectiveReplayAfterAReload(t *testing.T) {
	top := bed.Cabled(t)
	top.Cable("--loss", "0.01")
	p := top.Daemons(replaying("go_back_n"))
	load := top.Load(t, bed.Patience)
	awaitReplay(t, p.A, llr.GoBackN, llr.ReplayConfigured)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		d.Reload(replaying("auto").Text(d.Socket))
	}
	awaitReplay(t, p.A, llr.Selective, llr.ReplaySelective)
	awaitReplay(t, p.B, llr.Selective, llr.ReplaySelective)
	if n := p.A.Link().Notice; !strings.Contains(n, "reload: replay") {
		t.Errorf("%q", n)
	}
	bed.NothingLost(t, load.End())
	f := top.Between()
	f.Frames, f.Size = 10_000, "imix"
	bed.Untouched(t, f)
	load = top.Load(t, bed.Patience)
	load.Reach(3000)
	p.A.Reload(strings.ReplaceAll(replaying("auto").Text(p.A.Socket), "role: link,", "role: link, ring_size: 2048,"))
	p.B.Reload(replaying("go_back_n").Text(p.B.Socket))
	awaitReplay(t, p.A, llr.GoBackN, llr.ReplayPartner)
	awaitReplay(t, p.B, llr.GoBackN, llr.ReplayConfigured)
	load.Reach(8000)
	bed.NothingLost(t, load.End())
}
