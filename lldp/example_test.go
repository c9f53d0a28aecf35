package lldp_test

import (
	"fmt"

	"uelink/lldp"
	"uelink/wire"
)

// An LLDPDU with a system name and an organizationally specific TLV.
func ExamplePDU() {
	sent := lldp.PDU{
		Chassis:    lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: []byte{0x02, 0, 0, 0, 0, 0x0A}},
		Port:       lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("eth0")},
		TTL:        121,
		SystemName: []byte("leaf1"),
		Org:        []lldp.Org{{OUI: lldp.OUI{0x00, 0x12, 0x0F}, Subtype: 4, Info: []byte{0x05, 0xEE}}},
	}
	octets, leftOut := sent.Append(nil)
	fmt.Printf("%d octets, %d TLVs left out\n", len(octets), leftOut)

	var received lldp.PDU
	fmt.Println(received.Parse(octets))
	fmt.Println(received.Chassis.Subtype, received.Chassis, received.Port.Subtype, received.Port, received.TTL)
	fmt.Printf("%s, %d other TLV\n", lldp.Text(received.SystemName), len(received.Org))
	fmt.Println(received.Parse(octets[:len(octets)-2]))
	// Output:
	// 37 octets, 0 TLVs left out
	// no fault
	// mac 02:00:00:00:00:0a ifname eth0 121
	// leaf1, 1 other TLV
	// no End Of LLDPDU
}

// Two agents find each other, and one stops sending.
func ExampleAgent() {
	agent := func(mac wire.MAC, port string) *lldp.Agent {
		c := lldp.Config{Destination: lldp.NearestBridge, Timers: lldp.DefaultTimers()}
		a := lldp.NewAgent(c, lldp.RxTx, lldp.Local{
			Source:  mac,
			Chassis: lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: mac[:]},
			Port:    lldp.PortID{Subtype: lldp.PortIfName, ID: []byte(port)},
		})
		a.SetPortEnabled(true)
		return a
	}
	a := agent(wire.MAC{0x02, 0, 0, 0, 0, 0x0A}, "eth0")
	b := agent(wire.MAC{0x02, 0, 0, 0, 0, 0x0B}, "eth1")

	// transfer takes the frame that is due at one agent to the other, and prints the other's events.
	transfer := func(from, to *lldp.Agent, now wire.Time) {
		frame, _ := from.Poll(now, nil, nil)
		for _, e := range to.Receive(frame, now, nil) {
			n := e.Neighbor.Info
			fmt.Printf("%v: %v %v %v, cause %q\n", to.Local().Port, e.Kind, n.Chassis, n.Port, e.Cause)
		}
	}
	transfer(a, b, 0)
	transfer(b, a, 0)

	b.SetAdminStatus(lldp.RxOnly) // sends a shutdown LLDPDU
	transfer(b, a, 1e9)
	fmt.Println(a.TxState(), b.TxState(), len(a.Neighbors(nil)), len(b.Neighbors(nil)))
	// Output:
	// eth1: neighbor_added 02:00:00:00:00:0a eth0, cause ""
	// eth0: neighbor_added 02:00:00:00:00:0b eth1, cause ""
	// eth0: neighbor_deleted 02:00:00:00:00:0b eth1, cause "shutdown"
	// TX_IDLE TX_SHUTDOWN_FRAME 0 1
}
