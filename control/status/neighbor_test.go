package status

import (
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/dataplane/remedy"
	"uelink/lldp/agent"
	"uelink/lldp/station"
	"uelink/lldp/ue"
)

// told returns the lines of a link with an agent, one neighbour, and unmet wishes.
func told(link api.Port, i api.LLDPInterface, source string, unmet ...api.Unmet) []Line {
	i.Port, i.Destination = "link0", "nearest-bridge"
	n := api.LLDPNeighbor{Port: "link0", Destination: "nearest-bridge", Source: source}
	return Judge([]api.Port{link}, []api.LLDPInterface{i}, []api.LLDPNeighbor{n}, unmet)
}

// A problem of DCBX and the wish that it hinders are one line, with the command of the end that acts.
func TestAProblemOfDCBXIsToldOnce(t *testing.T) {
	link, _, _ := wanting()
	link.MAC, link.LLR.PartnerKnown = "02:00:00:00:00:05", true
	link.LLR.PartnerMAC = model.Address{2, 0, 0, 0, 0, 4}
	for _, c := range []struct{ cause, what, source, typed, says string }{
		{"pfc_differs", api.WantedPFC, "02:00:00:00:00:04", "", "PFC is wanted (dcbx.pfc): differs: waiting for dcbx.pfc.willing: " +
			"true at 02:00:00:00:00:04"},
		{"pfc_differs", api.WantedPFC, "02:00:00:00:00:03", "mend", "PFC is wanted (dcbx.pfc): differs"},
		{"other_dialect", api.WantedDCBX, "02:00:00:00:00:04", "", "waiting for dcbx.version: auto at 02:00:00:00:00:04"},
		{"nic", api.WantedDCBNL, "02:00:00:00:00:04", "mend", "PFC is wanted (dcbx.pfc): differs"},
		{"cin", api.WantedDCBX, "02:00:00:00:00:03", "mend", "PFC is wanted (dcbx.pfc): differs"},
	} {
		lines := told(link, api.LLDPInterface{DCBX: []agent.Finding{{Cause: c.cause, Text: "differs",
			Command: "mend"}}},
			c.source, api.Unmet{Port: "link0", What: c.what, Problem: "PFC is wanted (dcbx.pfc): no",
				Command: "uelink dcbx show link0"})
		if len(lines) != 1 || lines[0].Type != c.typed || !strings.Contains(lines[0].Problem, c.says) {
			t.Errorf("%s with %s: %+v", c.cause, c.source, lines)
		}
	}
	lines := told(link, api.LLDPInterface{DCBX: []agent.Finding{{Cause: "ets_unusable", Text: "ETS", Command: "mend"}}},
		"02:00:00:00:00:03")
	if len(lines) != 1 || lines[0].Type != "mend" || lines[0].Problem != "DCBX: ETS" {
		t.Errorf("a problem without a wish: %+v", lines)
	}
}

// A neighbour is another uelinkd by its start id or by its TLV of wishes; a stranger may be neither, and then this end
// acts.
func TestWhoIsAPartner(t *testing.T) {
	for _, c := range []struct {
		wishes bool
		typed  string
	}{{true, ""}, {false, "mend"}} {
		p := api.Port{Name: "edge0", Interface: "eth0", Role: "edge", OperStatus: api.OperUp, MAC: "02:00:00:00:00:05"}
		i := api.LLDPInterface{Port: "edge0", Destination: "nearest-bridge",
			DCBX: []agent.Finding{{Cause: "pfc_differs", Text: "differs", Command: "mend"}}}
		n := api.LLDPNeighbor{Port: "edge0", Destination: "nearest-bridge", Source: "02:00:00:00:00:04"}
		n.UE.HasWishes = c.wishes
		lines := Judge([]api.Port{p}, []api.LLDPInterface{i}, []api.LLDPNeighbor{n}, nil)
		if len(lines) != 1 || lines[0].Type != c.typed {
			t.Errorf("%v: %+v", c.wishes, lines)
		}
	}
}

// Each cause of DCBX has a row in the table of neighbours, but for notes, which are no problems.
func TestEachCauseOfDCBXHasARow(t *testing.T) {
	notes := map[string]bool{"both_dialects": true, "no_recommendation": true}
	for _, cause := range station.Causes() {
		_, waits, wishes := remedy.AtNeighbor(cause, remedy.Neighbor{Own: "b", Address: "a", Partner: true})
		if !notes[cause] && waits+wishes == "" {
			t.Errorf("%s has no row", cause)
		}
	}
}

// The end that does not offer LLR by LLDP has the command, and the other waits for it.
func TestOffersOfLLR(t *testing.T) {
	offer := api.UEAdvertisement{HasLink: true, Link: ue.Link{LLR: true}}
	for _, c := range []struct {
		own, theirs bool
		mode        model.LLRMode
		typed, says string
	}{
		{true, false, model.LLRDynamic, "", "waiting for llr.mode: dynamic, llr.local: true at 02:00:00:00:00:04"},
		{false, true, model.LLRDynamic, "uelink config set ports.link0.llr.local true && uelink reload", "offers LLR"},
		{false, true, model.LLROff, "uelink config set ports.link0.llr.mode dynamic && uelink config set " +
			"ports.link0.llr.local true && uelink config set ports.link0.llr.remote true && uelink reload", "LLR is off here"},
		{true, true, model.LLRDynamic, "", ""}, {false, false, model.LLROff, "", ""},
		{true, false, model.LLRStatic, "", ""}, {false, true, model.LLRStatic, "", ""},
	} {
		link, _, _ := wanting()
		link.LLR.Mode = c.mode
		var i api.LLDPInterface
		if c.own {
			i.UE.Own = offer
		}
		if c.theirs {
			i.UE.Advertised = offer
		}
		i.UE.Advertised.HasLink = true
		lines := told(link, i, "02:00:00:00:00:04")
		if len(lines) != 1 || lines[0].Type != c.typed || !strings.Contains(lines[0].Problem, c.says) ||
			(lines[0].Is == Fine) != (c.says == "") {
			t.Errorf("%+v: %+v", c, lines)
		}
	}
}

// A neighbour without any UE TLV may be a stranger, or have another OUI: the causes have no command, and nobody waits.
func TestNeighbourWithoutUETLVs(t *testing.T) {
	link, _, _ := wanting()
	link.LLR.Mode = model.LLRDynamic
	var i api.LLDPInterface
	i.UE.Own = api.UEAdvertisement{HasLink: true, Link: ue.Link{LLR: true}}
	lines := told(link, i, "02:00:00:00:00:04",
		api.Unmet{Port: "link0", What: api.WantedLLR, Problem: "LLR is wanted: no",
			Command: "uelink lldp neighbors link0"})
	if len(lines) != 1 || lines[0].Type != "" || !strings.Contains(lines[0].Problem, "another lldp.ue_oui?") ||
		strings.Contains(lines[0].Problem, "waiting") {
		t.Errorf("%+v", lines)
	}
}

// An agent that hears itself, or more neighbours than it keeps, says so, and names no command.
func TestAgentsThatHearTooMuch(t *testing.T) {
	link, _, _ := wanting()
	lines := told(link, api.LLDPInterface{Loop: true, TooManyNeighbors: true}, "02:00:00:00:00:04")
	if len(lines) != 2 || !strings.Contains(lines[0].Problem, "come back") ||
		!strings.Contains(lines[1].Problem, "more neighbours than the port keeps") ||
		lines[0].Type+lines[1].Type != "" {
		t.Errorf("%+v", lines)
	}
}
