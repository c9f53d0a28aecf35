// Package doctor says, without a daemon, what an interface can do for uelink, who else uses it, what uelink would
// change on it, and what stands in the way. It changes nothing.
//
// Look gathers Facts from the kernel; Judge makes a Report of them for a Plan. Judge asks nobody: the same facts
// and plan give the same report.
package doctor

import (
	"uelink/dataplane/ethtool"
	"uelink/dataplane/netdev"
	"uelink/dataplane/netif"
	"uelink/dataplane/quirks"
)

// Facts is what is seen of an interface.
type Facts struct {
	Interface    string           `json:"interface"`
	Kind         string           `json:"kind"`      // as in ip -d link: device, veth, bridge, vlan
	LinkType     string           `json:"link_type"` // as in ip link: ether, none
	Made         bool             `json:"made"`      // it is uelinkd's end of a veth that uelinkd has made
	MAC          string           `json:"mac"`
	Up           bool             `json:"up"`      // set up by somebody
	Carrier      bool             `json:"carrier"` // and it has its carrier
	Promiscuous  bool             `json:"promiscuous"`
	MTU          int              `json:"mtu"`   // octets
	Speed        int              `json:"speed"` // Mb/s; 0: not known
	Driver       ethtool.Driver   `json:"driver"`
	Queues       int              `json:"rx_queues"`
	TxQueues     int              `json:"tx_queues"`
	Steering     ethtool.Steering `json:"steering"` // of frames to RX queues
	Abilities    Abilities        `json:"abilities"`
	Offloads     []string         `json:"offloads"`    // that are on and would be in the way
	Use          netif.Use        `json:"use"`         // by the host's own network
	XDPProgram   string           `json:"xdp_program"` // that is attached: name and id
	Sockets      []string         `json:"packet_sockets"`
	FirmwareLLDP bool             `json:"firmware_lldp"` // an agent on the NIC takes LLDP frames
	LLDPCommand  string           `json:"-"`             // switches that off
	Quirks       []quirks.Quirk   `json:"quirks"`
	features     netdev.Features  // what Abilities was made of
}

// Abilities is what the kernel says of the driver.
type Abilities struct {
	Native              netdev.Answer `json:"native_xdp"`
	ZeroCopy            netdev.Answer `json:"zero_copy"`
	MultiBuffer         netdev.Answer `json:"multi_buffer"` // frames of several buffers, with copies
	ZeroCopyMultiBuffer netdev.Answer `json:"zero_copy_multi_buffer"`
	XDPFeatures         string        `json:"xdp_features"` // in the kernel's words
}

// SetFeatures fills Abilities with what the kernel has answered.
func (f *Facts) SetFeatures(is netdev.Features) {
	f.features = is
	f.Abilities = Abilities{
		Native: is.Native(), ZeroCopy: is.ZeroCopy(), MultiBuffer: is.MultiBuffer(),
		ZeroCopyMultiBuffer: is.ZeroCopyMultiBuffer(),
	}
	if is.Asked {
		f.Abilities.XDPFeatures = is.XDP.String()
	}
}
