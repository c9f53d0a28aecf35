package controltest

import (
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/dcbx"
	"uelink/lldp/station"
	"uelink/lldp/ue"
	"uelink/wire"
)

// LLDP is a control.LLDP in memory. The zero value has no ports.
type LLDP struct {
	hub[agent.Event]

	interfaces []agent.Interface
	neighbors  []agent.Neighbor
	statistics []agent.Statistics
	dcbx       []agent.DCBX
	chassis    lldp.Local

	mu    sync.Mutex
	calls []string
}

// NewLLDP returns the LLDP state of three ports for tests: one has a UE partner that speaks DCBX, one an absent
// interface, one a neighbour without UE.
func NewLLDP() *LLDP {
	return &LLDP{
		interfaces: []agent.Interface{interfaceEdge0(), interfaceLink0(), interfaceLink1()},
		neighbors:  []agent.Neighbor{switchAtEdge0(), partnerAtLink0()},
		statistics: []agent.Statistics{
			{Port: "edge0", Interface: "veth1", Destination: lldp.NearestBridge},
			statisticsLink0(),
			{Port: "link1", Interface: "eth2", Destination: lldp.NearestBridge},
		},
		dcbx:    []agent.DCBX{{Port: "link0", Interface: "eth1", Version: "cee", Dialect: "cee", Snapshot: snapshot(), DCBNL: agent.DCBNL{Status: "off"}}},
		chassis: stationData("hosta", 0x0a),
	}
}

// Calls returns the recorded calls that change something, as "ClearCounters link0".
func (l *LLDP) Calls() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls)
}

// Interfaces returns the states of the LLDP agents of NewLLDP or NewTroubled.
func (l *LLDP) Interfaces() []agent.Interface { return slices.Clone(l.interfaces) }

// Neighbors returns the LLDP neighbours of all agents.
func (l *LLDP) Neighbors() []agent.Neighbor { return slices.Clone(l.neighbors) }

// Statistics returns the LLDP counters of all agents.
func (l *LLDP) Statistics() []agent.Statistics { return slices.Clone(l.statistics) }

// DCBX returns the state of DCBX on the ports of all agents.
func (l *LLDP) DCBX() []agent.DCBX { return slices.Clone(l.dcbx) }

// Chassis returns the LLDP data of the local station.
func (l *LLDP) Chassis() lldp.Local { return l.chassis }

// ClearCounters records that it was called for a port, and changes nothing. An unknown port is an error.
func (l *LLDP) ClearCounters(port string) error {
	hasPort := func(i agent.Interface) bool { return i.Port == port }
	if port != "" && !slices.ContainsFunc(l.interfaces, hasPort) {
		return fmt.Errorf("port %s: %w", port, station.ErrNoPort)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, "ClearCounters "+port)
	return nil
}

// stationData returns the LLDP data of a station (hosta or a neighbour) with the given system name; last is the last
// octet of its MAC address.
func stationData(name string, last byte) lldp.Local {
	return lldp.Local{
		Chassis:    lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: []byte{2, 0, 0, 0, 0, last}},
		SystemName: name, SystemDescription: "Linux 6.18.0 x86_64", HasCapabilities: true,
		Capabilities: lldp.Capabilities{System: lldp.CapBridge | lldp.CapRouter, Enabled: lldp.CapBridge},
		Management: []lldp.Management{
			{Family: 1, Address: []byte{10, 0, 0, 1}, InterfaceSubtype: lldp.InterfaceIfIndex, Interface: 7},
		},
	}
}

// pdu returns the LLDPDU that a station with local data l sends by a port.
func pdu(l lldp.Local, port string, ttl uint16) *lldp.PDU {
	return &lldp.PDU{
		Chassis: l.Chassis, Port: lldp.PortID{Subtype: lldp.PortIfName, ID: []byte(port)}, TTL: ttl,
		PortDescription: []byte(port), SystemName: []byte(l.SystemName), SystemDescription: []byte(l.SystemDescription),
		HasCapabilities: l.HasCapabilities, Capabilities: l.Capabilities, Management: l.Management,
	}
}

