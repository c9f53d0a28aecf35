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
	"uelink/lldp/ue"
)

// LLDP is a control.LLDP in memory. The zero value has no ports.
type LLDP struct {
	hub[agent.Event]

	interfaces []agent.Interface
	neighbors  []agent.Neighbor
	statistics []agent.Statistics
	dcbx       []agent.DCBX
	chassis    agent.Chassis

	mu    sync.Mutex
	calls []string
}

// NewLLDP has a port with a UE partner that speaks DCBX, one whose interface is
// not there, and one with a neighbour that is somebody else.
func NewLLDP() *LLDP {
	return &LLDP{
		interfaces: []agent.Interface{interfaceEdge0(), interfaceLink0(), interfaceLink1()},
		neighbors:  []agent.Neighbor{switchAtEdge0(), partnerAtLink0()},
		statistics: []agent.Statistics{
			{Port: "edge0", Interface: "veth1", Destination: "nearest-bridge"},
			statisticsLink0(),
			{Port: "link1", Interface: "eth2", Destination: "nearest-bridge"},
		},
		dcbx:    []agent.DCBX{{Port: "link0", Interface: "eth1", Snapshot: snapshot(), DCBNL: agent.DCBNL{Status: "off"}}},
		chassis: station("hosta"),
	}
}

// Calls are the changes that were asked for, as "ClearCounters link0".
func (l *LLDP) Calls() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls)
}

// Interfaces are those that it was made with.
func (l *LLDP) Interfaces() []agent.Interface { return listed(l.interfaces) }

// Neighbors are those that it was made with.
func (l *LLDP) Neighbors() []agent.Neighbor { return listed(l.neighbors) }

// Statistics are those that it was made with.
func (l *LLDP) Statistics() []agent.Statistics { return listed(l.statistics) }

// DCBX is what it was made with.
func (l *LLDP) DCBX() []agent.DCBX { return listed(l.dcbx) }

// Chassis is what it was made with.
func (l *LLDP) Chassis() agent.Chassis { return l.chassis }

// ClearCounters records the call.
func (l *LLDP) ClearCounters(port string) error {
	has := func(i agent.Interface) bool { return i.Port == port }
	if port != "" && !slices.ContainsFunc(l.interfaces, has) {
		return fmt.Errorf("port %s: %w", port, agent.ErrNoPort)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, "ClearCounters "+port)
	return nil
}

// listed is a copy that is an array in JSON also when it is empty.
func listed[T any](list []T) []T { return append([]T{}, list...) }

func station(name string) agent.Chassis {
	return agent.Chassis{
		ID: agent.ID{Type: "mac", Value: "02:00:00:00:00:0a"}, SystemName: name, SystemDescription: "Linux 6.18.0 x86_64",
		Capabilities: []agent.Capability{{Type: "Bridge", Enabled: true}, {Type: "Router"}},
		Management:   []agent.Management{{Address: "10.0.0.1", Family: 1, InterfaceNumbering: 2, Interface: 7}},
	}
}

func describe(c agent.Chassis, port string) agent.Description {
	return agent.Description{
		Chassis: c.ID, PortID: agent.ID{Type: "ifname", Value: port}, TTL: 121, PortDescription: port,
		SystemName: c.SystemName, SystemDescription: c.SystemDescription, Capabilities: c.Capabilities, Management: c.Management,
	}
}

// advertised is what both ends offer.
func advertised() ue.Advertisement {
	return ue.Advertisement{
		HasLink: true, Link: ue.Link{LLR: true, CBFC: true, Version: 1},
		HasCBFC: true, CBFC: ue.CBFC{VCs: 4, Pool: 1024, Lossless: 1<<3 | 1<<1},
	}
}

func interfaceLink0() agent.Interface {
	return agent.Interface{
		Port: "link0", Interface: "eth1", Destination: "nearest-bridge", Status: "up", Mode: "rx-tx",
		Description: describe(station("hosta"), "eth1"), TxState: "TX_IDLE", RxState: "RX_WAIT_FOR_FRAME",
		TxInterval: 30, TxHold: 4, Neighbors: 1,
		UE: ue.Result{
			Partner: ue.PartnerPresent, Own: advertised(), Advertised: advertised(),
			LLR: ue.LLR{Local: true, Remote: true}, CBFC: ue.Credit{On: true, VCs: 4, Pool: 1024, Lossless: 1<<3 | 1<<1},
		},
	}
}

