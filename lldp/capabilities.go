package lldp

import (
	"encoding/binary"
	"math/bits"
)

// capabilitiesLen is the number of octets of the information string of a System Capabilities TLV.
const capabilitiesLen = 4

// CapabilitySet is a bitmap of a system's functions (802.1AB table 8-4).
type CapabilitySet uint16

// The capabilities.
const (
	CapOther CapabilitySet = 1 << iota
	CapRepeater
	CapBridge
	CapWLAN
	CapRouter
	CapTelephone
	CapDOCSIS
	CapStation
	CapCVLAN
	CapSVLAN
	CapTPMR
)

// capabilityNames has lldpcli's words for the capabilities, by the number of the bit.
var capabilityNames = [...]string{"Other", "Repeater", "Bridge", "Wlan", "Router", "Tel", "Docsis", "Station",
	"CVLAN", "SVLAN", "TPMR"}

// Names returns lldpcli's words for the capabilities, in the order of the bits, without reserved
// bits.
func (s CapabilitySet) Names() []string {
	names := []string{}
	for rest := uint16(s); rest != 0; rest &= rest - 1 {
		if bit := bits.TrailingZeros16(rest); bit < len(capabilityNames) {
			names = append(names, capabilityNames[bit])
		}
	}
	return names
}

// CapabilityByName returns the capability with one of the names that Names returns; false for any other name.
func CapabilityByName(name string) (CapabilitySet, bool) {
	for bit, n := range capabilityNames {
		if n == name {
			return 1 << bit, true
		}
	}
	return 0, false
}

// Capabilities is the System Capabilities TLV (802.1AB 8.5.8). Enabled is a
// subset of System.
type Capabilities struct {
	System, Enabled CapabilitySet
}

// valid reports whether every enabled capability is a capability of the system (802.1AB 8.5.8.3).
func (c Capabilities) valid() bool { return c.Enabled&^c.System == 0 }

func (c Capabilities) appendTo(b []byte) []byte {
	b = appendHeader(b, TypeCapabilities, capabilitiesLen)
	b = binary.BigEndian.AppendUint16(b, uint16(c.System))
	return binary.BigEndian.AppendUint16(b, uint16(c.Enabled))
}

// parseCapabilities reads the information string of a System Capabilities TLV. ok is false if the TLV is in error
// and must be discarded.
func parseCapabilities(info []byte) (c Capabilities, ok bool) {
	if len(info) != capabilitiesLen {
		return Capabilities{}, false
	}
	c.System = CapabilitySet(binary.BigEndian.Uint16(info))
	c.Enabled = CapabilitySet(binary.BigEndian.Uint16(info[2:]))
	return c, c.valid()
}
