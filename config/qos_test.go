package config

import (
	"testing"

	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/wire/uet"
)

// edgePort is port for an edge.
func edgePort(keys string) string {
	return "ports: [{name: link0, interface: eth1, role: link}, {name: edge0, interface: veth1, role: edge, " + keys +
		"}]\nxconnects: [{edge: edge0, link: link0}]"
}

// settings is the port of that role in a document with one of each.
func settings(t *testing.T, text string, role model.Role) model.PortSettings {
	t.Helper()
	for _, p := range parse(t, text).Settings.Ports {
		if p.Role == role {
			return p
		}
	}
	t.Fatalf("no port with role %v", role)
	return model.PortSettings{}
}

// With nothing but a trust, a priority has the class, the queue and the VC of its number,
// as far as they are there; of a DSCP the upper three bits count.
func TestTrustAloneIsEnough(t *testing.T) {
	for _, vcs := range []string{"", ", vcs: 4", ", vcs: 8", ", vcs: 32"} {
		n := map[string]uint8{"": 1, ", vcs: 4": 4, ", vcs: 8": 8, ", vcs: 32": 32}[vcs]
		link := settings(t, port("qos: {trust: dscp}"+vcs), model.RoleLink)
		edge := settings(t, edgePort("qos: {trust: dscp}"), model.RoleEdge)
		if link.VCs != int(n) || edge.VCs != 0 {
			t.Errorf("%d and %d VCs", link.VCs, edge.VCs)
		}
		for class := range uint8(qos.Classes) {
			wantNumber(t, link.QoS.Queue[class], class, n)
			wantNumber(t, edge.QoS.Queue[class], class, qos.EdgeQueues)
		}
		for i := range uint8(16) {
			wantNumber(t, link.QoS.Dot1pDEI[i], i/2, 8)
		}
		for i := range uint8(64) {
			wantNumber(t, link.QoS.DSCP[i], i/8, 8)
		}
	}
}

