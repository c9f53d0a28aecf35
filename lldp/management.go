package lldp

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
)

// The numbering of a management address's interface (802.1AB 8.5.9.5).
const (
	InterfaceUnknown uint8 = iota + 1
	InterfaceIfIndex
	InterfacePortNumber
)

// Limits of a Management Address TLV (802.1AB 8.5.9).
const (
	maxManagementAddress = 31
	maxOID               = 128
	managementFixed      = 1 + 1 + 1 + 4 + 1 // string length, family, interface subtype and number, OID length
	minManagement        = managementFixed + 1
	maxManagement        = managementFixed + maxManagementAddress + maxOID
)

// Management is a Management Address TLV. Address is 1 to 31 octets of the IANA
// address family Family; OID is 0 to 128 octets.
type Management struct {
	Family           uint8
	Address          []byte
	InterfaceSubtype uint8
	Interface        uint32
	OID              []byte
}

// ManagementAt returns the Management Address TLV for an IP address on an interface.
func ManagementAt(a netip.Addr, ifIndex uint32) Management {
	octets := NetworkAddress(a)
	return Management{Family: octets[0], Address: octets[1:], InterfaceSubtype: InterfaceIfIndex, Interface: ifIndex}
}

// IP returns the management address if it is IPv4 or IPv6; false for any other family.
func (m Management) IP() (netip.Addr, bool) { return address(m.Family, m.Address) }

// Address families besides those of IP (IANA).
const (
	familyMAC = 6
	familyDNS = 16
)

// Kind returns the kind of the management address: "ipv4", "ipv6", "mac", "dns", or "family N" with the number of
// the address family.
func (m Management) Kind() string {
	a, isIP := m.IP()
	switch {
	case isIP && a.Is4():
		return "ipv4"
	case isIP:
		return "ipv6"
	case m.isMAC():
		return "mac"
	case m.Family == familyDNS:
		return "dns"
	}
	return fmt.Sprintf("family %d", m.Family)
}

func (m Management) isMAC() bool { return m.Family == familyMAC && len(m.Address) == 6 }

// String returns the management address in the usual form of its family, or in hexadecimal.
func (m Management) String() string {
	a, isIP := m.IP()
	switch {
	case isIP:
		return a.String()
	case m.isMAC():
		return net.HardwareAddr(m.Address).String()
	case m.Family == familyDNS:
		return Text(m.Address)
	}
	return hexadecimal(m.Address)
}

func (m Management) size() int { return tlvHeaderLen + managementFixed + len(m.Address) + len(m.OID) }

func (m Management) valid() bool {
	return len(m.Address) >= 1 && len(m.Address) <= maxManagementAddress && len(m.OID) <= maxOID
}

// appendTo appends the Management Address TLV to b.
func (m Management) appendTo(b []byte) []byte {
	b = appendHeader(b, TypeManagement, m.size()-tlvHeaderLen)
	b = append(b, byte(1+len(m.Address)), m.Family)
	b = append(append(b, m.Address...), m.InterfaceSubtype)
	b = binary.BigEndian.AppendUint32(b, m.Interface)
	return append(append(b, byte(len(m.OID))), m.OID...)
}

// parseManagement reads the information string of a Management Address TLV. ok is false if the TLV is in error and
// must be discarded.
func parseManagement(info []byte) (m Management, ok bool) {
	if len(info) < minManagement || len(info) > maxManagement {
		return Management{}, false
	}
	n := int(info[0]) // length of family and address
	if n < 2 || n > 1+maxManagementAddress || len(info) < managementFixed-1+n {
		return Management{}, false
	}
	m.Family, m.Address = info[1], info[2:1+n:1+n]
	rest := info[1+n:]
	m.InterfaceSubtype, m.Interface = rest[0], binary.BigEndian.Uint32(rest[1:])
	oid := int(rest[5])
	if oid > maxOID || len(rest) < 6+oid {
		return Management{}, false
	}
	m.OID = rest[6 : 6+oid : 6+oid]
	return m, true
}
