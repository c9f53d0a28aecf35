package api

import (
	"encoding/hex"
	"net"
	"time"

	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/dot"
)

// Objects of LLDP, made of the agents' snapshots.

// NewLLDPInterface returns the JSON object of an LLDP agent.
func NewLLDPInterface(i agent.Interface) LLDPInterface {
	return LLDPInterface{
		Port: i.Port, Interface: i.Interface, Destination: lldp.DestinationName(i.Destination),
		Status: i.Status, Mode: i.Mode.String(), LLDPDescription: describe(i.PDU),
		TxState: i.TxState.String(), RxState: i.RxState.String(),
		TxInterval: i.Timers.TxInterval, TxHold: i.Timers.TxHold,
		Neighbors: i.Neighbors, TooManyNeighbors: i.TooManyNeighbors, Loop: i.Loop,
		OtherAgent: i.OtherAgent, Trouble: i.Trouble, UE: newUEResult(i.UE), DCBX: append([]agent.Finding{}, i.DCBX...),
	}
}

// NewLLDPNeighbor returns the JSON object of an LLDP neighbour.
func NewLLDPNeighbor(n agent.Neighbor) LLDPNeighbor {
	seconds := func(d time.Duration) int64 { return int64(max(0, d/time.Second)) }
	out := LLDPNeighbor{
		Port: n.Port, Interface: n.Interface, Destination: lldp.DestinationName(n.Destination),
		Source: net.HardwareAddr(n.Source[:]).String(),
		Age:    seconds(n.Now.Sub(n.Since)), Changed: seconds(n.Now.Sub(n.Changed)), Heard: seconds(n.Now.Sub(n.Heard)),
		ExpiresIn: seconds(n.Expires.Sub(n.Now)), LLDPDescription: describe(&n.Info.PDU), UE: newUEAdvertisement(n.UE),
		DCBX: []DCBXTLV{}, OrgTLVs: []LLDPOrgTLV{}, UnknownTLVs: []LLDPUnknownTLV{},
		Octets: hex.EncodeToString(n.Info.Octets()),
	}
	for _, t := range n.DCBX {
		out.DCBX = append(out.DCBX, newDCBXTLV(t))
	}
	for i, o := range n.Info.Org {
		out.OrgTLVs = append(out.OrgTLVs, newOrgTLV(o, n.Recognized[i]))
	}
	for _, u := range n.Info.Unknown {
		out.UnknownTLVs = append(out.UnknownTLVs, LLDPUnknownTLV{uint8(u.Type), hex.EncodeToString(u.Info)})
	}
	return out
}

// newOrgTLV returns the JSON object of an organizationally specific TLV. A TLV of IEEE 802.1 or 802.3 has a name,
// and its value in words.
func newOrgTLV(o lldp.Org, recognized bool) LLDPOrgTLV {
	tlv := LLDPOrgTLV{
		OUI: net.HardwareAddr(o.OUI[:]).String(), Subtype: o.Subtype, Recognized: recognized,
		Octets: hex.EncodeToString(o.Info),
	}
	if words, ok := dot.Words(o); ok {
		tlv.Name, tlv.Text = words.Name, words.Text
	}
	return tlv
}

// NewLLDPStatistics returns the JSON object of an LLDP agent's counters.
func NewLLDPStatistics(s agent.Statistics) LLDPStatistics {
	out := LLDPStatistics{
		Port: s.Port, Interface: s.Interface, Destination: lldp.DestinationName(s.Destination), Counters: s.Counters,
		SocketDrops: s.SocketDrops, SendErrors: s.SendErrors, EventsSuppressed: s.EventsSuppressed,
		FaultyUETLVs: s.FaultyUETLVs,
	}
	if !s.LastChange.IsZero() {
		out.LastChange = &s.LastChange
	}
	return out
}

// NewLLDPChassis returns the JSON object of the local LLDP station.
func NewLLDPChassis(l lldp.Local) LLDPChassis {
	return LLDPChassis{
		ID: chassisID(l.Chassis), SystemName: l.SystemName, SystemDescription: l.SystemDescription,
		Capabilities: capabilities(l.Capabilities), Management: management(l.Management),
	}
}

func describe(p *lldp.PDU) LLDPDescription {
	return LLDPDescription{
		Chassis: chassisID(p.Chassis), PortID: LLDPID{p.Port.Subtype.String(), p.Port.String()}, TTL: p.TTL,
		PortDescription: lldp.Text(p.PortDescription), SystemName: lldp.Text(p.SystemName),
		SystemDescription: lldp.Text(p.SystemDescription),
		Capabilities:      capabilities(p.Capabilities), Management: management(p.Management),
	}
}

func chassisID(c lldp.ChassisID) LLDPID { return LLDPID{c.Subtype.String(), c.String()} }

func capabilities(c lldp.Capabilities) []LLDPCapability {
	list := []LLDPCapability{}
	for _, name := range c.System.Names() {
		bit, _ := lldp.CapabilityByName(name)
		list = append(list, LLDPCapability{name, c.Enabled&bit != 0})
	}
	return list
}

func management(addresses []lldp.Management) []LLDPManagement {
	list := []LLDPManagement{}
	for _, m := range addresses {
		list = append(list, LLDPManagement{m.String(), m.Kind(), m.Family, m.InterfaceSubtype, m.Interface,
			hex.EncodeToString(m.OID)})
	}
	return list
}
