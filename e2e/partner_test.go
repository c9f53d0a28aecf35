package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/wire"
)

func TestPartnerThatComesLaterIsMet(t *testing.T) {
	top := direct(t)
	p := pair{newDaemon(t, top.A, "A", settings{}), newDaemon(t, top.B, "B", settings{})}
	p.a.start()
	hostA, b := open(t, top.hostA, "eth0", probeType), open(t, top.B, "link0", probeType)
	hostA.send(probe(7, wire.MinFrameLen))
	if f := b.await("a native frame for a partner that is not known",
		func([]byte) bool { return true }); string(f) != string(probe(7, wire.MinFrameLen)) {
		t.Errorf("it is % x", f)
	}
	eventually(t, "a partner that is missed", func() string {
		if l := p.a.llr(); l.TxStatus.String() != "INIT" || l.PartnerKnown {
			return fmt.Sprintf("%+v", l)
		}
		return ""
	})
	p.b.start()
	p.advance()
	c := top.between()
	c.Frames = 10_000
	untouched(t, c)
}

func TestPartnerKilledUnderLoadIsMetAgain(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	for _, victim := range []struct {
		name string
		d    *daemon
	}{{"B", p.b}, {"A", p.a}} {
		t.Run(victim.name, func(t *testing.T) {
			l := top.load(t, 50*time.Millisecond)
			victim.d.kill()
			p.resume(t, "the restarted daemon was ready", victim.d.start())
			neverTwice(t, l.end())
		})
	}
	for _, d := range []*daemon{p.a, p.b} {
		if n := d.llrCounters().PartnerRestart; d == p.a && n != 0 || d == p.b && n != 1 {
			t.Errorf("%s counts %d restarts of its partner", d.name, n)
		}
	}
}

// station is a partner made of a packet socket: it answers LLR_INIT only.
type station struct{ *packets }

func newStation(t testing.TB, top *topology) station {
	return station{open(t, top.B, "link0", 0x0003)}
}

var stationMAC = wire.MAC{0x02, 's', 't', 'a', 0, 1}

// control sends a control frame.
func (s station) control(list ...wire.CtlOS) {
	s.t.Helper()
	frame := make([]byte, wire.MaxControlLen)
	s.send(frame[:wire.PutControl(frame, stationMAC, wire.EtherTypeControl, list)])
}

// answer receives one frame, echoes an LLR_INIT in it and returns its control ordered sets.
func (s station) answer() (said []wire.CtlOS) {
	s.t.Helper()
	frame := s.next()
	if len(frame) < wire.HeaderLen || wire.EtherType(frame) != wire.EtherTypeControl {
		return nil
	}
	var list [wire.MaxCtlOS]wire.CtlOS
	n, _, fault := wire.ParseControl(frame, &list)
	if fault != wire.NoFault {
		s.t.Errorf("control frame with a fault: % x", frame)
	}
	for _, c := range list[:n] {
		if c.Type == wire.LLRInit {
			s.control(wire.CtlOS{Type: wire.LLRInitEcho, Seq: c.Seq, InitData: c.InitData})
		}
	}
	return slices.Clone(list[:n])
}

func TestPartnerThatNeverAcknowledgesIsReported(t *testing.T) {
	top := direct(t)
	a := newDaemon(t, top.A, "A", settings{
		profile: "max_replay_count: 3, hold_timeout: 0, re_init_on_flush: false, flush_action: discard"})
	a.start()
	events := a.watch()
	s := newStation(t, top)
	reached := func(state string) {
		t.Helper()
		eventually(t, state, func() string {
			s.answer()
			if is := a.llr().TxStatus.String(); is != state {
				return is
			}
			return ""
		})
	}
	reached("ADVANCE")
	must(t, a.client.ClearCounters(t.Context(), ""))
	const frames = 50
	hostA := open(t, top.hostA, "eth0", probeType)
	for i := range uint32(frames) {
		hostA.send(probe(i, 100))
	}
	reached("FLUSH")
	link := a.link()
	if !slices.Equal(link.ErrorStatus, []string{"llr_tx_flush"}) || link.LLR.FlushReason != "replay count" {
		t.Errorf("error status %v, reason %q", link.ErrorStatus, link.LLR.FlushReason)
	}
	if c := link.LLR.Counters; c.TxFlush != 1 || c.TxReplay != 3 || c.TxFlushedFrames == 0 {
		t.Errorf("%+v", c)
	}
	events.shows("llr_tx_status", "FLUSH: replay count")

	a.tool("llr", "reinit", "link0").succeeds()
	reached("ADVANCE")
	if link := a.link(); len(link.ErrorStatus) > 0 || link.LLR.FlushReason != "" {
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
			top := direct(t)
			a, b := newDaemon(t, top.A, "A", settings{link: c.a}), newDaemon(t, top.B, "B", settings{link: c.b})
			b.start()
			events := b.watch() // before A can say anything
			a.start()
			if c.data {
				pair{a, b}.advance()
			}
			hostA, hostB := open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType)
			eventually(t, c.problem, func() string {
				if c.data {
					hostA.send(probe(1, 100))
				}
				if l := b.llr(); !strings.Contains(l.PartnerProblem, c.problem) {
					return fmt.Sprintf("%+v", *l)
				}
				return ""
			})
			events.shows("partner", c.problem)
			if f := hostB.next(); f != nil {
				t.Errorf("a frame was delivered: % x", f)
			}
			t.Log(b.llr().PartnerProblem)
		})
	}
}
