// Package doctor reports, without a daemon, which XDP and AF_XDP abilities an interface has for uelink, who else uses
// the interface, how uelink would change it, and which problems stand in the way. It changes nothing.
//
// Gather reads Facts from the kernel; Judge turns Facts and a Plan into a Report. Judge reads nothing else: the same
// facts and plan give the same report.
package doctor

import (
	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/netdev"
	"uelink/dataplane/quirks"
)

// Facts is the state of an interface and its driver.
type Facts struct {
	Interface    string           `json:"interface"`
	Kind         string           `json:"kind"`      // as in ip -d link: device, veth, bridge, vlan
	LinkType     string           `json:"link_type"` // as in ip link: ether, none
	Made         bool             `json:"made"`      // it is uelinkd's end of a veth that uelinkd created
	MAC          string           `json:"mac"`
	Up           bool             `json:"up"`      // administratively up
	Carrier      bool             `json:"carrier"` // up, with carrier
	Promiscuous  bool             `json:"promiscuous"`
	MTU          int              `json:"mtu"`   // octets
	Speed        int              `json:"speed"` // Mb/s; 0: unknown
	Driver       ethtool.Driver   `json:"driver"`
	Queues       int              `json:"rx_queues"`
	TxQueues     int              `json:"tx_queues"`
	Steering     ethtool.Steering `json:"steering"` // of frames to RX queues
	Abilities    Abilities        `json:"abilities"`
	NoLive       string           `json:"no_live_frames,omitempty"` // why the kernel has no live XDP frames
	Offloads     []string         `json:"offloads"`                 // switched on, and to be switched off for a port
	Use          attach.Use       `json:"use"`                      // by the host's own network
	XDPProgram   string           `json:"xdp_program"`              // attached program: name and id
	Sockets      []string         `json:"packet_sockets"`
	FirmwareLLDP bool             `json:"firmware_lldp"` // an agent on the NIC takes LLDP frames
	Quirks       []quirks.Quirk   `json:"quirks"`
	NoPushBack   string           `json:"no_push_back,omitempty"` // why a veth of this kernel cannot push back
	Way          *Way             `json:"way,omitempty"`          // to the other end; nil: not probed
	unshown      unshown
}

// unshown holds facts from which a report is computed, and which its JSON does not have.
type unshown struct {
	features    netdev.Features // source of Abilities
	xdpRemoval  string          // command that takes XDPProgram off
	lldpCommand string          // command that switches the agent of FirmwareLLDP off
}

// Abilities is the kernel's report of the driver's XDP features.
type Abilities struct {
	Native              netdev.Answer `json:"native_xdp"`
	ZeroCopy            netdev.Answer `json:"zero_copy"`
	MultiBuffer         netdev.Answer `json:"multi_buffer"` // frames of several buffers, in copy mode
	ZeroCopyMultiBuffer netdev.Answer `json:"zero_copy_multi_buffer"`
	XDPFeatures         string        `json:"xdp_features"` // in the kernel's words
}

// SetFeatures fills Abilities from the XDP features that the kernel reports for the driver.
func (f *Facts) SetFeatures(features netdev.Features) {
	f.unshown.features = features
	f.Abilities = Abilities{
		Native: features.Native(), ZeroCopy: features.ZeroCopy(), MultiBuffer: features.MultiBuffer(),
		ZeroCopyMultiBuffer: features.ZeroCopyMultiBuffer(),
	}
	if features.Asked {
		f.Abilities.XDPFeatures = features.XDP.String()
	}
}
