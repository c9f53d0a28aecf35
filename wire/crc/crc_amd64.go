package crc

import (
	"hash/crc32"

	"golang.org/x/sys/cpu"
)

// minFold is the shortest message that fold and foldCopy take.
const minFold = 4

// wide says that this CPU can run fold and foldCopy.
var wide = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL &&
	cpu.X86.HasAVX512VBMI2 && cpu.X86.HasAVX512VPCLMULQDQ && cpu.X86.HasBMI2

// multiplies says that this CPU can run fold22.
var multiplies = cpu.X86.HasAVX && cpu.X86.HasPCLMULQDQ

// Update is the CRC-32 of a message of which sum is that of what comes before b.
// b may have any length.
func Update(sum uint32, b []byte) uint32 {
	if len(b) < minFold || !wide {
		return crc32.Update(sum, crc32.IEEETable, b)
	}
	return fold(&b[0], len(b), ^sum)
}

// Copy copies from into to, which is as long or longer and does not overlap it,
// and returns Update(sum, from): both for little more than the price of one.
func Copy(to, from []byte, sum uint32) uint32 {
	to = to[:len(from)]
	if len(from) < minFold || !wide {
		copy(to, from)
		return crc32.Update(sum, crc32.IEEETable, from)
	}
	return foldCopy(&to[0], &from[0], len(from), ^sum)
}

// Of22 is the CRC-32 of 22 octets, given as little-endian words, of which the third
// has six: so that they need not be in memory, and what was written there octet by
// octet is not waited for.
func Of22(first, second, third uint64) uint32 {
	if !multiplies {
		return of22(first, second, third)
	}
	return fold22(first, second, third)
}

// fold22 is Of22.
func fold22(first, second, third uint64) uint32

// fold is the CRC-32 of the n octets at p, n at least minFold, where the CRC
// register holds what comes before. It reads nothing else.
//
//go:noescape
func fold(p *byte, n int, register uint32) uint32

// foldCopy is fold, and copies the octets. It writes nothing else.
//
//go:noescape
func foldCopy(to, p *byte, n int, register uint32) uint32
