package lldp

// Provider gives meaning to organizationally specific TLVs: it contributes some
// to the frames of an agent and hears what the neighbours send. An agent calls
// it from within its own methods; a Provider must not call the agent.
//
// The methods that tell something return true if the TLVs of the provider have
// changed (somethingChangedLocal), so that a frame goes out as soon as there is
// credit.
type Provider interface {
	// Recognizes tells whether TLVs of that kind are the provider's; others count
	// as unrecognized.
	Recognizes(oui OUI, subtype uint8) bool
	// PortChanged tells whether the port works and which directions are enabled:
	// once at the beginning, then whenever it changes.
	PortChanged(s PortStatus, now int64) (localChange bool)
	// NeighborSeen tells of every LLDPDU that was accepted, also if it said
	// nothing new, and of every neighbour that left.
	NeighborSeen(s Sighting, now int64) (localChange bool)
	// AppendTLVs appends the TLVs of the frame that is being built. What they refer
	// to has to stay as it is until the next call of any method.
	AppendTLVs(list []Org) []Org
}

// PortStatus is what an agent knows of its port.
type PortStatus struct {
	Enabled bool // portEnabled: the link is up
	Admin   AdminStatus
}

// Sighting is an LLDPDU accepted or a neighbour gone.
type Sighting struct {
	Subject *Info // whose; its TLVs are the latest that it sent
	Gone    Cause // NotGone, or why the subject left
	New     bool  // first LLDPDU of the subject
	Changed bool  // the LLDPDU was not that of last time; also if New
	// Neighbors are all that are there now, without a subject that left. Valid
	// during the call.
	Neighbors []*Info
	// TooMany says that there are more, for whom there was no room.
	TooMany bool
}
