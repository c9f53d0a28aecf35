package status

import (
	"strings"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/llr"
)

// A link is judged by its interface first, and then by the first cause that applies.
func TestStatusOfALink(t *testing.T) {
	for want, change := range map[string]func(p *api.Port, l *api.LLR){
		"error ip -d link show": func(p *api.Port, l *api.LLR) { p.OperStatus, l.TxStatus = "absent", llr.TxFlush },
		"error ip link set dev eth1 up": func(p *api.Port, l *api.LLR) {
			p.OperStatus, p.AdminStatus, l.PartnerProblem = "down", "down", "silent"
		},
		"error ": func(p *api.Port, l *api.LLR) {
			p.OperStatus, p.AdminStatus, l.PartnerProblem = "down", "up", "silent"
		},
		"error ip link set dev uelink0 up": func(p *api.Port, l *api.LLR) {
			p.OperStatus, p.AdminStatus, p.Role, p.HostInterface = "down", "up", "edge", "uelink0"
		},
		"error uelink llr reinit link0": func(_ *api.Port, l *api.LLR) {
			l.TxStatus, l.PartnerProblem = llr.TxFlush, "silent"
		},

		"error uelink config set ports.link0.dialect ue1 && uelink reload": func(p *api.Port, l *api.LLR) {
			l.TxStatus, l.PartnerProblem = llr.TxInit, "dialect"
			p.PartnerProblemCommand = "uelink config set ports.link0.dialect ue1 && uelink reload"
		},
		"warning ": func(_ *api.Port, l *api.LLR) { l.PartnerProblem = "waiting for fcs: true" },
		"warning ip link set dev eth1 mtu 1518": func(p *api.Port, _ *api.LLR) {
			p.Fault = "the MTU is 1400: lower the other, or type: ip link set dev eth1 mtu 1518; and something else"
		},
		"warning uelink config set llr_profiles.fast.max_replay_timer auto && uelink reload": func(_ *api.Port,
			l *api.LLR,
		) {
			l.Profile, l.MaxReplayTimer, l.LoopTime = "fast", time.Microsecond, &llr.LoopTime{Min: 20_000}
			l.Counters.TxReplay = 100
		},
		"warning uelink config set llr_profiles.slow.max_replay_timer auto && uelink reload": func(_ *api.Port,
			l *api.LLR,
		) {
			l.Profile, l.MaxReplayTimer, l.LoopTime = "slow", time.Minute, &llr.LoopTime{Min: 20_000}
			l.RecommendedReplayTimer = 500 * time.Microsecond
		},
		"error uelink port link1": func(p *api.Port, _ *api.LLR) {
			p.OperStatus, p.AdminStatus, p.XConnect = "down", "up", "link1"
			p.Fault, p.FaultReasons = "the host has no carrier", []string{"link_loss"}
		},
		"warning tc -s qdisc show, at its host": func(p *api.Port, _ *api.LLR) { p.StandsStill = true },
		"warning uelink config set ports.link0.pfc.pause false && uelink reload": func(p *api.Port, _ *api.LLR) {
			p.StandsStill, p.PFC = true, &api.PFC{Pause: true, RxPause: 1, RxPaused: []int{0, 1, 2, 3, 4, 5, 6, 7}}
		},
		"warning uelink config set ports.link0.pfc.mode off && uelink reload": func(p *api.Port, _ *api.LLR) {
			p.StandsStill, p.PFC = true, &api.PFC{RxPaused: []int{3}}
		},
		"warning ip -s link show, at its host": func(p *api.Port, _ *api.LLR) {
			p.PFC = &api.PFC{Priorities: []api.PFCPriority{{Priority: 3, RxPausedShare: 0.66}, {Priority: 4, RxPausedShare: 0.1}}}
		},
		"error uelink llr local enable link0": func(_ *api.Port, l *api.LLR) { l.RxStatus = llr.RxOff },
		"error uelink config set ports.link0.fcs true && uelink reload": func(p *api.Port, l *api.LLR) {
			l.Stalled, l.PartnerProblem = "60 octets", "fcs" // the cause, and not its consequence
			p.PartnerProblemCommand = "uelink config set ports.link0.fcs true && uelink reload"
		},
		"error uelink watch frames link0": func(_ *api.Port, l *api.LLR) { l.Stalled = "60 octets" },
	} {
		l := &api.LLR{}
		l.Local, l.Remote, l.PartnerKnown, l.TxStatus, l.RxStatus = true, true, true, llr.TxAdvance, llr.RxSendAcks
		p := api.Port{Name: "link0", Interface: "eth1", Role: "link", OperStatus: api.OperUp, LLR: l}
		if list := portProblems(p); len(list) > 0 {
			t.Fatalf("a link without a problem: %+v", list)
		}
		change(&p, l)
		list := portProblems(p)
		if len(list) != 1 || list[0].Is.String()+" "+list[0].Where() != want {
			t.Errorf("want %q: %+v", want, list)
		}
	}
}

