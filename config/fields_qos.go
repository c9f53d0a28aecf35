package config

import (
	"slices"

	"uelink/config/schema"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
)

// qosEntry is the section qos.
type qosEntry struct {
	dot1p, dscp, uet, queue, vc map[string][]schema.Pair[uint8] // maps by name
	schedulers                  map[string]schedulerEntry
}

// schedulerEntry is one entry of qos.schedulers.
type schedulerEntry struct {
	kind             schedulerType
	weight, priority uint8
}

// portQoS is the section qos of a port, without the keys that are read directly into its PortSettings.
type portQoS struct {
	dot1p, dscp, uet, queue, vc string                // names of maps
	schedulers                  []schema.Pair[string] // of queues: the name of a scheduler
	burst                       int64                 // octets, or autoBurst
}

// qosFields returns the schema of the configuration keys of section qos: SONiC's tables DOT1P_TO_TC_MAP,
// DSCP_TO_TC_MAP, TC_TO_QUEUE_MAP and SCHEDULER, and SAI_QOS_MAP_TYPE_TC_TO_VC.
func qosFields() schema.Section[qosEntry] {
	class := schema.Whole[uint8](0, qos.Classes-1)
	classes := schema.Numbers("a traffic class", qos.Classes-1)
	dot1p := schema.PairKind[uint8]{Element: "PCP", Numbers: priorities(), Value: class,
		Meaning: "Traffic class of a PCP, of a range such as `0-3`, " +
			"or of a PCP and DEI such as `5/1`, which wins over `5`. Values left out have class 0."}
	dscp := schema.PairKind[uint8]{Element: "DSCP", Numbers: schema.Numbers("a DSCP", 63), Value: class,
		Meaning: "Traffic class of a DSCP, or of a range such as `40-47`. DSCPs left out have class 0."}
	uet := schema.PairKind[uint8]{Element: "KIND", Numbers: uetKinds(), Value: class,
		Meaning: "Traffic class of a kind of UET packet. Packets of a kind left out have the class of their DSCP."}
	queue := schema.PairKind[uint8]{Element: "TC", Numbers: classes, Value: schema.Whole[uint8](0, qos.EdgeQueues-1),
		Meaning: "Queue of a traffic class, or of a range such as `8-31`. Classes left out have queue 0."}
	vc := schema.PairKind[uint8]{Element: "TC", Numbers: classes, Value: class,
		Meaning: "VC of a traffic class, or of a range such as `8-31`. Classes left out have VC 0."}
	return schema.Section[qosEntry]{
		schema.NamedPairs("dot1p_to_tc_map", dot1p, "Maps from the priority of a VLAN tag to the traffic class, by name. "+
			"`default` exists unless you write one: PCP 0 to 7 have the classes 0 to 7.",
			func(q *qosEntry) *map[string][]schema.Pair[uint8] { return &q.dot1p }),
		schema.NamedPairs("dscp_to_tc_map", dscp, "Maps from the DSCP of an IP header to the traffic class, by name. "+
			"`default` exists unless you write one: the class is the upper three bits of the DSCP.",
			func(q *qosEntry) *map[string][]schema.Pair[uint8] { return &q.dscp }),
		schema.NamedPairs("uet_to_tc_map", uet, "Maps from the kind of a UET packet to the traffic class, by name. "+
			"`request` is RUD, ROD, RUDI and UUD requests, `acknowledgement` ACK, NACK and RUDI responses, `control` CTRL, "+
			"and `trimmed` any packet that a switch has trimmed, recognised by its DSCP (`trimming.dscp_value`, also of a port) "+
			"or by a UDP length that exceeds the packet. The UDP port and the IP protocol number are those of the section "+
			"`trimming`. `default` exists unless you write one: `request` has class 0, `trimmed` 1, the others 2.",
			func(q *qosEntry) *map[string][]schema.Pair[uint8] { return &q.uet }),
		schema.NamedPairs("tc_to_queue_map", queue, "Maps from the traffic class to the queue of an edge port, by name. "+
			"`default` exists unless you write one: the classes 0 to 7 have the queues 0 to 7, the others queue 0.",
			func(q *qosEntry) *map[string][]schema.Pair[uint8] { return &q.queue }),
		schema.NamedPairs("tc_to_vc_map", vc, "Maps from the traffic class to the VC of a link port, by name. "+
			"`default` exists unless you write one: class n has VC n if the link has a VC n, else VC 0.",
			func(q *qosEntry) *map[string][]schema.Pair[uint8] { return &q.vc }),
		schema.Named("schedulers", "Schedulers of queues, by name.", schedulerFields(),
			func(q *qosEntry) *map[string]schedulerEntry { return &q.schedulers }),
	}
}