// advertised returns the UE TLVs that both ends send.
func advertised() ue.Advertisement {
	return ue.Advertisement{
		HasLink: true, Link: ue.Link{LLR: true, CBFC: true, Version: 1},
		HasCBFC: true, CBFC: ue.CBFC{VCs: 4, Pool: 1024, Lossless: 1<<3 | 1<<1},
		HasCreditSize: true, CreditSize: ue.CreditSize{Octets: 2048},
	}
}

// interfaceLink0 returns an agent that has agreed on LLR and CBFC with its partner.
func interfaceLink0() agent.Interface {
	return agent.Interface{
		Port: "link0", Interface: "eth1", Destination: lldp.NearestBridge, Status: "up",
		PDU: pdu(stationData("hosta", 0x0a), "eth1", 121), TxState: lldp.TxIdle, RxState: lldp.RxWaitForFrame,
		Timers: lldp.DefaultTimers(), Neighbors: 1,
		UE: ue.Result{
			Partner: ue.PartnerPresent, Own: advertised(), Advertised: advertised(),
			LLR: ue.LLR{Local: true, Remote: true}, CBFC: ue.Credit{On: true, VCs: 4, Pool: 1024, Lossless: 1<<3 | 1<<1},
		},
	}
}

func interfaceLink1() agent.Interface {
	return agent.Interface{
		Port: "link1", Interface: "eth2", Destination: lldp.NearestBridge, Status: "absent", Mode: lldp.RxOnly,
		PDU: pdu(stationData("hosta", 0x0a), "eth2", 121), Timers: lldp.DefaultTimers(),
		Trouble: "interface eth2: no such interface",
	}
}

func interfaceEdge0() agent.Interface {
	return agent.Interface{
		Port: "edge0", Interface: "veth1", Destination: lldp.NearestBridge, Status: "up",
		PDU: pdu(stationData("hosta", 0x0a), "veth1", 121), Timers: lldp.DefaultTimers(),
		Neighbors: 1, TooManyNeighbors: true, Loop: true,
		OtherAgent: "another LLDP agent of this host speaks on veth1: chassis mac 02:00:00:00:00:0b, port ifname veth1: stop one of the two",
	}
}

// at returns a neighbour that sends p from a source address. The times since it appeared, changed and was last
// heard are given in seconds.
func at(p *lldp.PDU, source wire.MAC, age, changed, heard int64) lldp.Neighbor {
	octets, _ := p.Append(nil)
	info, fault := lldp.NewInfo(octets)
	if fault != lldp.NoFault {
		panic(fault.String()) // the PDUs are in this file
	}
	ago := func(seconds int64) wire.Time { return now.Add(-time.Duration(seconds) * time.Second) }
	expires := ago(heard).Add(time.Duration(p.TTL) * time.Second)
	return lldp.Neighbor{
		Info: info, Source: source, Since: ago(age), Changed: ago(changed), Heard: ago(heard), Expires: expires,
	}
}

// now is the time of the snapshots.
const now = wire.Time(100_000 * time.Second)

// partnerAtLink0 returns a neighbour that sends the UE TLVs and DCBX.
func partnerAtLink0() agent.Neighbor {
	p := pdu(stationData("hostb", 0x0b), "eth1", 121)
	p.Org, _ = ue.Codec{OUI: ueOUI}.Append(nil, advertised(), nil)
	p.Org = append(p.Org, lldp.Org{OUI: dcbxOUI, Subtype: dcbx.Subtype, Info: decoded(dcbxOctets)})
	return agent.Neighbor{
		Port: "link0", Interface: "eth1", Destination: lldp.NearestBridge,
		Neighbor: at(p, wire.MAC{2, 0, 0, 0, 0, 2}, 93784, 3600, 12), Now: now, UE: advertised(),
		DCBX: dcbxTLV(dcbxOctets), Recognized: []bool{true, true, true, true},
	}
}

// OUIs of the TLVs.
var (
	ueOUI   = lldp.OUI{0xfa, 0x7a, 0xcb}
	dcbxOUI = lldp.OUI{0x00, 0x1b, 0x21}
)

// dcbxOctets is a DCBX TLV with control, PG and PFC.
const dcbxOctets = "020a0000000000010000000004110000c000012345670d0d0d0d0c0c0c0c0806060000c0000808"

