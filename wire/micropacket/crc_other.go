//go:build !amd64

package micropacket

// lcrc returns the link CRC of a micropacket.
func lcrc(m *Micropacket) uint16 { return lcrcByTable(m) }

// ecrc returns the end-to-end CRC of a micropacket; register is the CRC register before it.
func ecrc(m *Micropacket, register uint16) uint16 { return ecrcByTable(m, register) }
