package wire

import (
	"encoding/binary"
	"math/bits"
)

// MAC Control frames that stop a sender (IEEE 802.3 annexes 31B and 31D; PFC came with
// 802.1Qbb), 60 octets each:
//
//	01-80-C2-00-00-01 | SA 6 | 88 08 | 00 01 | quanta 2                           | zeros    PAUSE
//	01-80-C2-00-00-01 | SA 6 | 88 08 | 01 01 | 0, enable vector 1 | 8 x quanta 2 | zeros    PFC
const (
	opcodePause = 0x0001
	opcodePFC   = 0x0101

	opcodeEnd = HeaderLen + 2           // place behind the opcode
	pauseEnd  = opcodeEnd + 2           // place behind the quanta of a PAUSE, and behind the enable vector of a PFC
	pfcEnd    = pauseEnd + 2*Priorities // place behind the quanta of a PFC
)

// Priorities is the number of Ethernet priorities.
const Priorities = 8

// QuantumBits is a quantum, the unit of a pause, in bit times of the port.
const QuantumBits = 512

// MACControlDA is the destination of PAUSE and PFC: the MAC at the other end of the link.
var MACControlDA = MAC{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}

// PFC holds the times for which priorities must stop. A PAUSE is a PFC for all priorities.
type PFC struct {
	Global bool               // PAUSE: Enable is 0xFF, and all quanta are the same
	Enable uint8              // bitmap of the addressed priorities; bit 0 is priority 0
	Quanta [Priorities]uint16 // 0: go on; 0 for priorities not in Enable
}

// Pause returns a PAUSE that stops all priorities for the given quanta of 512 bit times.
func Pause(quanta uint16) PFC {
	p := PFC{Global: true, Enable: 1<<Priorities - 1}
	for i := range p.Quanta {
		p.Quanta[i] = quanta
	}
	return p
}

// PutPFC writes p, a PFC or PAUSE, as a frame from sa into b, which has room for MinFrameLen octets, and returns
// MinFrameLen. For a PAUSE the quanta of priority 0 are written.
func PutPFC(b []byte, sa MAC, p PFC) int {
	b = b[:MinFrameLen:MinFrameLen]
	copy(b, MACControlDA[:])
	copy(b[AddrLen:], sa[:])
	putEtherType(b, EtherTypeMACControl)
	clear(b[HeaderLen:])
	if p.Global {
		binary.BigEndian.PutUint16(b[HeaderLen:], opcodePause)
		binary.BigEndian.PutUint16(b[opcodeEnd:], p.Quanta[0])
		return MinFrameLen
	}
	binary.BigEndian.PutUint16(b[HeaderLen:], opcodePFC)
	binary.BigEndian.PutUint16(b[opcodeEnd:], uint16(p.Enable))
	for set := p.Enable; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		binary.BigEndian.PutUint16(b[pauseEnd+2*i:], p.Quanta[i])
	}
	return MinFrameLen
}

// ParsePFC reads a PFC or a PAUSE frame. Padding is ignored and may be missing: a program's frame on a veth is not
// padded. Faults: FaultTruncated, FaultHeader, FaultOpcode, and FaultReserved for bits of the enable vector
// without a priority (802.3 ignores the bits; here they mean a damaged or forged frame).
func ParsePFC(frame []byte) (PFC, Fault) {
	if len(frame) < pauseEnd {
		return PFC{}, FaultTruncated
	}
	if MAC(frame) != MACControlDA || EtherType(frame) != EtherTypeMACControl {
		return PFC{}, FaultHeader
	}
	first := binary.BigEndian.Uint16(frame[opcodeEnd:])
	switch binary.BigEndian.Uint16(frame[HeaderLen:]) {
	case opcodePause:
		return Pause(first), NoFault
	case opcodePFC:
		return parsePriorities(frame, first)
	}
	return PFC{}, FaultOpcode
}

// parsePriorities reads the pause times in a PFC frame of the priorities in its enable vector, enable. Faults:
// FaultTruncated, and FaultReserved for bits of enable without a priority.
func parsePriorities(frame []byte, enable uint16) (PFC, Fault) {
	if len(frame) < pfcEnd {
		return PFC{}, FaultTruncated
	}
	if enable>>Priorities != 0 {
		return PFC{}, FaultReserved
	}
	p := PFC{Enable: uint8(enable)}
	for set := p.Enable; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		p.Quanta[i] = binary.BigEndian.Uint16(frame[pauseEnd+2*i:])
	}
	return p, NoFault
}
