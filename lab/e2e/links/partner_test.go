package links

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

func TestPartnerThatComesLaterIsMet(t *testing.T) {
	top := bed.Direct(t)
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Settings{}), B: bed.NewDaemon(t, top.B, "B", bed.Settings{})}
	p.A.Start()
	hostA, b := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.B, "link0", bed.ProbeType)
	hostA.Send(bed.Probe(7, wire.MinFrameLen))
	if f := b.Await("a native frame for a partner that is not known",
		func([]byte) bool { return true }); string(f) != string(bed.Probe(7, wire.MinFrameLen)) {
		t.Errorf("it is % x", f)
	}
	bed.Eventually(t, "a partner that is missed", func() string {
		if l := p.A.LLR(); l.TxStatus.String() != "INIT" || l.PartnerKnown {
			return fmt.Sprintf("%+v", l)
		}
		return ""
	})
	p.B.Start()
	p.Advance()
	c := top.Between()
	c.Frames = 10_000
	bed.Untouched(t, c)
}

func TestPartnerKilledUnderLoadIsMetAgain(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	for _, victim := range []struct {
		name string
		d    *bed.Daemon
	}{{"B", p.B}, {"A", p.A}} {
		t.Run(victim.name, func(t *testing.T) {
			l := top.Load(t, 50*time.Millisecond)
			victim.d.Kill()
			p.Resume(t, "the restarted daemon was ready", victim.d.Start())
			bed.NeverTwice(t, l.End())
		})
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if n := d.LLRCounters().PartnerRestart; d == p.A && n != 0 || d == p.B && n != 1 {
			t.Errorf("%s counts %d restarts of its partner", d.Name, n)
		}
	}
}

func TestPartnerThatNeverAcknowledgesIsReported(t *testing.T) {
	top := bed.Direct(t)
	a := bed.NewDaemon(t, top.A, "A", bed.Settings{
		Profile: "max_replay_count: 3, hold_timeout: 0, re_init_on_flush: false, flush_action: discard"})
	a.Start()
	events := a.Watch()
	s := bed.NewStation(t, top)
	reached := func(state string) {
		t.Helper()
		bed.Eventually(t, state, func() string {
			s.Answer()
			if got := a.LLR().TxStatus.String(); got != state {
				return got
			}
			return ""
		})
	}
	reached("ADVANCE")
	bed.Must(t, a.Client.ClearCounters(t.Context(), ""))
	const frames = 50
	hostA := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	for i := range uint32(frames) {
		hostA.Send(bed.Probe(i, 100))
	}
	reached("FLUSH")
	link := a.Link()
	if !slices.Equal(link.ErrorStatus, []string{"llr_tx_flush"}) || link.LLR.FlushReason != "replay count" {
		t.Errorf("error status %v, reason %q", link.ErrorStatus, link.LLR.FlushReason)
	}
	if c := link.LLR.Counters; c.TxFlush != 1 || c.TxReplay != 3 || c.TxFlushedFrames == 0 {
		t.Errorf("%+v", c)
	}
	events.Await("llr_tx_status", "FLUSH: replay count")

	a.Tool("llr", "reinit", "link0").Succeeds()
	reached("ADVANCE")
	if link := a.Link(); len(link.ErrorStatus) > 0 || link.LLR.FlushReason != "" {
		t.Errorf("after reinit: error status %v, reason %q", link.ErrorStatus, link.LLR.FlushReason)
	}
}

func TestPartnerOfAnotherMindIsReportedAsSuch(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		problem    string // at B
		data       bool   // shows only when A sends frames
	}{
		{"another dialect", "dialect: ue1", "dialect: seed", "partner speaks dialect ue1, this port seed", true},
		{"other EtherTypes", "ethertypes: {data: 0x9101, control: 0x9102}", "", "partner sends under EtherType 0x9102", false},
		{"no FCS image", "fcs: false", "fcs: true", "partner sends no FCS image and this port demands one", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := bed.Direct(t)
			a, b := bed.NewDaemon(t, top.A, "A", bed.Settings{Link: c.a}), bed.NewDaemon(t, top.B, "B", bed.Settings{Link: c.b})
			b.Start()
			events := b.Watch() // before A can say anything
			a.Start()
			if c.data {
				bed.Pair{A: a, B: b}.Advance()
			}
			hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
			bed.Eventually(t, c.problem, func() string {
				if c.data {
					hostA.Send(bed.Probe(1, 100))
				}
				if l := b.LLR(); !strings.Contains(l.PartnerProblem, c.problem) {
					return fmt.Sprintf("%+v", *l)
				}
				return ""
			})
			events.Await("partner", c.problem)
			if f := hostB.Next(); f != nil {
				t.Errorf("a frame was delivered: % x", f)
			}
			t.Log(b.LLR().PartnerProblem)
		})
	}
}
