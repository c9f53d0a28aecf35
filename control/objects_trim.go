package control

import "uelink/dataplane"

// SwitchTrimming is packet trimming of the whole daemon: SONiC's SWITCH_TRIMMING|GLOBAL and
// SAI's counters at the level of the switch.
type SwitchTrimming struct {
	Size           int                    `json:"size"`            // octets of a trimmed frame; 0: trimming is not configured
	DSCPValue      uint8                  `json:"dscp_value"`      // of a trimmed frame, where its egress port has none
	TCValue        uint8                  `json:"tc_value"`        // traffic class of a trimmed frame
	TrimmableDSCPs Numbers                `json:"trimmable_dscps"` // of frames that may be trimmed
	ControlDSCPs   Numbers                `json:"control_dscps"`   // of frames that never are
	RewriteIP      bool                   `json:"rewrite_ip"`      // length and header checksum of IP are those of what is left
	UDPPort        uint16                 `json:"udp_port"`        // of UET
	IPProtocol     uint8                  `json:"ip_protocol"`     // of UET without UDP
	Counters       dataplane.TrimCounters `json:"counters"`
	Ports          []PortTrimming         `json:"ports"` // by name: those that ask for it, or have trimmed something
}

// PortTrimming is trimming of what is to leave by a port, and SAI's counters at its level.
type PortTrimming struct {
	Port      string                 `json:"port"`
	DSCPValue uint8                  `json:"dscp_value"` // of what is trimmed here
	Queues    Numbers                `json:"queues"`     // whose packet_discard_action is trim
	Counters  dataplane.TrimCounters `json:"counters"`
}

// NewSwitchTrimming is the object of trimming, without the ports.
func NewSwitchTrimming(s dataplane.TrimmingState) SwitchTrimming {
	of := s.Settings
	return SwitchTrimming{
		Size: of.Size, DSCPValue: of.DSCP, TCValue: of.Class, TrimmableDSCPs: of.Trimmable.List(),
		ControlDSCPs: of.Control.List(), RewriteIP: of.RewriteIP, UDPPort: of.UDPPort, IPProtocol: of.Protocol,
		Counters: s.Counters, Ports: []PortTrimming{},
	}
}

// portTrimming is the object of a port.
func portTrimming(s dataplane.PortState) PortTrimming {
	return PortTrimming{
		Port: s.Name, DSCPValue: s.Trimming.DSCP, Queues: numbers(s.Trimming.Queues), Counters: s.Counters.TrimCounters,
	}
}
