package config

import (
	"testing"

	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/dataplane/trim"
)

const trimmingSection = "trimming: {dscp_value: 16, tc_value: 5, trimmable_dscps: [8], control_dscps: [46]}\n"

// What is left out of the section has the defaults of SAI and UET.
func TestTrimmingDefaults(t *testing.T) {
	got := parse(t, trimmingSection).Settings.Trimming
	want := model.TrimmingSettings{Class: 5, Settings: trim.Settings{
		Size: trim.DefaultSize, Trimmable: trim.DSCPs(0).Including(8), Control: trim.DSCPs(0).Including(46), DSCP: 16,
		RewriteIP: true, UDPPort: trim.DefaultUDPPort, Protocol: trim.DefaultProtocol,
	}}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Without the section there are no settings: nothing is trimmed.
func TestNoTrimming(t *testing.T) {
	if got := parse(t, "workers: 1").Settings.Trimming; got != (model.TrimmingSettings{}) {
		t.Errorf("%+v", got)
	}
	edge := settings(t, trimmingSection+edgePort("mtu: auto"), model.RoleEdge)
	if edge.Trimming != (model.PortTrimming{}) {
		t.Errorf("%+v", edge.Trimming)
	}
}

func TestTrimmingOfAPort(t *testing.T) {
	for keys, want := range map[string]model.PortTrimming{
		"":                                                {},
		"packet_discard_action: {}":                       {},
		"packet_discard_action: {0-7: drop}":              {},
		"packet_discard_action: {0: trim}":                {Queues: 1, DSCP: 16},
		"packet_discard_action: {\"7\": trim}":            {Queues: 0x80, DSCP: 16},
		"packet_discard_action: {0-4: trim}":              {Queues: 0x1F, DSCP: 16},
		"packet_discard_action: {0: trim}, dscp_value: 0": {Queues: 1, DSCP: 0},
		"packet_discard_action: {0: trim, 1-2: drop, 3: trim}, dscp_value: 63": {Queues: 9, DSCP: 63},
		"packet_discard_action: {4: trim, 6: trim}, dscp_value: global":        {Queues: 0x50, DSCP: 16},
	} {
		got := settings(t, trimmingSection+edgePort("qos: {trimming: {"+keys+"}}"), model.RoleEdge).Trimming
		if got != want {
			t.Errorf("%s: %+v, want %+v", keys, got, want)
		}
	}
	const keys = "vcs: 32, qos: {trimming: {packet_discard_action: {31: trim}}}"
	got := settings(t, trimmingSection+port(keys), model.RoleLink)
	if want := (model.PortTrimming{Queues: 1 << 31, DSCP: 16}); got.Trimming != want {
		t.Errorf("VC 31: %+v", got.Trimming)
	}
}

// checkTrimmingPromises: trimmed frames have a queue and a DSCP of their own.
func checkTrimmingPromises(t *testing.T, s model.TrimmingSettings, p model.PortSettings) {
	t.Helper()
	if s.Trimmable&s.Control != 0 || s.Class >= qos.Classes {
		t.Errorf("trimming %+v", s)
	}
	if p.Trimming.Queues == 0 {
		if p.Trimming != (model.PortTrimming{}) {
			t.Errorf("port %s: %+v", p.Name, p.Trimming)
		}
		return
	}
	queues := uint64(1) << qos.EdgeQueues
	if p.Role == model.RoleLink {
		queues = 1 << p.VCs
	}
	queue := p.QoS.Queue[s.Class]
	if uint64(p.Trimming.Queues) >= queues || p.Trimming.Queues>>queue&1 == 1 {
		t.Errorf("port %s: trimmed frames in queue %d of %d, trims %x", p.Name, queue, queues, p.Trimming.Queues)
	}
	if s.Size < minTrimSize || s.Trimmable == 0 || (s.Trimmable | s.Control).Contains(p.Trimming.DSCP) {
		t.Errorf("port %s trims to DSCP %d by %+v", p.Name, p.Trimming.DSCP, s)
	}
}
