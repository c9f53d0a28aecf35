package status

import (
	"slices"
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/lldp/dcbx"
	"uelink/llr"
)

// wanting returns a link and an edge whose wishes are all in force, and the DCBX of the edge.
func wanting() (link, edge api.Port, d api.DCBX) {
	l := &api.LLR{Negotiation: &api.LLRNegotiation{Partner: "present", WillingLocal: true, WillingRemote: true,
		AgreedLocal: true, AgreedRemote: true}}
	link = api.Port{Name: "link0", Interface: "eth1", Role: "link", OperStatus: api.OperUp, LLR: l}
	edge = api.Port{Name: "edge0", Interface: "eth0", Role: "edge", OperStatus: api.OperUp, PushBack: "on",
		PFC: &api.PFC{Dynamic: true, DCBX: "agreed"}}
	d = api.DCBX{Port: "edge0", Enabled: true, Running: true, Peer: dcbx.PeerPresent}
	d.PFC.Admin.Enable, d.PFC.Admin.Advertise, d.PFC.Admin.Config.Enable, d.PFC.Oper.OperMode = true, true, 8, true
	d.PG.Admin.Enable, d.PG.Admin.Advertise, d.PG.Admin.Config.Group[3], d.PG.Oper.OperMode = true, true, 1, true
	return link, edge, d
}

