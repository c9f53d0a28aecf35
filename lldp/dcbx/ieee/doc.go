// Package ieee implements the DCB capability exchange of IEEE 802.1Qaz: the octets of its four LLDP TLVs, the
// asymmetric state machine of ETS, the symmetric one of PFC, and the informational Application Priority table.
// Package dcbx has the other dialect, base specification 1.0 (CEE).
//
// The exchange has no sequence numbers, acknowledgements or error flags: each end decides by its own settings, the
// latest TLVs of the peer, and two MAC addresses. Everything here is pure: no socket, clock, goroutine or logger.
//
//	SetRunning, SetLocal, SetMAC
//	                     │
//	LLDPDU came ──► Receive  │
//	                    │    ▼
//	                    └──► Port ──► Output.Changed   send an LLDPDU soon
//	                    ┌──►      ──► Output.Events    notify the operator
//	neighbour left ──► Gone       ──► Outcome          operate by these values
//
//	AppendTLVs  the TLVs for every sent LLDPDU
//	Snapshot    the state to show
//
// The text of the standard was not at hand: docs/data/clauses.yaml names for each rule its origin.
package ieee

// OUI is the organizationally unique identifier of IEEE 802.1, of all TLVs of this package. The payload of a TLV
// begins after the OUI and the subtype octet.
const OUI = 0x0080c2

// Subtypes of the organizationally specific TLVs under OUI.
// Clauses: 802.1Qaz/octets.1.
const (
	SubtypeETS            = 9  // ETS Configuration
	SubtypeRecommendation = 10 // ETS Recommendation
	SubtypePFC            = 11 // PFC Configuration
	SubtypeApp            = 12 // Application Priority
)

// HasSubtype reports whether TLVs of the subtype take part in the exchange.
func HasSubtype(subtype uint8) bool { return subtype >= SubtypeETS && subtype <= SubtypeApp }

// willingBit is the first bit of an ETS Configuration and of a PFC TLV.
const willingBit = 0x80
