package controltest

import (
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/dcbx"
	"uelink/lldp/dot"
	"uelink/wire"
)

// NewTroubled returns the LLDP state of ports of role host with a problem each: peers that speak DCBX of IEEE
// only, malformed, or with an error, a neighbour without a name, and ports without neighbours for every reason.
func NewTroubled() *LLDP {
	l := &LLDP{
		neighbors: []agent.Neighbor{namelessAtHost0(), malformedAtHost1()},
		chassis:   stationData("hosta", 0x0a),
	}
	for _, p := range []struct {
		port, iface, status, trouble string
		mode                         lldp.AdminStatus
		heard, discarded             uint64
	}{
		{port: "host0", iface: "eth0", status: "up", heard: 4},
		{port: "host1", iface: "eth1", status: "up", heard: 4},
		{port: "host2", iface: "eth2", status: "up", mode: lldp.Off},
		{port: "host3", iface: "eth3", status: "up", mode: lldp.TxOnly},
		{port: "host4", iface: "eth4", status: "up"},
		{port: "host5", iface: "eth5", status: "down"},
		{port: "host6", iface: "eth6", status: "absent"},
		{port: "host7", iface: "lo", status: "absent",
			trouble: "interface lo is no Ethernet (loopback): LLDP cannot run on it"},
		{port: "host8", iface: "eth8", status: "up", heard: 12, discarded: 12},
		{port: "host9", iface: "eth9", status: "up", heard: 12},
	} {
		i := agent.Interface{
			Port: p.port, Interface: p.iface, Destination: lldp.NearestBridge,
			Status: p.status, Mode: p.mode, Trouble: p.trouble,
			PDU: pdu(l.chassis, p.iface, 121), Timers: lldp.DefaultTimers(), MTU: 1500, MAC: wire.MAC{2, 0, 0, 0, 0, 0x10},
		}
		s := agent.Statistics{Port: p.port, Interface: p.iface, Destination: lldp.NearestBridge}
		s.Tx.TotalFrames, s.Rx.TotalFrames, s.Rx.TotalDiscardedFrames = 5, p.heard, p.discarded
		l.interfaces, l.statistics = append(l.interfaces, i), append(l.statistics, s)
	}
	l.dcbx = []agent.DCBX{troubled("host0", "eth0", ieeeOnly), troubled("host1", "eth1", malformed),
		troubled("host3", "eth3", oneWay), troubled("host9", "eth9", peerErrs)}
	return l
}

// troubled returns the state of DCBX on a port whose link is up, after do has put the port into trouble.
func troubled(port, iface string, do func(*dcbx.Port, *dcbx.Output) dcbx.Snapshot) agent.DCBX {
	local := dcbx.Default()
	local.PFC.Config.Enable = 1 << 3
	var out dcbx.Output
	p, err := dcbx.NewPort(local, &out)
	if err != nil {
		panic(err) // the parameters are valid
	}
	p.SetLink(true, &out)
	return agent.DCBX{Port: port, Interface: iface, Version: "cee", Dialect: "cee", Snapshot: do(p, &out),
		DCBNL: agent.DCBNL{Status: "off"}}
}

func ieeeOnly(p *dcbx.Port, out *dcbx.Output) dcbx.Snapshot {
	p.Receive(1, nil, out)
	s := p.Snapshot()
	s.Peer = dcbx.PeerIEEEOnly // in a daemon, the LLDP agent sets this state
	return s
}

func malformed(p *dcbx.Port, out *dcbx.Output) dcbx.Snapshot {
	p.Receive(1, [][]byte{decoded(cutShort)}, out)
	return p.Snapshot()
}

func oneWay(p *dcbx.Port, out *dcbx.Output) dcbx.Snapshot {
	p.SetLLDP(false, true, out)
	return p.Snapshot()
}

// peerErrs returns the state after a peer has sent an impossible PG and set the error bit of PFC.
func peerErrs(p *dcbx.Port, out *dcbx.Output) dcbx.Snapshot {
	header := dcbx.Header{Enable: true, Willing: true, Error: true}
	peer := dcbx.Message{
		Control: dcbx.Control{SeqNo: 2, AckNo: 1},
		PG: dcbx.FeatureTLV[dcbx.PG]{Present: true, Header: dcbx.Header{Enable: true},
			Config: dcbx.PG{Percentage: [8]uint8{200}, NumTCs: 8}},
		PFC: dcbx.FeatureTLV[dcbx.PFC]{Present: true, Header: header, Config: dcbx.PFC{Enable: 1 << 3, NumTCs: 8}},
	}
	p.Receive(1, [][]byte{peer.Append(nil)}, out)
	return p.Snapshot()
}

// cutShort is a truncated DCBX TLV.
const cutShort = "020a00"

// neighborOf returns a neighbour on a port that sends the LLDPDU p.
func neighborOf(port, iface string, p *lldp.PDU) agent.Neighbor {
	n := agent.Neighbor{
		Port: port, Interface: iface, Destination: lldp.NearestBridge,
		Neighbor: at(p, wire.MAC{2, 0, 0, 0, 0, 9}, 60, 60, 2), Now: now,
	}
	for _, o := range p.Org {
		n.Recognized = append(n.Recognized, o.OUI == dcbxOUI)
	}
	return n
}

// namelessAtHost0 returns a neighbour without a system name, with addresses of several kinds, TLVs of 802.1 and 802.3,
// and DCBX of 802.1Qaz only.
func namelessAtHost0() agent.Neighbor {
	return neighborOf("host0", "eth0", &lldp.PDU{
		Chassis: lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: []byte{2, 0, 0, 0, 0, 0x0c}},
		Port:    lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("swp1")}, TTL: 120,
		Management: []lldp.Management{
			{Family: 6, Address: []byte{2, 0, 0, 0, 0, 0x0c}, InterfaceSubtype: lldp.InterfacePortNumber, Interface: 3},
			{Family: 2, Address: decoded("20010db8000000000000000000000001"),
				InterfaceSubtype: lldp.InterfaceIfIndex, Interface: 4},
			{Family: 200, Address: []byte{1, 2}, InterfaceSubtype: lldp.InterfaceUnknown},
		},
		Org: []lldp.Org{
			{OUI: dot.OUI1, Subtype: 1, Info: decoded("000a")},
			{OUI: dot.OUI1, Subtype: 3, Info: decoded("000a0573746f7265")},
			{OUI: dot.OUI1, Subtype: 11, Info: decoded("8818")},
			{OUI: dot.OUI3, Subtype: 1, Info: decoded("036c11001e")},
			{OUI: dot.OUI3, Subtype: 4, Info: decoded("05f2")},
			{OUI: dot.OUI3, Subtype: 2, Info: decoded("07")},
			{OUI: lldp.OUI{0xde, 0xad, 0xbe}, Subtype: 66, Info: decoded("010203")},
		},
	})
}

// malformedAtHost1 returns a neighbour with an undecodable DCBX TLV.
func malformedAtHost1() agent.Neighbor {
	p := pdu(stationData("hostb", 0x0b), "eth1", 121)
	p.Org = []lldp.Org{{OUI: dcbxOUI, Subtype: dcbx.Subtype, Info: decoded(cutShort)}}
	n := neighborOf("host1", "eth1", p)
	n.DCBX = dcbxTLV(cutShort)
	return n
}
