package bridge

import (
	"slices"
	"time"
)

// MaxPorts is the most ports of a bridge, numbered 0 to MaxPorts-1.
const MaxPorts = 256

// The VLANs that a port can be in: VLAN 0 names none, 4095 is reserved (IEEE 802.1Q 9.6).
const (
	MinVLAN = 1
	MaxVLAN = 4094
)

// Settings is the configuration of a bridge, validated by package config.
type Settings struct {
	Ageing        time.Duration // a silent address is removed after this time; 0 = never
	VLANFiltering bool          // frames stay in their VLAN; false: tags are ignored
	MaxEntries    int           // most learned addresses; frames to addresses without an entry are flooded
	Reserved      Reserved      // treatment of reserved group addresses
	LoopGuard     LoopGuard     // treatment of a port that addresses move to back and forth
	BlockTime     time.Duration // how long the loop guard blocks a port
}

// Reserved is the treatment of the group addresses 01-80-C2-00-00-00 to 0F.
type Reserved uint8

// The treatments.
const (
	ReservedFilter  Reserved = iota // the addresses of IEEE 802.1Q table 8-1 are dropped
	ReservedForward                 // all are flooded, except those that never leave a link
)

// String returns the name in the configuration of how reserved group addresses are treated: filter or forward.
func (r Reserved) String() string {
	return [...]string{"filter", "forward", "?"}[min(r, ReservedForward+1)]
}

// MarshalText returns filter or forward, how reserved group addresses are treated, as octets. The error is always
// nil.
func (r Reserved) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// LoopGuard is the treatment of a port that addresses move to back and forth.
type LoopGuard uint8

// The treatments.
const (
	LoopGuardEvent LoopGuard = iota // an event reports the port
	LoopGuardBlock                  // the port is also blocked for a while
)

// String returns the name in the configuration of the loop guard's action: event or block.
func (g LoopGuard) String() string {
	return [...]string{"event", "block", "?"}[min(g, LoopGuardBlock+1)]
}

// MarshalText returns event or block, the loop guard's action, as octets. The error is always nil.
func (g LoopGuard) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// PortSettings is the configuration of a port. PVID, Tagged and Untagged apply only with VLAN filtering.
type PortSettings struct {
	PVID      uint16 // VLAN of untagged frames; 0: they are dropped
	Tagged    []uint16
	Untagged  []uint16 // VLANs whose frames leave without a tag; config puts PVID among them
	Isolated  bool     // no frames from or to other isolated ports
	Learning  bool
	Broadcast uint32 // most broadcast frames in a second, 0 = no limit
	Unknown   uint32 // unicast to unknown addresses, frames a second
	Multicast uint32 // frames a second
	Static    []Address
}

// sameVLANs reports whether both settings have the same VLANs, in the same order.
func (s *PortSettings) sameVLANs(other *PortSettings) bool {
	return s.PVID == other.PVID && slices.Equal(s.Tagged, other.Tagged) && slices.Equal(s.Untagged, other.Untagged)
}

// clone returns a copy that shares no slice with the original.
func (s PortSettings) clone() PortSettings {
	s.Tagged, s.Untagged, s.Static = slices.Clone(s.Tagged), slices.Clone(s.Untagged), slices.Clone(s.Static)
	return s
}

// Address is a MAC address in a VLAN; 0 is the VLAN of a bridge without filtering.
type Address struct {
	MAC  [6]byte
	VLAN uint16
}

// Entry is an address in the table.
type Entry struct {
	Address
	Port   int // number of the port in the bridge
	Static bool
	Age    time.Duration // time since the last frame from the address; 0 of a static entry
}