// schedulerFields returns the schema of the configuration keys of a scheduler: the attributes of SONiC's table
// SCHEDULER.
func schedulerFields() schema.Section[schedulerEntry] {
	return schema.Section[schedulerEntry]{
		schema.Value("type", schema.Choice(dwrr, strict), "dwrr", "`dwrr`: the queues share by weight the rate that strict queues leave. "+
			"`strict`: ahead of `dwrr` queues of the same priority; of two strict queues, the higher number is first.",
			func(s *schedulerEntry) *schedulerType { return &s.kind }),
		schema.Value("weight", schema.Whole[uint8](1, 255), "1", "With `dwrr`: share of a queue, relative to the weights of the others.",
			func(s *schedulerEntry) *uint8 { return &s.weight }),
		schema.Value("priority", schema.Whole[uint8](0, 9), "0",
			"A queue sends only while no queue of higher priority has frames to send, whatever the types of the queues.",
			func(s *schedulerEntry) *uint8 { return &s.priority }),
	}
}

// portQoSFields returns the schema of a port's configuration key qos: SONiC's tables PORT_QOS_MAP and QUEUE, and
// the action of BUFFER_PROFILE.
func portQoSFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Nested("qos", "Traffic classes of received frames, and queues and rate of sent frames.", slices.Concat(
			trustFields(), queueMapFields(), vcMapFields(), rateFields(), portTrimFields(),
		), func(p *portEntry) *portEntry { return p }),
	}
}

// trustFields returns the schema of the configuration keys that give a received frame its traffic class.
func trustFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Value("trust", schema.Choice(qos.TrustNone, qos.TrustDot1p, qos.TrustDSCP, qos.TrustUET), "none",
			"Source of the traffic class. `none`: always 0. `dot1p`: the outer VLAN tag; "+
				"without a tag the priority is 0. `dscp`: the IP header; without one, as `dot1p`. `uet`: the kind of UET packet; "+
				"fragments, encrypted packets (TSS, IPsec) and all frames but UET as `dscp`. An edge with DCBX and without this key "+
				"has the classes of the Application table of IEEE 802.1Qaz: class n for priority n of a DSCP, or of `default_priority`.",
			func(p *portEntry) *qos.Trust { return &p.frames.QoS.Trust }),
		schema.Value("dot1p_to_tc_map", schema.Name(), defaultMap, "Name of the map in `qos.dot1p_to_tc_map`.",
			func(p *portEntry) *string { return &p.qos.dot1p }),
		schema.Value("dscp_to_tc_map", schema.Name(), defaultMap, "Name of the map in `qos.dscp_to_tc_map`.",
			func(p *portEntry) *string { return &p.qos.dscp }),
		schema.Value("uet_to_tc_map", schema.Name(), defaultMap, "Name of the map in `qos.uet_to_tc_map`.",
			func(p *portEntry) *string { return &p.qos.uet }),
	}
}

func queueMapFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Value("tc_to_queue_map", schema.Name(), defaultMap, "Edge only. Name of the map in `qos.tc_to_queue_map`.",
			func(p *portEntry) *string { return &p.qos.queue }),
	}
}

func vcMapFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Value("tc_to_vc_map", schema.Name(), defaultMap, "Link only. Name of the map in `qos.tc_to_vc_map`.",
			func(p *portEntry) *string { return &p.qos.vc }),
	}
}

// rateFields returns the schema of the configuration keys of a port's schedulers, rate and burst.
func rateFields() schema.Section[portEntry] {
	scheduler := schema.PairKind[string]{Element: "QUEUE", Numbers: schema.Numbers("a queue", sched.Queues-1),
		Value:   schema.Name(),
		Meaning: "Name of the scheduler of a queue, or of a range such as `0-3`. Queues left out have `dwrr`, weight 1, priority 0."}
	return schema.Section[portEntry]{
		schema.Pairs("scheduler", scheduler, "Schedulers of the queues of an edge, 0 to 7, or of the VCs of a link. "+
			"On an edge with DCBX and without this key, the priority groups are the scheduler while DCBX runs.",
			func(p *portEntry) *[]schema.Pair[string] { return &p.qos.schedulers }),
		schema.Value("rate", schema.BitRate(), "0",
			"Limit for all sent frames, counted in octets of frames without preamble, gap and FCS; 0 = none.",
			func(p *portEntry) *uint64 { return &p.frames.Scheduler.Rate }),
		schema.Value("burst", burst(), "auto", "Octets that may be sent at once after a pause. `auto`: the octets of 1 ms at `rate`.",
			func(p *portEntry) *int64 { return &p.qos.burst }),
	}
}
