// Package wire holds every format of the link and nothing else: the shim that
// carries a data frame, the control frame, the LLR preamble images, the control
// ordered sets, PAUSE and PFC. It is pure: no state, no allocation, no panic on
// input.
//
// A parser checks once and names what was wrong by a Fault; what it returned
// with NoFault needs no more checking.
package wire

// Fault is what a parser found wrong; NoFault is 0.
type Fault uint8

// The faults of data, control and MAC Control frames.
const (
	NoFault        Fault = iota
	FaultTruncated       // too short for what it claims to carry
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

// String is the fault in words.
func (f Fault) String() string {
	return [...]string{"no fault", "truncated", "bad preamble image", "reserved bits set", "wrong CRC",
		"unknown version", "impossible count", "unknown type", "not a control block", "not to the MAC Control address",
		"unknown opcode", "unknown fault"}[min(f, NumFaults)]
}

// Error makes a Fault an error.
func (f Fault) Error() string { return f.String() }
