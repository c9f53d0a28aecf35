package bridge

import "uelink/wire"

// The reserved group addresses 01-80-C2-00-00-00 to 0F, by their last octet (IEEE Std 802.1Q-2018 table 8-1, "C-VLAN
// and MAC Bridge component Reserved addresses"). A standard bridge relays none of them.
//
//	0  Bridge Group, nearest Customer Bridge (STP, LLDP)
//	1  MAC-specific Control Protocols (IEEE 802.3 PAUSE, PFC)
//	2  Slow Protocols (IEEE 802.3 LACP, OAM)
//	3  nearest non-TPMR Bridge (IEEE 802.1X, LLDP)
//	4  MAC-specific Control Protocols
//	7  Metro Ethernet Forum E-LMI
//	8  Provider Bridge Group (STP of a provider)
//	B  EDE-SS PEP (MACsec across a provider)
//	D  Provider Bridge MVRP
//	E  nearest Bridge, Individual LAN Scope (LLDP, IEEE 802.1AS)
//
// 5, 6, 9, A, C and F are reserved for future standards.
const (
	reservedBlock = 0x0180C2_000000
	reservedMask  = 0xF
)

// leavesNoLink has bit n set if address n never leaves a link, even with ReservedForward: 1 is for the MAC at the
// other end of a link, E for the station there.
const leavesNoLink = 1<<0x1 | 1<<0xE

// isReserved reports whether a destination address is one of the reserved group addresses 01-80-C2-00-00-00 to 0F.
func isReserved(da uint64) bool { return da&^reservedMask == reservedBlock }

// mayLeave reports whether a frame may leave its link. A MAC Control frame is for the MAC at the other end of the
// link, whatever its address. LLDP to a reserved address describes the neighbour on the link.
func (r Reserved) mayLeave(da uint64, etherType uint16) bool {
	switch {
	case etherType == wire.EtherTypeMACControl:
		return false
	case !isReserved(da):
		return true
	}
	return r == ReservedForward && leavesNoLink>>(da&reservedMask)&1 == 0 && etherType != wire.EtherTypeLLDP
}
