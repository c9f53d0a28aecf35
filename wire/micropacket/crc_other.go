//go:build !amd64

package micropacket

// lcrc computes LCRC.
func lcrc(m *Micropacket) uint16 { return lcrcByTable(m) }

// ecrc computes ECRC.
func ecrc(m *Micropacket, register uint16) uint16 { return ecrcByTable(m, register) }
