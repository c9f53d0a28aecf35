// Package wire holds every format of the link and nothing else: the shim that carries a data frame,
// the control frame, the LLR preamble images, the control ordered sets, PAUSE and PFC. The package
// is pure: no state, no allocation, no panic on input.
//
// A parser checks its input once and reports the first problem as a Fault. A value returned with
// NoFault needs no more checks.
package wire

// Fault is a parser's finding; NoFault is 0.
type Fault uint8

// The faults of data, control and MAC Control frames.
const (
	NoFault        Fault = iota
	FaultTruncated       // the frame or message is too short for its content
	FaultSFD             // the preamble image is not of this dialect
	FaultReserved        // a reserved bit or octet is set
	FaultCRC             // control frame: wrong CRC-32
	FaultVersion         // control frame: version is not 1
	FaultCount           // control frame: count is 0 or more than MaxCtlOS
	FaultType            // control ordered set, or message, of an unknown type
	FaultBlock           // control ordered set: wrong first octet or O-code
	FaultHeader          // MAC Control: not to its group address, or of another EtherType
	FaultOpcode          // MAC Control: neither PAUSE nor PFC
	NumFaults
)

// String returns the fault of a received message in words.
func (f Fault) String() string {
	return [...]string{"no fault", "truncated", "bad preamble image", "reserved bits set", "wrong CRC",
		"unknown version", "impossible count", "unknown type", "not a control block", "wrong destination address or EtherType",
		"unknown opcode", "unknown fault"}[min(f, NumFaults)]
}

// Error returns the fault of a received message in words, as String does.
func (f Fault) Error() string { return f.String() }
