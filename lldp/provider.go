package lldp

import "uelink/wire"

// Provider handles some organizationally specific TLVs: it contributes TLVs to the frames of an
// agent and receives the neighbours' LLDPDUs. An agent calls the provider from within the agent's
// own methods; a provider must not call the agent.
//
// PortChanged and NeighborSeen return true if the provider's TLVs have changed
// (somethingChangedLocal), so that a frame goes out as soon as there is credit.
type Provider interface {
	// Recognizes reports whether the provider handles TLVs of a kind. TLVs of other kinds count as
	// unrecognized.
	Recognizes(oui OUI, subtype uint8) bool
	// PortChanged receives the state of the port and the enabled directions: once at the beginning,
	// then after every change.
	PortChanged(s PortStatus, now wire.Time) (localChange bool)
	// NeighborSeen receives every accepted LLDPDU, also one without a change, and every departure
	// of a neighbour.
	NeighborSeen(s Sighting, now wire.Time) (localChange bool)
	// AppendTLVs appends the provider's TLVs for the next frame. The provider must not write to
	// their octets before the next call of any method.
	AppendTLVs(list []Org) []Org
}

// PortStatus is the state of an agent's port.
type PortStatus struct {
	Enabled bool // portEnabled: the link is up
	Admin   AdminStatus
}

// Sighting is an accepted LLDPDU, or the departure of a neighbour.
type Sighting struct {
	Subject *Info    // the neighbour's latest LLDPDU
	Source  wire.MAC // of the frame with that LLDPDU
	Gone    Cause    // NotGone, or the reason for the departure
	New     bool     // first LLDPDU of the neighbour
	Changed bool     // the content differs from the previous LLDPDU; also if New
	// Neighbors are all present neighbours, without a departed one, and Sources the source addresses of their latest
	// frames. Valid during the call.
	Neighbors []*Info
	Sources   []wire.MAC
	// TooMany is true while the table has no room for more neighbours.
	TooMany bool
}
