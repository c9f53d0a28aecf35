package micropacket

import "golang.org/x/sys/cpu"

// multiplies is true if this CPU can run multiplyECRC and multiplyLCRC.
var multiplies = cpu.X86.HasAVX && cpu.X86.HasPCLMULQDQ

// lcrc computes LCRC in the fastest way that this CPU has.
func lcrc(m *Micropacket) uint16 {
	if multiplies {
		return multiplyLCRC(m)
	}
	return lcrcByTable(m)
}

// ecrc computes ECRC in the fastest way that this CPU has.
func ecrc(m *Micropacket, register uint16) uint16 {
	if multiplies {
		return multiplyECRC(m, register)
	}
	return ecrcByTable(m, register)
}

// multiplyLCRC computes LCRC by carry-less multiplication.
//
//go:noescape
func multiplyLCRC(m *Micropacket) uint16

// multiplyECRC computes ECRC by carry-less multiplication.
//
//go:noescape
func multiplyECRC(m *Micropacket, register uint16) uint16
