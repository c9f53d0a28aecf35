package crc

import (
	"hash/crc32"

	"golang.org/x/sys/cpu"
)

// minFold is the shortest message that fold takes: it inverts the first four octets.
const minFold = 4

// wide says that this CPU can run fold.
var wide = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL &&
	cpu.X86.HasAVX512VBMI2 && cpu.X86.HasAVX512VPCLMULQDQ

// Checksum is crc32.ChecksumIEEE: the CRC-32 of b, any length, in the octet order
// of an FCS when written little-endian.
func Checksum(b []byte) uint32 {
	if len(b) < minFold || !wide {
		return crc32.ChecksumIEEE(b)
	}
	return fold(&b[0], len(b))
}

// fold is the CRC-32 of the n octets at p, n at least minFold. It reads nothing else.
//
//go:noescape
func fold(p *byte, n int) uint32
