package config

import (
	"uelink/config/schema"
	"uelink/dataplane"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
)

// trimEntry is the section trimming.
type trimEntry struct {
	dataplane.TrimmingSettings
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

// trimFields returns SONiC's table SWITCH_TRIMMING|GLOBAL, and the categories of DSCP of UE 1.0.1 §3.6.4.7 (UE-LINK
// §6.1), as keys.
func trimFields() schema.Section[trimEntry] {
	dscps := schema.Numbers("a DSCP", 63)
	return schema.Section[trimEntry]{
		schema.Value("size", schema.Whole(minTrimSize, maxTrimSize), "128",
			"Octets of a trimmed frame, from its addresses on, without FCS. More stay of UET whose headers need more: "+
				"the IP payload keeps 20 octets of UET over IP, 24 with UDP, 70 to 94 inside VXLAN.",
			func(t *trimEntry) *int { return &t.Size }),
		schema.Required("dscp_value", schema.Whole[uint8](0, 63), "DSCP of trimmed frames (DSCP_TRIMMED).",
			func(t *trimEntry) *uint8 { return &t.DSCP }),
		schema.Required("tc_value", schema.Whole[uint8](0, qos.Classes-1),
			"Traffic class of trimmed frames: by the maps of the egress port it has a queue or a VC, "+
				"which is to be another than those of the frames that are trimmed.",
			func(t *trimEntry) *uint8 { return &t.Class }),
		schema.Scalars("trimmable_dscps", dscps, 0, "", "DSCPs of frames that may be trimmed (DSCP_TRIMMABLE).",
			func(t *trimEntry, list []schema.Span) { t.trimmable = list }),
		schema.Scalars("control_dscps", dscps, 0, "", "DSCPs of frames that never are (DSCP_CONTROL).",
			func(t *trimEntry, list []schema.Span) { t.control = list }),
		schema.Value("rewrite_ip", schema.Boolean(), "true", "Length and header checksum of IP are those of the trimmed frame. "+
			"`false`: both stay as they were sent, as some switches leave them. UDP always does.",
			func(t *trimEntry) *bool { return &t.RewriteIP }),
		schema.Value("udp_port", schema.Whole[uint16](1, 65535), "4793", "UDP port of UET.",
			func(t *trimEntry) *uint16 { return &t.UDPPort }),
		schema.Value("ip_protocol", schema.Whole[uint8](1, 255), "253", "IP protocol number of UET without UDP.",
			func(t *trimEntry) *uint8 { return &t.Protocol }),
	}
}

// portTrimFields returns packet_discard_action of SONiC's BUFFER_PROFILE, by queue, and the DSCP of a port with
// asymmetric trimming, as keys.
func portTrimFields() schema.Section[portEntry] {
	action := schema.PairKind[bool]{Element: "QUEUE", Numbers: schema.Numbers("a queue", sched.Queues-1),
		Value: schema.Either("drop", "trim"),
		Meaning: "What becomes of a frame that finds no room to wait in a queue, or in any of a range such as `0-3`. " +
			"`trim`: it is trimmed if its DSCP allows it. What is left out has `drop`."}
	return schema.Section[portEntry]{
		schema.Nested("trimming", "Packet trimming of what is to leave by the port, as the section `trimming` has it.",
			schema.Section[portTrim]{
				schema.Pairs("packet_discard_action", action, "Of the queues of an edge, 0 to 7, or of the VCs of a link.",
					func(p *portTrim) *[]schema.Pair[bool] { return &p.actions }),
				schema.Value("dscp_value", dscpOrGlobal(), "global",
					"DSCP of frames that are trimmed here, so that their receiver learns where; "+
						"`global`: that of the section `trimming`.",
					func(p *portTrim) *int { return &p.dscp }),
			}, func(p *portEntry) *portTrim { return &p.trim }),
	}
}

// globalDSCP is the DSCP of a port that uses dscp_value of the section trimming.
const globalDSCP = -1

// dscpOrGlobal returns the kind of a DSCP, or the word global.
func dscpOrGlobal() schema.Kind[int] { return schema.OrWord("global", globalDSCP, schema.Whole(0, 63)) }