func decoded(octets string) []byte {
	b, err := hex.DecodeString(octets)
	if err != nil {
		panic(err) // the octets are in this file
	}
	return b
}

// dcbxTLV decodes a DCBX TLV, given in hexadecimal, to the form in which the agent shows it.
func dcbxTLV(octets string) []agent.DCBXTLV {
	message, err := dcbx.Decode(decoded(octets))
	if err != nil {
		return []agent.DCBXTLV{{Subtype: dcbx.Subtype, Fault: err.Error()}}
	}
	return []agent.DCBXTLV{{Subtype: dcbx.Subtype, Message: message.Shown()}}
}

// switchAtEdge0 returns a neighbour with a control character in its name, unknown TLVs and a damaged DCBX TLV.
func switchAtEdge0() agent.Neighbor {
	const damaged = "020a00"
	p := pdu(stationData("switch\x1b[31m", 0x0a), "Ethernet0", 120)
	p.Org = []lldp.Org{
		{OUI: lldp.OUI{0xde, 0xad, 0xbe}, Subtype: 66, Info: decoded("01020368656c6c6f")},
		{OUI: dcbxOUI, Subtype: dcbx.Subtype, Info: decoded(damaged)},
	}
	p.Unknown = []lldp.TLV{{Type: 9, Info: []byte{0xff}}}
	return agent.Neighbor{
		Port: "edge0", Interface: "veth1", Destination: lldp.NearestBridge,
		Neighbor: at(p, wire.MAC{2, 0, 0, 0, 0, 3}, 59, 59, 29), Now: now,
		DCBX: dcbxTLV(damaged), Recognized: []bool{false, true},
	}
}

// statisticsLink0 returns counters of an agent, with LLDPDUs discarded for two reasons.
func statisticsLink0() agent.Statistics {
	c := lldp.Counters{
		Tx:     lldp.TxCounters{TotalFrames: 12345, Shutdowns: 1},
		Rx:     lldp.RxCounters{TotalAgeouts: 2, TotalDiscardedFrames: 5, ErrorFrames: 5, TotalFrames: 6789, TotalUnrecognizedTLVs: 4},
		Remote: lldp.RemoteCounters{Inserts: 3, Deletes: 2, Ageouts: 2},
	}
	c.Rx.Discards[lldp.FaultOrder], c.Rx.Discards[lldp.FaultTTL] = 4, 1
	return agent.Statistics{
		Port: "link0", Interface: "eth1", Destination: lldp.NearestBridge,
		LastChange: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC), Counters: c, SocketDrops: 6,
	}
}

// snapshot returns the state of DCBX with a peer of another configuration: this port adopts PG, PFC does not
// match, Application is missing.
func snapshot() dcbx.Snapshot {
	local := dcbx.Default()
	local.PFC.Willing, local.PFC.Config.Enable = false, 1<<4
	local.App = dcbx.Params[dcbx.App]{Enable: true, Advertise: true, Config: dcbx.App{Entries: []dcbx.AppEntry{
		{Protocol: 0x8906, Priorities: 1 << 3}, {Protocol: 3260, Selector: dcbx.SelectorPort, Priorities: 1 << 4},
	}}}
	peer := dcbx.Message{
		Control: dcbx.Control{SeqNo: 3, AckNo: 1},
		PG: dcbx.FeatureTLV[dcbx.PG]{Present: true, Header: dcbx.Header{Enable: true},
			Config: dcbx.PG{Group: [8]uint8{0, 0, 0, 3, 0, 0, 0, dcbx.PGStrict}, Percentage: [8]uint8{50, 0, 0, 50}, NumTCs: 8}},
		PFC:     dcbx.FeatureTLV[dcbx.PFC]{Present: true, Header: dcbx.Header{Enable: true}, Config: dcbx.PFC{Enable: 1 << 3, NumTCs: 8}},
		Unknown: []dcbx.Raw{{Type: 9, Body: []byte{0xab}}},
	}
	var out dcbx.Output
	p, err := dcbx.NewPort(local, &out)
	if err != nil {
		panic(err) // the parameters are valid
	}
	p.SetLink(true, &out)
	p.Receive(1, [][]byte{peer.Append(nil)}, &out)
	return p.Snapshot()
}