func interfaceLink1() agent.Interface {
	return agent.Interface{
		Port: "link1", Interface: "eth2", Destination: "nearest-bridge", Status: "absent", Mode: "rx-only",
		Description: describe(station("hosta"), "eth2"), TxInterval: 30, TxHold: 4, Trouble: "interface eth2: no such interface",
	}
}

func interfaceEdge0() agent.Interface {
	return agent.Interface{
		Port: "edge0", Interface: "veth1", Destination: "nearest-bridge", Status: "up", Mode: "rx-tx",
		Description: describe(station("hosta"), "veth1"), TxInterval: 30, TxHold: 4, Neighbors: 1, TooManyNeighbors: true, Loop: true,
		OtherAgent: "another LLDP agent of this host speaks on veth1: chassis mac 02:00:00:00:00:0b, port ifname veth1: stop one of the two",
	}
}

func partnerAtLink0() agent.Neighbor {
	d := describe(station("hostb"), "eth1")
	d.Chassis.Value = "02:00:00:00:00:0b"
	return agent.Neighbor{
		Port: "link0", Interface: "eth1", Destination: "nearest-bridge", Source: "02:00:00:00:00:02",
		Age: 93784, Changed: 3600, Heard: 12, ExpiresIn: 109, Description: d, UE: advertised(),
		OrgTLVs: []agent.OrgTLV{
			{OUI: "fa:7a:cb", Subtype: 1, Recognized: true, Octets: "c001"},
			{OUI: "fa:7a:cb", Subtype: 2, Recognized: true, Octets: "0404000000000a0000"},
			{OUI: "00:1b:21", Subtype: 2, Recognized: true, Octets: dcbxOctets},
		},
		DCBX:        dcbxTLV(dcbxOctets),
		UnknownTLVs: []agent.UnknownTLV{},
		Octets:      "02070402000000000b04050565746831060200790000",
	}
}

// dcbxOctets is a DCBX TLV with control, PG and PFC.
const dcbxOctets = "020a0000000000010000000004110000c000012345670d0d0d0d0c0c0c0c0806060000c0000808"

// dcbxTLV is what the daemon makes of a DCBX TLV.
func dcbxTLV(octets string) []agent.DCBXTLV {
	payload, err := hex.DecodeString(octets)
	if err != nil {
		panic(err) // the octets are those above
	}
	message, err := dcbx.Decode(payload)
	if err != nil {
		return []agent.DCBXTLV{{Subtype: dcbx.Subtype, Fault: err.Error()}}
	}
	return []agent.DCBXTLV{{Subtype: dcbx.Subtype, Message: message.Shown()}}
}

func switchAtEdge0() agent.Neighbor {
	d := describe(station(`switch\x1b[31m`), "Ethernet0")
	d.TTL = 120
	return agent.Neighbor{
		Port: "edge0", Interface: "veth1", Destination: "nearest-bridge", Source: "02:00:00:00:00:03",
		Age: 59, Changed: 59, Heard: 29, ExpiresIn: 91, Description: d,
		OrgTLVs: []agent.OrgTLV{
			{OUI: "de:ad:be", Subtype: 66, Octets: "01020368656c6c6f"},
			{OUI: "00:1b:21", Subtype: 2, Recognized: true, Octets: "020a00"},
		},
		DCBX:        dcbxTLV("020a00"),
		UnknownTLVs: []agent.UnknownTLV{{Type: 9, Octets: "ff"}},
		Octets:      "02070402000000000b",
	}
}

func statisticsLink0() agent.Statistics {
	changed := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	c := lldp.Counters{
		Tx:     lldp.TxCounters{TotalFrames: 12345, Shutdowns: 1},
		Rx:     lldp.RxCounters{TotalAgeouts: 2, TotalDiscardedFrames: 5, ErrorFrames: 5, TotalFrames: 6789, TotalUnrecognizedTLVs: 4},
		Remote: lldp.RemoteCounters{Inserts: 3, Deletes: 2, Ageouts: 2},
	}
	c.Rx.Discards[lldp.FaultOrder], c.Rx.Discards[lldp.FaultTTL] = 4, 1
	return agent.Statistics{Port: "link0", Interface: "eth1", Destination: "nearest-bridge", LastChange: &changed, Counters: c, SocketDrops: 6}
}

// snapshot is DCBX with a peer that has another configuration: PG is ours to
// adopt, PFC does not fit together, Application is missing.
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
		panic(err) // the parameters are those above
	}
	p.SetLink(true, &out)
	p.Receive(1, [][]byte{peer.Append(nil)}, &out)
	return p.Snapshot()
}