func wantNumber(t *testing.T, got, want, n uint8) {
	t.Helper()
	if want >= n {
		want = 0
	}
	if got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

// Maps that are not needed stay empty, so that ports that do the same are alike.
func TestMapsWithoutTrustAreEmpty(t *testing.T) {
	const maps = "\nqos: {dot1p_to_tc_map: {default: {0-7: 5}}, dscp_to_tc_map: {default: {0-63: 5}}}"
	for _, trust := range []string{"vcs: 1", "qos:", "qos: {trust: none}"} {
		if got := settings(t, port(trust)+maps, model.RoleLink).QoS; got != (qos.Map{}) {
			t.Errorf("%s: %v", trust, got)
		}
	}
	got := settings(t, port("qos: {trust: dot1p}")+maps, model.RoleLink).QoS
	if got.Dot1pDEI[15] != 5 || got.DSCP != (qos.Map{}).DSCP {
		t.Errorf("%v", got)
	}
}

// A kind that a map leaves out goes by its DSCP; what a packet is known by is what trimming knows it by.
func TestUETMaps(t *testing.T) {
	const maps = "\nqos: {uet_to_tc_map: {acks: {acknowledgement: 5}, trimmed: {trimmed: 7, request: 1}}}"
	const cut = "\ntrimming: {dscp_value: 16, tc_value: 3, udp_port: 49150, ip_protocol: 200}"
	const other = uint8(qos.ByDSCP)
	for _, c := range []struct {
		keys, rest string
		classes    [qos.UETKinds]uint8
		classifier uet.Classifier
	}{
		{"trust: uet", "", [4]uint8{0, 2, 2, 1}, uet.Classifier{Port: 4793, Protocol: 253}},
		{"trust: uet, uet_to_tc_map: acks", maps, [4]uint8{other, 5, other, other}, uet.NewClassifier()},
		{"trust: uet, uet_to_tc_map: trimmed", maps + cut, [4]uint8{1, other, other, 7},
			uet.Classifier{Port: 49150, Protocol: 200, Trimmed: 1 << 16}},
		{"trust: dscp", maps + cut, [4]uint8{}, uet.Classifier{}},
	} {
		got := settings(t, edgePort("qos: {"+c.keys+"}")+c.rest, model.RoleEdge).QoS
		if got.UET != c.classes || got.Classifier != c.classifier {
			t.Errorf("%s: %v, %+v", c.keys, got.UET, got.Classifier)
		}
		if (got.DSCP[63] != 7) || got.Dot1pDEI[15] != 7 {
			t.Errorf("%s: nothing to fall back to: %v, %v", c.keys, got.DSCP, got.Dot1pDEI)
		}
	}
}

// Where a port trims to a DSCP of its own, packets with that have been trimmed, too.
func TestUETTrimmedByAPort(t *testing.T) {
	text := edgePort("qos: {trust: uet, trimming: {packet_discard_action: {0: trim}, dscp_value: 18}}") +
		"\ntrimming: {dscp_value: 16, tc_value: 3, trimmable_dscps: [8]}"
	if got := settings(t, text, model.RoleEdge).QoS.Classifier.Trimmed; got != 1<<16|1<<18 {
		t.Errorf("%b", got)
	}
}

func TestDefaultMapCanBeGiven(t *testing.T) {
	const maps = "\nqos: {tc_to_queue_map: {default: {0-30: 3}}}"
	got := settings(t, edgePort("qos: {trust: dot1p}")+maps, model.RoleEdge).QoS.Queue
	if got[0] != 3 || got[30] != 3 || got[31] != 0 {
		t.Errorf("%v", got)
	}
}

// A pair with DEI wins over one without, wherever it stands.
func TestPriorityWithDEI(t *testing.T) {
	const maps = "\nqos: {dot1p_to_tc_map: {m: {5/1: 1, 4-6: 2, 6/0: 3}}}"
	got := settings(t, port("qos: {trust: dot1p, dot1p_to_tc_map: m}")+maps, model.RoleLink).QoS.Dot1pDEI
	if want := [16]uint8{8: 2, 9: 2, 10: 2, 11: 1, 12: 3, 13: 2}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestSchedulersMakeGroups(t *testing.T) {
	const profiles = `
qos: {schedulers: {s: {type: strict}, s9: {type: strict, priority: 9}, d: {weight: 7}, d1: {priority: 1}}}`
	type queues = [sched.Queues]sched.QueueSettings
	for text, want := range map[string]queues{
		"{}":             {},
		"{0: d, 3-4: d}": {0: {Weight: 7}, 3: {Weight: 7}, 4: {Weight: 7}},
		"{0-7: s}":       {{}, {Group: 1}, {Group: 2}, {Group: 3}, {Group: 4}, {Group: 5}, {Group: 6}, {Group: 7}},
		"{1: s, 4: s}":   {1: {Group: 1}, 4: {Group: 2}},
		"{0: s9, 1: s, 2: d1, 3: d1, 7: s}": {
			{Group: 4}, {Group: 1}, {Group: 3, Weight: 1}, {Group: 3, Weight: 1}, {}, {}, {}, {Group: 2},
		},
		"{0-7: d1}": {{Weight: 1}, {Weight: 1}, {Weight: 1}, {Weight: 1}, {Weight: 1}, {Weight: 1}, {Weight: 1}, {Weight: 1}},
	} {
		got := settings(t, edgePort("qos: {scheduler: "+text+"}")+profiles, model.RoleEdge).Scheduler
		if want := (sched.Settings{Queues: want}); got != want {
			t.Errorf("%s\n got %v\nwant %v", text, got, want)
		}
	}
}

// Priority groups of DCBX are the scheduler of an edge that has no other one.
func TestPriorityGroupsWhereNoSchedulerIsSet(t *testing.T) {
	const schedulers, lldp = "\nqos: {schedulers: {s: {type: strict}}}", "lldp: {mode: rx-tx}, dcbx: {mode: on}"
	for text, want := range map[string]bool{
		"qos: {}": false,
		lldp:      true,
		lldp + ", qos: {trust: dot1p, rate: 1Gbps}": true,
		lldp + ", qos: {scheduler: {}}":             true,
		lldp + ", qos: {scheduler: {7: s}}":         false,
		"lldp: {mode: rx-tx}, dcbx: {mode: off}":    false,
	} {
		if got := settings(t, edgePort(text)+schedulers, model.RoleEdge).Groups; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if settings(t, port("dcbx: {mode: on}"), model.RoleLink).Groups {
		t.Error("a link has them")
	}
}

// A link has a queue for each VC.
func TestSchedulersOfALink(t *testing.T) {
	const profiles = "\nqos: {schedulers: {s: {type: strict}}}"
	got := settings(t, port("vcs: 32, qos: {scheduler: {0-31: s}}")+profiles, model.RoleLink).Scheduler
	for vc, q := range got.Queues {
		if int(q.Group) != vc {
			t.Errorf("VC %d is in group %d", vc, q.Group)
		}
	}
}

func TestRatesAndBursts(t *testing.T) {
	for text, want := range map[string]sched.Settings{
		"":                               {},
		"rate: 0":                        {},
		"rate: 0bps, burst: auto":        {},
		"rate: 8000bps":                  {Rate: 8000, Burst: 1},
		"rate: 9.5kbps":                  {Rate: 9500, Burst: 1},
		"rate: 100 Mbps":                 {Rate: 1e8, Burst: 12500},
		"rate: 2.5Gbps, burst: auto":     {Rate: 25e8, Burst: 312500},
		"rate: 400Gbps":                  {Rate: 400e9, Burst: 50e6},
		"rate: 10Kbps, burst: 0":         {Rate: 10e3},
		"rate: 10Gbps, burst: 64KiB":     {Rate: 10e9, Burst: 65536},
		"rate: 1Gbps, burst: 4294967295": {Rate: 1e9, Burst: 1<<32 - 1},
	} {
		if got := settings(t, edgePort("qos: {"+text+"}"), model.RoleEdge).Scheduler; got != want {
			t.Errorf("%s: %d bits a second, %d octets, want %d and %d", text, got.Rate, got.Burst, want.Rate,
				want.Burst)
		}
	}
}

// The frame path compares settings to see whether a reload changed them.
func TestPortSettingsAreComparable(t *testing.T) {
	const keys = "vcs: 4, qos: {trust: dscp, rate: 1Gbps}"
	before := settings(t, port(keys), model.RoleLink)
	if again := settings(t, port(keys), model.RoleLink); again != before {
		t.Error("the same text makes other settings")
	}
}
