package lldp

import (
	"fmt"
	"syscall"
	"testing"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// upgraded has a daemon hand over, and waits for an answer of its successor.
func upgraded(d *bed.Daemon) {
	d.T.Helper()
	before, err := d.Client.Status(d.T.Context())
	bed.Must(d.T, err)
	bed.Must(d.T, d.Client.Upgrade(d.T.Context(), api.Upgrade{}))
	bed.Eventually(d.T, "an answer of the successor", func() string {
		if now, err := d.Client.Status(d.T.Context()); err != nil || now.PID == before.PID {
			return fmt.Sprintf("%+v, %v", now, err)
		}
		return ""
	})
}

// leave ends the process that is the daemon by now.
func leave(d *bed.Daemon) {
	d.T.Helper()
	status, err := d.Client.Status(d.T.Context())
	bed.Must(d.T, err)
	bed.Must(d.T, syscall.Kill(status.PID, syscall.SIGTERM))
	d.Wait()
}

// Neighbours notice no upgrade: lldpd inserts and deletes nobody.
func TestLLDPDSeesNoUpgrade(t *testing.T) {
	w := bed.NewWired(t)
	a := begin(t, w.A, "A", bed.LLDPOnly{Top: named("ours")})
	l := newLLDPD(t, w.B, "peer")
	a.AwaitNeighbor("peer")
	bed.Eventually(t, "lldpd hears ours", func() string {
		if list := l.neighbors(); len(list) != 1 || list[0].Name != "ours" {
			return fmt.Sprintf("%+v", list)
		}
		return ""
	})
	inserted, deleted, events := l.counted("insert_cnt"), l.counted("delete_cnt"), a.Watch()
	for range 5 {
		upgraded(a)
		if got := l.counted("insert_cnt"); got != inserted {
			t.Errorf("lldpd has inserted %s, before %s", got, inserted)
		}
		if got := l.counted("delete_cnt"); got != deleted {
			t.Errorf("lldpd has deleted %s, before %s", got, deleted)
		}
		a.AwaitNeighbor("peer")
	}
	events.Await("upgrade", "has taken over: program ")
	if of := events.Of("neighbor"); len(of) > 0 {
		t.Errorf("%v", of)
	}
	leave(a)
	l.hearsNobody()
}

// What DCBX has come to stays when either end is upgraded, and no message is exchanged for it.
func TestDCBXSeesNoUpgrade(t *testing.T) {
	t.Parallel()
	e := newEnds(t, exchange{pg: storage, pfc: []int{3}}, exchange{pg: halves, pfc: []int{3}, pgWilling: true})
	e.agree()
	sequence := func(d *bed.Daemon) [2]any { c := dcbxOf(d).Control; return [2]any{c.Local, c.RcvdAckNo} }
	before := [2]any{sequence(e.a), sequence(e.b)}
	inA, inB := e.a.Watch(), e.b.Watch()
	for range 2 {
		upgraded(e.a)
		e.agree()
		upgraded(e.b)
		e.agree()
	}
	if after := [2]any{sequence(e.a), sequence(e.b)}; after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
	for _, events := range []*bed.Events{inA, inB} {
		events.Await("upgrade", "has taken over: program ")
		if of := events.Of("dcbx", "neighbor"); len(of) > 0 {
			t.Errorf("%v", of)
		}
	}
	leave(e.a)
	leave(e.b)
}
