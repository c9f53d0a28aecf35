package status

import (
	"testing"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/llr"
)

// A link is judged by its interface first, and then by the first cause that applies.
func TestStatusOfALink(t *testing.T) {
	for want, change := range map[string]func(p *api.Port, l *api.LLR){
		"error ip -d link show": func(p *api.Port, l *api.LLR) { p.OperStatus, l.TxStatus = "absent", llr.TxFlush },
		"error ip link set dev eth1 up, here and at the other end": func(p *api.Port, l *api.LLR) {
			p.OperStatus, l.PartnerProblem = "down", "silent"
		},
		"error uelink llr reinit link0": func(_ *api.Port, l *api.LLR) {
			l.TxStatus, l.PartnerProblem = llr.TxFlush, "silent"
		},
		"error systemctl start uelinkd, at the other end": func(_ *api.Port, l *api.LLR) { l.TxStatus = llr.TxInit },
		"error ":                                  func(_ *api.Port, l *api.LLR) { l.TxStatus, l.PartnerProblem = llr.TxInit, "dialect" },
		"warning ":                                func(_ *api.Port, l *api.LLR) { l.PartnerProblem = "dialect" },
		"error uelink llr local enable link0":     func(_ *api.Port, l *api.LLR) { l.RxStatus = llr.RxOff },
		"error uelink watch frames link0":         func(_ *api.Port, l *api.LLR) { l.Stalled = "60 octets" },
		"warning uelink status, at the other end": func(_ *api.Port, l *api.LLR) { l.PartnerBusy = true },
	} {
		l := &api.LLR{}
		l.Local, l.Remote, l.PartnerKnown, l.TxStatus, l.RxStatus = true, true, true, llr.TxAdvance, llr.RxSendAcks
		p := api.Port{Name: "link0", Interface: "eth1", Role: "link", OperStatus: api.OperUp, LLR: l}
		if list := portProblems(p); len(list) > 0 {
			t.Fatalf("a link without a problem: %+v", list)
		}
		change(&p, l)
		list := portProblems(p)
		if len(list) != 1 || list[0].Is.String()+" "+list[0].Type != want {
			t.Errorf("want %q: %+v", want, list)
		}
	}
}

// A link is judged by the first cause that applies.
func TestHIPPIStatus(t *testing.T) {
	for want, change := range map[string]func(h *api.HIPPI){
		"error ": func(h *api.HIPPI) { h.PartnerProblem, h.Activity = "protocol", false },
		"error systemctl start uelinkd, at the other end": func(h *api.HIPPI) { h.Activity, h.Ready = false, false },
		"error uelink hippi reset link2":                  func(h *api.HIPPI) { h.LinkState, h.Ready = "Shutdown", false },
		"warning uelink hippi interface link2":            func(h *api.HIPPI) { h.LinkState, h.Ready = "Reset-1", false },
	} {
		p := api.NewPort(controltest.HIPPIPort())
		if list := portProblems(p); len(list) > 0 || allWell(p) != "HIPPI-6400 Normal with 02:00:00:00:00:02" {
			t.Fatalf("a link without a problem: %+v, %s", list, allWell(p))
		}
		change(p.HIPPI)
		list := portProblems(p)
		if len(list) != 1 || list[0].Is.String()+" "+list[0].Type != want {
			t.Errorf("want %q: %+v", want, list)
		}
	}
}
