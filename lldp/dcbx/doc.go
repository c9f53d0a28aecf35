// Package dcbx implements the DCB capability exchange protocol, base specification 1.0 (DCBX): the
// octets of its organizationally specific LLDP TLV, the control state machine of a port, and one
// feature state machine for each of Priority Groups, Priority-based Flow Control and (of
// specification 1.01) Application.
//
// The package has no socket, clock, goroutine or logger. One owner passes inputs to a [Port]
// and acts on the outputs:
//
//	SetLink, SetLLDP, SetEnabled, SetLocal
//	                         │
//	LLDPDU came ──► Receive  │
//	                    │    ▼
//	                    └──► Port ──► Output.Changed       send an LLDPDU soon
//	                    ┌──►      ──► Output.PG, PFC, App  operate by these values
//	                    │         ──► Output.Events        notify the operator
//	neighbour left ──► Gone
//
//	AppendTLV   the octets for every sent LLDPDU
//	Snapshot    the state to show
//
// The figures of both state machines are missing from the copy of the specification at hand. The states and their
// names are a reconstruction; the drawings are with [ControlState] and [FeatureState].
package dcbx

// OUI is the organizationally unique identifier of the DCBX TLV (DCBX, 2.3). In this package the
// payload of the TLV begins after the OUI and the subtype octet.
// Clauses: DCBX/lldp.4.
const OUI = 0x001b21

// Subtypes of the organizationally specific TLV under OUI.
// Clauses: DCBX/lldp.5.
const (
	SubtypeCIN = 1 // the older protocol with the same name, see DecodeCIN
	Subtype    = 2 // this protocol
)

// MaxPayload is the number of octets available after OUI and subtype: an LLDP TLV carries at most
// 511.
const MaxPayload = 511 - 4
