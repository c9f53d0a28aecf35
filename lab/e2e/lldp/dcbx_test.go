package lldp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/lab/e2e/bed"
	"uelink/lldp/dcbx"
)

// exchange is a daemon's side of DCBX as these tests configure it.
type exchange struct {
	pg                    dcbx.PG
	pfc                   []int // priorities
	pgWilling, pfcWilling bool
	pfcSilent             bool // PFC is not advertised
}

// Two opinions about priority groups.
var (
	storage = dcbx.PG{Group: [8]uint8{0, 0, 0, 3, 0, 0, 0, 15}, Percentage: [8]uint8{50, 0, 0, 50}, NumTCs: 8}
	halves  = dcbx.PG{Group: [8]uint8{0, 0, 0, 0, 1, 1, 1, 1}, Percentage: [8]uint8{70, 30}, NumTCs: 4}
)

// Text is the configuration of the daemon.
func (e exchange) Text(socket string) string {
	keys := fmt.Sprintf("mode: on, version: cee, pg: {willing: %v, priority_group: %s, bandwidth: %s, max_tcs: %d}, "+
		"pfc: {willing: %v, advertise: %v, priorities: %s}",
		e.pgWilling, list(e.pg.Group[:]), list(e.pg.Percentage[:]), e.pg.NumTCs, e.pfcWilling, !e.pfcSilent, list(e.pfc))
	return bed.LLDPOnly{DCBX: keys}.Text(socket)
}

// list is numbers as a list of YAML.
func list[T any](numbers []T) string { return strings.Join(strings.Fields(fmt.Sprint(numbers)), ", ") }

// bitmap is priorities as PFC says them.
func bitmap(priorities []int) (b uint8) {
	for _, p := range priorities {
		b |= 1 << p
	}
	return b
}

// outcome is what DCBX has come to at one end.
type outcome struct {
	PG                dcbx.PG // to operate by
	PFC               uint8
	PGMode, PFCMode   bool
	PGError, PFCError bool
	// What the peer is known to want.
	PeerPG                        dcbx.PG
	PeerPFC                       uint8
	PeerPGWilling, PeerPFCWilling bool
}

// outcomeOf returns the present state; acked reports that the peer has acknowledged all of this end's messages.
func outcomeOf(d *bed.Daemon) (o outcome, acked bool) {
	d.T.Helper()
	s := dcbxOf(d)
	return outcome{
		PG: s.PG.Oper.OperCfg.PG, PGMode: s.PG.Oper.OperMode, PGError: s.PG.Oper.Error,
		PFC: s.PFC.Oper.OperCfg.Enable, PFCMode: s.PFC.Oper.OperMode, PFCError: s.PFC.Oper.Error,
		PeerPG: s.PG.Peer.Config.PG, PeerPGWilling: s.PG.Peer.Willing,
		PeerPFC: s.PFC.Peer.Config.Enable, PeerPFCWilling: s.PFC.Peer.Willing,
	}, s.Control.RcvdAckNo == s.Control.Local.SeqNo && s.PG.Oper.Syncd && s.PFC.Oper.Syncd
}

// reaches waits until DCBX has come to want, and a peer, if there is one, has
// acknowledged it.
func reaches(d *bed.Daemon, want outcome) {
	d.T.Helper()
	bed.Eventually(d.T, d.Name+" operates as wanted", func() string {
		got, acked := outcomeOf(d)
		if diff := cmp.Diff(want, got); diff != "" || acked || want.PeerPG == (dcbx.PG{}) {
			return diff
		}
		return "it is not acknowledged"
	})
}

// agreed is what own comes to with a peer, by the table of AdoptPeer, KeepLocal
// and CfgNotCompatible (DCBX, 2.4.3.1): priority groups suit in any case,
// flow control only if it is of the same priorities.
func agreed(own, peer exchange) outcome {
	o := outcome{PG: own.pg, PGMode: true, PFC: bitmap(own.pfc), PFCMode: true,
		PeerPG: peer.pg, PeerPFC: bitmap(peer.pfc), PeerPGWilling: peer.pgWilling, PeerPFCWilling: peer.pfcWilling}
	if own.pgWilling && !peer.pgWilling {
		o.PG = peer.pg
		o.PG.NumTCs = min(peer.pg.NumTCs, own.pg.NumTCs) // never more classes than the own
	}
	switch {
	case own.pfcWilling && !peer.pfcWilling:
		o.PFC = bitmap(peer.pfc)
	case own.pfcWilling == peer.pfcWilling && !slices.Equal(own.pfc, peer.pfc):
		o.PFC, o.PFCMode, o.PFCError = 0, false, true
	}
	return o
}

