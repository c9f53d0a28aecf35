package config

import (
	"uelink/config/schema"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
)

// trimEntry is the section trimming.
type trimEntry struct {
	model.TrimmingSettings
	trimmable, control []schema.Span // DSCPs
}

// portTrim is the section qos.trimming of a port: trimming of frames that leave by the port.
type portTrim struct {
	actions []schema.Pair[bool] // of queues: whether packet_discard_action is trim
	dscp    int                 // or globalDSCP
}

// Sizes of trimmed frames, octets. A frame of the least size is a valid Ethernet frame even without its VLAN tag.
const (
	minTrimSize = 64
	maxTrimSize = 4096
)

// trimFields returns the schema of the configuration keys of section trimming: SONiC's table
// SWITCH_TRIMMING|GLOBAL, and the categories of DSCP of UE 1.0.1 §3.6.4.7 (UE-LINK §6.1).
// Clauses: UE-LINK/trimming.1,2.
func trimFields() schema.Section[trimEntry] {
	dscps := schema.Numbers("a DSCP", 63)
	return schema.Section[trimEntry]{
		schema.Value("size", schema.Whole(minTrimSize, maxTrimSize), "128",
			"Octets of a trimmed frame, from its addresses on, without FCS. More octets are kept where the UET headers are longer: "+
				"the IP payload keeps 20 octets of UET over IP, 24 with UDP, 70 to 94 inside VXLAN.",
			func(t *trimEntry) *int { return &t.Size }),
		schema.Required("dscp_value", schema.Whole[uint8](0, 63), "DSCP of trimmed frames (DSCP_TRIMMED).",
			func(t *trimEntry) *uint8 { return &t.DSCP }),
		schema.Required("tc_value", schema.Whole[uint8](0, qos.Classes-1),
			"Traffic class of trimmed frames. The maps of the egress port give the class a queue or a VC, "+
				"which must differ from the queues or VCs that trim.",
			func(t *trimEntry) *uint8 { return &t.Class }),
		schema.Scalars("trimmable_dscps", dscps, 0, "", "DSCPs of frames that may be trimmed (DSCP_TRIMMABLE).",
			func(t *trimEntry, list []schema.Span) { t.trimmable = list }),
		schema.Scalars("control_dscps", dscps, 0, "", "DSCPs of frames that are never trimmed (DSCP_CONTROL).",
			func(t *trimEntry, list []schema.Span) { t.control = list }),
		schema.Value("rewrite_ip", schema.Boolean(), "true", "Write the length of the trimmed frame into the IP header, and correct the header checksum. "+
			"`false`: length and checksum stay as sent, as some switches leave them. The UDP header always stays as sent.",
			func(t *trimEntry) *bool { return &t.RewriteIP }),
		schema.Value("udp_port", schema.Whole[uint16](1, 65535), "4793", "UDP port of UET.",
			func(t *trimEntry) *uint16 { return &t.UDPPort }),
		schema.Value("ip_protocol", schema.Whole[uint8](1, 255), "253", "IP protocol number of UET without UDP.",
			func(t *trimEntry) *uint8 { return &t.Protocol }),
	}
}

// portTrimFields returns the schema of a port's configuration keys of trimming: packet_discard_action of SONiC's
// BUFFER_PROFILE, by queue, and the DSCP of a port with asymmetric trimming.
func portTrimFields() schema.Section[portEntry] {
	action := schema.PairKind[bool]{Element: "QUEUE", Numbers: schema.Numbers("a queue", sched.Queues-1),
		Value: schema.Either("drop", "trim"),
		Meaning: "Action for a frame that finds no room in a queue, or in a queue of a range such as `0-3`. " +
			"`trim`: the frame is trimmed if its DSCP is in `trimmable_dscps`. Queues left out have `drop`."}
	return schema.Section[portEntry]{
		schema.Nested("trimming", "Packet trimming of frames that leave by the port, with the sizes and DSCPs of the section `trimming`.",
			schema.Section[portTrim]{
				schema.Pairs("packet_discard_action", action, "Action for a frame that finds no room, by queue of an edge, 0 to 7, or by VC of a link.",
					func(p *portTrim) *[]schema.Pair[bool] { return &p.actions }),
				schema.Value("dscp_value", dscpOrGlobal(), "global",
					"DSCP of frames trimmed at this port, so that their receiver learns where they were trimmed; "+
						"`global`: that of the section `trimming`.",
					func(p *portTrim) *int { return &p.dscp }),
			}, func(p *portEntry) *portTrim { return &p.trim }),
	}
}

// globalDSCP is the DSCP of a port that uses dscp_value of the section trimming.
const globalDSCP = -1

// dscpOrGlobal returns the schema.Kind that parses a DSCP, or the word global.
func dscpOrGlobal() schema.Kind[int] { return schema.OrWord("global", globalDSCP, schema.Whole(0, 63)) }
