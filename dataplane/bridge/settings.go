package bridge

import (
	"slices"
	"time"
)

// MaxPorts is how many ports a bridge has at most; their numbers are 0 to MaxPorts-1.
const MaxPorts = 256

// The VLANs that a port can be in: VLAN 0 names none, 4095 is reserved (IEEE 802.1Q 9.6).
const (
	MinVLAN = 1
	MaxVLAN = 4094
)

// Settings is a bridge: validated by package config.
type Settings struct {
	Ageing        time.Duration // after which an address that is silent is forgotten; 0 = never
	VLANFiltering bool          // frames stay in their VLAN; without it tags are not looked at
	MaxEntries    int           // learned addresses at most; frames to those that do not fit are flooded
	Reserved      Reserved      // what becomes of reserved group addresses
	LoopGuard     LoopGuard     // what becomes of a port to which addresses move to and fro
	BlockTime     time.Duration // for how long such a port is blocked
}

// Reserved is what becomes of the group addresses 01-80-C2-00-00-00 to 0F.
type Reserved uint8

// What becomes of them.
const (
	ReservedFilter  Reserved = iota // those of IEEE 802.1Q table 8-1 are dropped
	ReservedForward                 // all are flooded, but those that never leave a link
)

// String is the word of the configuration.
func (r Reserved) String() string {
	return [...]string{"filter", "forward", "?"}[min(r, ReservedForward+1)]
}

// MarshalText is String.
func (r Reserved) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// LoopGuard is what becomes of a port to which addresses move to and fro.
type LoopGuard uint8

// What becomes of it.
const (
	LoopGuardEvent LoopGuard = iota // an event tells of it
	LoopGuardBlock                  // it is blocked for a while, too
)

// String is the word of the configuration.
func (g LoopGuard) String() string {
	return [...]string{"event", "block", "?"}[min(g, LoopGuardBlock+1)]
}

// MarshalText is String.
func (g LoopGuard) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// PortSettings is a port of a bridge. PVID, Tagged and Untagged are for a bridge that filters
// VLANs.
type PortSettings struct {
	PVID      uint16 // VLAN of frames without a tag; 0: they are dropped
	Tagged    []uint16
	Untagged  []uint16 // VLANs that leave without a tag; config puts PVID among them
	Isolated  bool     // no frames from or to other isolated ports
	Learning  bool
	Broadcast uint32 // frames a second at most, 0 = as many as come
	Unknown   uint32 // unicast to addresses that are not known, frames a second
	Multicast uint32 // frames a second
	Static    []Address
}

// sameVLANs tells whether the VLANs are those of other settings, written in the same way.
func (s *PortSettings) sameVLANs(other *PortSettings) bool {
	return s.PVID == other.PVID && slices.Equal(s.Tagged, other.Tagged) && slices.Equal(s.Untagged, other.Untagged)
}

// clone is a copy that shares no list.
func (s PortSettings) clone() PortSettings {
	s.Tagged, s.Untagged, s.Static = slices.Clone(s.Tagged), slices.Clone(s.Untagged), slices.Clone(s.Static)
	return s
}

// Address is a MAC address in a VLAN; 0 is the VLAN of a bridge without filtering.
type Address struct {
	MAC  [6]byte
	VLAN uint16
}

// Entry is an entry of the table.
type Entry struct {
	Address
	Port   int // its number in the bridge
	Static bool
	Age    time.Duration // since its last frame; 0 of a static entry
}
