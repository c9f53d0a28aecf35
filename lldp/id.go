package lldp

import (
	"bytes"
	"net"
	"net/netip"
)

// ChassisSubtype is the kind of a chassis id (802.1AB table 8-2).
type ChassisSubtype uint8

// The subtypes of chassis ids.
const (
	ChassisComponent ChassisSubtype = iota + 1
	ChassisIfAlias
	ChassisPortComponent
	ChassisMAC
	ChassisNetworkAddress
	ChassisIfName
	ChassisLocal
)

// String returns lldpcli's word for the subtype of a chassis id, such as "mac".
func (s ChassisSubtype) String() string {
	return [...]string{"reserved", "chassis", "ifalias", "port", "mac", "ip", "ifname", "local",
		"reserved"}[min(s, ChassisLocal+1)]
}

// PortSubtype is the kind of a port id (802.1AB table 8-3).
type PortSubtype uint8

// The subtypes of port ids.
const (
	PortIfAlias PortSubtype = iota + 1
	PortComponent
	PortMAC
	PortNetworkAddress
	PortIfName
	PortCircuitID
	PortLocal
)

// String returns lldpcli's word for the subtype of a port id, such as "ifname".
func (s PortSubtype) String() string {
	return [...]string{"reserved", "ifalias", "port", "mac", "ip", "ifname", "circuit", "local",
		"reserved"}[min(s, PortLocal+1)]
}

// ChassisID identifies a station. ID is 1 to 255 octets.
type ChassisID struct {
	Subtype ChassisSubtype
	ID      []byte
}

// PortID identifies a port of a station. ID is 1 to 255 octets.
type PortID struct {
	Subtype PortSubtype
	ID      []byte
}

// String returns the id in the usual form of its subtype: an address, a text, or hexadecimal.
func (c ChassisID) String() string {
	return idText(c.ID, c.Subtype == ChassisMAC, c.Subtype == ChassisNetworkAddress)
}

// String returns the id in the usual form of its subtype: an address, a text, or hexadecimal.
func (p PortID) String() string {
	return idText(p.ID, p.Subtype == PortMAC, p.Subtype == PortNetworkAddress)
}

func (c ChassisID) equal(o ChassisID) bool { return c.Subtype == o.Subtype && bytes.Equal(c.ID, o.ID) }

func (p PortID) equal(o PortID) bool { return p.Subtype == o.Subtype && bytes.Equal(p.ID, o.ID) }

// Address families of network addresses (IANA).
const (
	familyIPv4 = 1
	familyIPv6 = 2
)

// NetworkAddress returns the octets of an id of subtype network address: the address family, and
// the address.
func NetworkAddress(a netip.Addr) []byte {
	family := byte(familyIPv6)
	if a = a.Unmap(); a.Is4() {
		family = familyIPv4
	}
	return append([]byte{family}, a.AsSlice()...)
}

// address returns the IP address with the given address family and octets. ok is false if family and length do not
// match.
func address(family byte, octets []byte) (netip.Addr, bool) {
	a, ok := netip.AddrFromSlice(octets)
	return a, ok && (family == familyIPv4 && a.Is4() || family == familyIPv6 && a.Is6())
}

// idText returns a chassis or port ID as people read it: an address in its usual form, text as it is, anything else,
// also what does not fit its subtype, in hexadecimal.
func idText(id []byte, isMAC, isNetwork bool) string {
	switch {
	case isMAC && len(id) == 6:
		return net.HardwareAddr(id).String()
	case isNetwork && len(id) > 1:
		if a, ok := address(id[0], id[1:]); ok {
			return a.String()
		}
	case !isMAC && !isNetwork && printable(id):
		return string(id)
	}
	return hexadecimal(id)
}
