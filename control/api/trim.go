package api

import (
	"uelink/dataplane/model"
)

// SwitchTrimming is packet trimming of the daemon: SONiC's SWITCH_TRIMMING|GLOBAL and SAI's counters of the switch.
type SwitchTrimming struct {
	// octets of a trimmed frame; 0: trimming is not configured
	Size int `json:"size" unit:"octets"`
	// DSCP of a trimmed frame whose egress port has none of its own
	DSCPValue      uint8   `json:"dscp_value"`
	TCValue        uint8   `json:"tc_value"`        // traffic class of a trimmed frame
	TrimmableDSCPs Numbers `json:"trimmable_dscps"` // DSCPs of frames that may be trimmed
	ControlDSCPs   Numbers `json:"control_dscps"`   // DSCPs of frames that are never trimmed
	// length and header checksum of IP are those of the trimmed packet
	RewriteIP  bool               `json:"rewrite_ip"`
	UDPPort    uint16             `json:"udp_port"`    // number of the UDP port of UET
	IPProtocol uint8              `json:"ip_protocol"` // number of the IP protocol of UET without UDP
	Counters   model.TrimCounters `json:"counters"`
	// ports that ask for trimming or have trimmed frames, by name
	Ports []PortTrimming `json:"ports"`
}

// PortTrimming is trimming of frames that leave by a port, with SAI's counters of the port.
type PortTrimming struct {
	Port      string             `json:"port"`       // name of the port
	DSCPValue uint8              `json:"dscp_value"` // DSCP of frames trimmed at the port
	Queues    Numbers            `json:"queues"`     // queues with the packet_discard_action trim
	Counters  model.TrimCounters `json:"counters"`
}

// NewSwitchTrimming returns the JSON object of packet trimming of the daemon, without the ports.
func NewSwitchTrimming(s model.TrimmingState) SwitchTrimming {
	settings := s.Settings
	return SwitchTrimming{
		Size: settings.Size, DSCPValue: settings.DSCP, TCValue: settings.Class, TrimmableDSCPs: settings.Trimmable.List(),
		ControlDSCPs: settings.Control.List(), RewriteIP: settings.RewriteIP, UDPPort: settings.UDPPort, IPProtocol: settings.Protocol,
		Counters: s.Counters, Ports: []PortTrimming{},
	}
}

// NewPortTrimming returns the JSON object of packet trimming at a port.
func NewPortTrimming(s model.PortState) PortTrimming {
	return PortTrimming{
		Port: s.Name, DSCPValue: s.Trimming.DSCP, Queues: numbers(s.Trimming.Queues), Counters: s.Counters.TrimCounters,
	}
}