// Each wish of a port that is not in force is told by its word, with its cause.
func TestUnmet(t *testing.T) {
	type change func(link, edge *api.Port, d *api.DCBX)
	partner := func(state string) change {
		return func(link, _ *api.Port, _ *api.DCBX) {
			*link.LLR.Negotiation = api.LLRNegotiation{Partner: state, WillingLocal: true, WillingRemote: true}
		}
	}
	selective := func(reason string) change {
		return func(link, _ *api.Port, _ *api.DCBX) {
			l := link.LLR
			l.Replay, l.ReplayReason, l.TxStatus, l.RxStatus = llr.Selective, reason, llr.TxAdvance, llr.RxSendAcks
			l.PartnerKnown, l.PartnerMAC = true, model.Address{2, 0, 0, 0, 0, 9}
		}
	}
	told := map[string]bool{}
	for want, change := range map[string]change{
		"link0 llr to receive and to send: LLDP hears no partner that offers LLR":                                          partner("none"),
		"link0 llr to receive and to send: the partner sends no LLDP frames any more":                                      partner("aged"),
		"link0 llr to receive and to send: the partner no longer offers LLR":                                               partner("withdrawn"),
		"link0 llr to receive and to send: LLDP hears several partners":                                                    partner("ambiguous"),
		"link0 llr agreed on to send: the partner does not offer LLR":                                                      func(link, _ *api.Port, _ *api.DCBX) { link.LLR.Negotiation.AgreedRemote = false },
		"link0 replay the partner does not replay selectively: waiting for replay: selective or auto at 02:00:00:00:00:09": selective("partner"),
		"link0 replay larger than": selective("window"), "link0 replay too few chunks": selective("memory"),
		"link0 replay begins with the next start of LLR": selective("next_init"),
		"link0 cbfc not agreed on": func(link, _ *api.Port, _ *api.DCBX) {
			link.CBFC = &api.CBFC{Negotiation: &api.CBFCNegotiation{}}
		},
		"link0 bookmark no file": func(link, _ *api.Port, _ *api.DCBX) { link.Fault, link.FaultReasons = "no file", []string{"bookmark"} },
		"edge0 push_back drops frames that find no room: an old kernel": func(_, edge *api.Port, _ *api.DCBX) {
			edge.PushBack, edge.PushBackReason = "lossy", "an old kernel"
			edge.Fault, edge.FaultReasons = "cannot push back", []string{"push_back"}
		},
		"edge0 offloads not in force: tso is on": func(_, edge *api.Port, _ *api.DCBX) {
			edge.Fault, edge.FaultReasons = "tso is on", []string{"offloads"}
		},
		"edge0 offload not in force: it is no veth": func(_, edge *api.Port, _ *api.DCBX) {
			edge.Fault, edge.FaultReasons = "it is no veth", []string{"offload"}
		},
		"edge0 capture the disk is full": func(_, edge *api.Port, _ *api.DCBX) {
			edge.Fault, edge.FaultReasons = "the disk is full", []string{"capture"}
		},
		"edge0 capture has ended: its limit": func(_, edge *api.Port, _ *api.DCBX) { edge.CaptureEnded = "its limit" },
		"edge0 pfc DCBX does not run": func(_, edge *api.Port, d *api.DCBX) {
			edge.PFC.DCBX, d.Enabled = "not_running", false
		},
		"edge0 pfc agreed on it with no peer: no neighbour sends DCBX: is LLDP (lldp.mode) or DCBX; edge0 pg with no peer: no": func(_,
			_ *api.Port, d *api.DCBX,
		) {
			d.Peer = dcbx.PeerAbsent
		},
		"edge0 pfc with no peer: no neighbour that speaks DCBX was heard; edge0 pg with no peer: no neighbour": func(_,
			_ *api.Port, d *api.DCBX,
		) {
			d.Peer = dcbx.PeerUnknown
		},
		"edge0 pfc not agreed on it: the peer has the feature disabled": func(_, _ *api.Port, d *api.DCBX) {
			d.PFC.Oper.OperMode, d.PFC.Note = false, dcbx.ReasonPeerDisabled
		},
		"edge0 pg not agreed on it: the peer's settings are not compatible with ours": func(_, _ *api.Port, d *api.DCBX) {
			d.PG.Note = dcbx.ReasonNotCompatible
		},
		"edge0 dcbx the neighbour speaks DCBX of IEEE 802.1Qaz": func(_, _ *api.Port, d *api.DCBX) { d.Peer = dcbx.PeerIEEEOnly },
		"edge0 dcbx the neighbour speaks CIN, the DCBX version before CEE": func(_, _ *api.Port, d *api.DCBX) {
			d.Peer, d.CIN = dcbx.PeerAbsent, &api.DCBXCIN{}
		},
		"edge0 dcbnl refuses it: busy": func(_, _ *api.Port, d *api.DCBX) { d.DCBNL.Status, d.DCBNL.Error = "failed", "busy" },
	} {
		link, edge, d := wanting()
		if list := Unmet([]api.Port{edge, link}, []api.DCBX{d}); len(list) > 0 {
			t.Fatalf("all is in force: %+v", list)
		}
		change(&link, &edge, &d)
		list := Unmet([]api.Port{edge, link}, []api.DCBX{d})
		wishes := strings.Split(want, "; ")
		if len(list) != len(wishes) {
			t.Errorf("want %q: %+v", want, list)
			continue
		}
		for i, u := range list {
			words := strings.SplitN(wishes[i], " ", 3)
			if u.Port != words[0] || u.What != words[1] || !strings.Contains(u.Problem, words[2]) {
				t.Errorf("want %q: %+v", wishes[i], u)
			}
			told[u.What] = true
		}
		testUnmetLines(t, []api.Port{edge, link}, list)
	}
	for _, what := range api.WantedOfPort() {
		if !told[what] {
			t.Errorf("no case has %s", what)
		}
	}
}

// testUnmetLines tests that status has one warning for each unmet wish, before all others, and no second line for it.
func testUnmetLines(t *testing.T, ports []api.Port, unmet []api.Unmet) {
	t.Helper()
	for i := range ports {
		ports[i].LLR = nil // so that nothing else is wrong
	}
	lines := Judge(ports, nil, nil, unmet)
	for i, u := range unmet {
		if l := lines[i]; l.Is != Warning || l.Problem != u.Problem || l.Port != u.Port || l.Type != u.Command {
			t.Errorf("line %d: %+v, want %+v", i, l, u)
		}
	}
	for _, l := range lines[len(unmet):] {
		if l.Is != Fine || slices.ContainsFunc(unmet, func(u api.Unmet) bool { return u.Port == l.Port }) {
			t.Errorf("one line too many: %+v", l)
		}
	}
}

