package micropacket

import "uelink/wire/crc"

// multiplies is true if this CPU can run multiplyECRC and multiplyLCRC.
var multiplies = crc.Multiplies()

// lcrc returns the link CRC of a micropacket, computed in the fastest way that this CPU has.
func lcrc(m *Micropacket) uint16 {
	if multiplies {
		return multiplyLCRC(m)
	}
	return lcrcByTable(m)
}

// ecrc returns the end-to-end CRC of a micropacket, computed in the fastest way that this CPU has. register is the
// CRC register before the micropacket.
func ecrc(m *Micropacket, register uint16) uint16 {
	if multiplies {
		return multiplyECRC(m, register)
	}
	return ecrcByTable(m, register)
}

// multiplyLCRC returns the link CRC of a micropacket, computed by carry-less multiplications.
//
//go:noescape
func multiplyLCRC(m *Micropacket) uint16

// multiplyECRC returns the end-to-end CRC of a micropacket, computed by carry-less multiplications. register is the
// CRC register before the micropacket.
//
//go:noescape
func multiplyECRC(m *Micropacket, register uint16) uint16