// What the other end has to type, or nobody knows, is no command here.
func TestWaitingHasNoCommand(t *testing.T) {
	for _, change := range []func(l *api.LLR){
		func(l *api.LLR) { l.TxStatus = llr.TxInit }, func(l *api.LLR) { l.PartnerBusy = true },
		func(l *api.LLR) { l.PartnerAway = true }, func(l *api.LLR) { l.PartnerProblem = "partner is silent" },
	} {
		l := &api.LLR{}
		l.Local, l.Remote, l.PartnerKnown, l.TxStatus, l.RxStatus = true, true, true, llr.TxAdvance, llr.RxSendAcks
		change(l)
		list := portProblems(api.Port{Name: "link0", Interface: "eth1", Role: "link", OperStatus: api.OperUp, LLR: l})
		if len(list) != 1 || list[0].Where() != "" {
			t.Errorf("%+v", list)
		}
	}
}

// An edge whose host leaves checksums to the daemon works, and its line says what that costs whom.
func TestStatusOfAnEdgeThatFinishesChecksums(t *testing.T) {
	p := api.Port{Name: "edge0", Role: "edge", OperStatus: api.OperUp, Finishes: true}
	lines := Judge([]api.Port{p}, nil, nil, nil)
	if len(lines) != 1 || lines[0].Is != Fine || lines[0].Type != "" ||
		!strings.Contains(lines[0].Problem, "up, finishes the checksums of its host: ethtool -K IF tx off") {
		t.Errorf("%+v", lines)
	}
}

// That nobody answers the host of an edge is no problem of the edge: its line asks for the likely causes.
func TestStatusOfAnEdgeWhoseHostAsksInVain(t *testing.T) {
	p := api.Port{Name: "edge0", Role: "edge", OperStatus: api.OperUp,
		Unanswered: []string{"10.0.0.9", "10.0.0.8 in VLAN 7"}}
	lines := Judge([]api.Port{p}, nil, nil, nil)
	const want = "up, its host asks for 10.0.0.9, 10.0.0.8 in VLAN 7, and nobody answers: is that address off, or in " +
		"another subnet or VLAN?"
	if len(lines) != 1 || lines[0].Is != Fine || lines[0].Type != "" || lines[0].Problem != want {
		t.Errorf("%+v", lines)
	}
}

// A link is judged by the first cause that applies.
func TestHIPPIStatus(t *testing.T) {
	for want, change := range map[string]func(p *api.Port){
		"error uelink config set ports.link2.protocol llr && uelink reload": func(p *api.Port) {
			p.HIPPI.PartnerProblem, p.HIPPI.Activity = "protocol", false
			p.PartnerProblemCommand = "uelink config set ports.link2.protocol llr && uelink reload"
		},
		"error ":                               func(p *api.Port) { p.HIPPI.Activity, p.HIPPI.Ready = false, false },
		"error uelink hippi reset link2":       func(p *api.Port) { p.HIPPI.LinkState, p.HIPPI.Ready = "Shutdown", false },
		"warning uelink hippi interface link2": func(p *api.Port) { p.HIPPI.LinkState, p.HIPPI.Ready = "Reset-1", false },
	} {
		p := api.NewPort(controltest.HIPPIPort())
		if list := portProblems(p); len(list) > 0 || allWell(p) != "HIPPI-6400 Normal with 02:00:00:00:00:02" {
			t.Fatalf("a link without a problem: %+v, %s", list, allWell(p))
		}
		change(&p)
		list := portProblems(p)
		if len(list) != 1 || list[0].Is.String()+" "+list[0].Where() != want {
			t.Errorf("want %q: %+v", want, list)
		}
	}
}

// Drops that follow from a trouble with lengths have no line beside that trouble, which has the cure: neither at the
// link nor at its edge. Drops of another kind have one.
func TestDropsOfATroubleWithLengths(t *testing.T) {
	link, edge, _ := wanting()
	link.XConnect, edge.XConnect, edge.PFC = "edge0", "link0", nil
	link.Fault, link.FaultReasons = "the driver drops frames", []string{"tx_dropped"}
	edge.Fault, edge.FaultReasons = "frames are longer", []string{"oversized"}
	lines := func() (n int) {
		for _, l := range Judge([]api.Port{edge, link}, nil, nil, nil) {
			if l.Is > Fine {
				n++
			}
		}
		return n
	}
	if n := lines(); n != 2 {
		t.Errorf("without a trouble with lengths %d lines, want 2", n)
	}
	link.PartnerProblemReason, link.LLR.PartnerProblem = "wire_length", "the wire carries less"
	if n := lines(); n != 1 {
		t.Errorf("with one %d lines, want its own", n)
	}
	link.FaultReasons = append(link.FaultReasons, "rx_ring_full")
	if n := lines(); n != 2 {
		t.Errorf("with drops of another kind %d lines, want 2", n)
	}
}