// What nobody asked for is no unmet wish: a port that is down, settings of DCBX that are the defaults, other faults.
func TestNothingWanted(t *testing.T) {
	link, edge, d := wanting()
	link.LLR.Negotiation.AgreedLocal, link.OperStatus = false, "down"
	edge.Fault, edge.FaultReasons, edge.PFC = "the MTU", []string{"mtu"}, nil
	d.Peer, d.PFC.Admin.Config.Enable, d.PG.Admin.Config.Group = dcbx.PeerAbsent, 0, [8]uint8{}
	if list := Unmet([]api.Port{edge, link}, []api.DCBX{d}); len(list) > 0 {
		t.Errorf("%+v", list)
	}
	if lines := Judge([]api.Port{edge}, nil, nil, nil); len(lines) != 1 || lines[0].Problem != "the MTU" {
		t.Errorf("the fault has no line: %+v", lines)
	}
}

// Of the warnings, wishes of the daemon itself come first, without a port.
func TestUnmetOfTheDaemon(t *testing.T) {
	link, _, _ := wanting()
	link.Fault = "a fault"
	lines := Judge([]api.Port{link}, nil, nil,
		[]api.Unmet{{What: api.WantedUpgrade, Problem: "refused", Command: "uelink upgrade"}}, "a trouble")
	var problems []string
	for _, l := range lines {
		problems = append(problems, l.Problem)
	}
	if got := strings.Join(problems, ", "); got != "refused, a trouble, a fault" || !lines[0].OfDaemon() ||
		lines[0].Command() != "uelink upgrade" {
		t.Errorf("%s: %+v", got, lines)
	}
}

// An IP address that this host and its neighbour announce by LLDP is a problem of the port, unless the neighbour is
// this host itself.
func TestSameAddressAtBothEnds(t *testing.T) {
	link, _, _ := wanting()
	own := api.LLDPInterface{Port: "link0", Destination: "nearest-bridge"}
	own.Chassis = api.LLDPID{Type: "mac", Value: "02:00:00:00:00:01"}
	own.Management = []api.LLDPManagement{{Kind: "ipv4", Address: "192.0.2.1"},
		{Kind: "mac", Address: "02:00:00:00:00:01"}}
	for _, c := range []struct {
		chassis, kind, address, destination string
		same                                bool
	}{
		{"02:00:00:00:00:02", "ipv4", "192.0.2.1", "nearest-bridge", true},
		{"02:00:00:00:00:02", "ipv4", "192.0.2.2", "nearest-bridge", false},
		{"02:00:00:00:00:02", "mac", "02:00:00:00:00:01", "nearest-bridge", false},
		{"02:00:00:00:00:02", "ipv4", "192.0.2.1", "nearest-customer-bridge", false},
		{"02:00:00:00:00:01", "ipv4", "192.0.2.1", "nearest-bridge", false},
	} {
		n := api.LLDPNeighbor{Port: "link0", Destination: c.destination, LLDPDescription: api.LLDPDescription{
			Chassis:    api.LLDPID{Type: "mac", Value: c.chassis},
			Management: []api.LLDPManagement{{Kind: c.kind, Address: c.address}}}}
		list := lldpProblems(link, []api.LLDPInterface{own}, []api.LLDPNeighbor{n})
		if (len(list) == 1) != c.same || c.same && (list[0].Type != "ip address show to 192.0.2.1" ||
			!strings.Contains(list[0].Problem, "has the address 192.0.2.1 of this host, too")) {
			t.Errorf("%+v: %+v", c, list)
		}
	}
}

// A link whose partner is known, and which hears no LLDP, waits for the partner: the command is there.
func TestPartnerWithoutLLDPHasTheCommand(t *testing.T) {
	link, _, d := wanting()
	d.Port, d.Peer = link.Name, dcbx.PeerUnknown
	link.LLR.PartnerKnown, link.LLR.PartnerMAC = true, model.Address{2, 0, 0, 0, 0, 4}
	list := Unmet([]api.Port{link}, []api.DCBX{d})
	if len(list) != 2 || list[0].Command+list[1].Command != "" ||
		!strings.HasSuffix(list[0].Problem, ": waiting for lldp.mode: rx-tx, dcbx.mode: on at 02:00:00:00:00:04") {
		t.Errorf("%+v", list)
	}
}
