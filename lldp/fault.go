package lldp

// Fault is the reason for discarding a frame; NoFault is 0. A Fault is an error.
type Fault uint8

// The faults of LLDPDUs (802.1AB 8.2, 8.4 to 8.6 and the validation of received
// frames).
const (
	NoFault        Fault = iota
	FaultHeader          // shorter than its Ethernet header, or not LLDP
	FaultOrder           // does not begin with Chassis ID, Port ID, TTL
	FaultRepeated        // two TLVs of a type that may occur once
	FaultOverrun         // a TLV is longer than the frame
	FaultNoEnd           // the frame ends without End Of LLDPDU
	FaultEndLength       // End Of LLDPDU has a length
	FaultChassisID       // length of Chassis ID is not 2 to 256
	FaultPortID          // length of Port ID is not 2 to 256
	FaultTTL             // length of Time To Live is less than 2
	FaultOrg             // length of an organizationally specific TLV is less than 4
	NumFaults
)

// faultText has the faults in words.
var faultText = [...]string{"no fault", "no LLDP frame", "mandatory TLVs missing or out of order", "TLV repeated",
	"TLV longer than the frame", "no End Of LLDPDU", "End Of LLDPDU with a length", "wrong length of Chassis ID",
	"wrong length of Port ID", "wrong length of Time To Live", "wrong length of an organizationally specific TLV",
	"unknown fault"}

// String returns the fault of an LLDPDU in words.
func (f Fault) String() string { return faultText[min(f, NumFaults)] }

// Error returns the fault of an LLDPDU in words, as String does.
func (f Fault) Error() string { return f.String() }