// alone is what own comes to without a peer: its own priority groups, no flow
// control (DCBX, 3.1.4 and 3.2.4).
func alone(own exchange) outcome { return outcome{PG: own.pg, PGError: true, PFCError: true} }

// ends is two daemons that speak DCBX, and what each is configured to.
type ends struct {
	t      testing.TB
	a, b   *bed.Daemon
	ca, cb exchange
}

func newEnds(t testing.TB, ca, cb exchange) *ends {
	t.Helper()
	w := bed.NewWired(t)
	e := &ends{t: t, a: bed.NewDaemon(t, w.A, "A", ca), b: bed.NewDaemon(t, w.B, "B", cb), ca: ca, cb: cb}
	e.a.Start()
	e.b.Start()
	return e
}

// become reconfigures both.
func (e *ends) become(ca, cb exchange) {
	e.t.Helper()
	e.ca, e.cb = ca, cb
	e.a.Reload(ca.Text(e.a.Socket))
	e.b.Reload(cb.Text(e.b.Socket))
}

// agree waits until both operate by what they have to agree on.
func (e *ends) agree() {
	e.t.Helper()
	reaches(e.a, agreed(e.ca, e.cb))
	reaches(e.b, agreed(e.cb, e.ca))
}

// Every combination of willing ends, for both features, with different settings. Where that is a mismatch, the ends
// change their settings and recover.
func TestDCBXWillingness(t *testing.T) {
	t.Parallel()
	a, b := exchange{pg: storage, pfc: []int{3}}, exchange{pg: halves, pfc: []int{3, 4}}
	e := newEnds(t, a, b)
	for _, c := range []struct{ a, b bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		t.Run(fmt.Sprintf("willing %v and %v", c.a, c.b), func(t *testing.T) {
			a.pgWilling, a.pfcWilling, b.pgWilling, b.pfcWilling = c.a, c.a, c.b, c.b
			e.become(a, b)
			e.agree()
			if c.a != c.b {
				return
			}
			same := b
			same.pfc = a.pfc
			e.become(a, same)
			e.agree()
		})
	}
	t.Run("one feature each", func(t *testing.T) {
		a.pgWilling, a.pfcWilling, b.pgWilling, b.pfcWilling = true, false, false, true
		e.become(a, b)
		e.agree()
	})
}

// DCBX taken away and given back, in every way that there is; the other end
// notices each, and both agree again.
func TestDCBXWithdrawn(t *testing.T) {
	t.Parallel()
	a, b := exchange{pg: storage, pfc: []int{3}}, exchange{pg: halves, pfc: []int{3}, pfcWilling: true, pgWilling: true}
	e := newEnds(t, a, b)
	e.agree()
	seen := e.b.Watch()
	back := func() { e.t.Helper(); e.become(a, b); e.agree() }

	t.Run("switched off", func(t *testing.T) {
		e.a.Reload(bed.LLDPOnly{}.Text(e.a.Socket))
		reaches(e.b, alone(b))
		seen.Await("dcbx_peer_not_advertising", "")
		if n := e.b.Neighbors(); len(n) != 1 {
			t.Errorf("%d neighbours", len(n))
		}
		back()
	})
	t.Run("LLDP no longer transmits", func(t *testing.T) {
		e.a.Reload(bed.LLDPOnly{LLDP: bed.Brisk + ", mode: rx-only"}.Text(e.a.Socket))
		reaches(e.b, alone(b))
		hearsNobody(e.b)
		back()
	})
	t.Run("shut down", func(t *testing.T) {
		e.a.Terminate()
		reaches(e.b, alone(b))
		seen.Await("dcbx_peer_shut_down", "")
		e.a.Start()
		e.agree()
	})
	t.Run("one feature", func(t *testing.T) {
		silent := a
		silent.pfcSilent = true
		e.a.Reload(silent.Text(e.a.Socket))
		want := agreed(b, a)
		want.PFC, want.PFCMode, want.PFCError, want.PeerPFC = 0, false, true, 0
		reaches(e.b, want)
		seen.Await("dcbx_feature_absent", "")
		if o, _ := outcomeOf(e.a); o.PFC != bitmap(a.pfc) || !o.PFCMode || o.PFCError {
			t.Errorf("what is not exchanged is not as configured: %+v", o)
		}
		back()
	})
	t.Run("killed", func(t *testing.T) {
		e.a.Kill()
		reaches(e.b, alone(b))
		seen.Await("dcbx_peer_timed_out", "")
		e.a.Start()
		e.agree()
	})
}
