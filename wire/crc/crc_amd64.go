package crc

import "hash/crc32"

// minFold is the length of the shortest message for fold and foldCopy, minFold256 for fold256 and fold256Copy.
const (
	minFold    = 4
	minFold256 = 32
)

// wide is true if this CPU can run fold and foldCopy.
var wide = detect().wide

// wide256 is true if this CPU can run fold256 and fold256Copy. Many CPUs without AVX-512 can, too, such as AMD's before
// Zen 4 and Intel's for desktops.
var wide256 = detect().wide256

// multiplies is true if this CPU can run fold22.
var multiplies = detect().multiplies

// Update returns the CRC-32 of a message that ends with b; sum is the CRC-32 of the octets before
// b. b may have any length.
func Update(sum uint32, b []byte) uint32 {
	switch {
	case wide && len(b) >= minFold:
		return fold(&b[0], len(b), ^sum)
	case wide256 && len(b) >= minFold256:
		return fold256(&b[0], len(b), ^sum)
	}
	return crc32.Update(sum, crc32.IEEETable, b)
}

// Copy copies from into to and returns Update(sum, from), for little more than the cost of copying or checksum
// alone. to is at least as long as from and does not overlap it.
func Copy(to, from []byte, sum uint32) uint32 {
	to = to[:len(from)]
	switch {
	case wide && len(from) >= minFold:
		return foldCopy(&to[0], &from[0], len(from), ^sum)
	case wide256 && len(from) >= minFold256:
		return fold256Copy(&to[0], &from[0], len(from), ^sum)
	}
	copy(to, from)
	return crc32.Update(sum, crc32.IEEETable, from)
}

// Of22 returns the CRC-32 of 22 octets, given as little-endian words; the third has six octets. As
// arguments, the octets need not be in memory, and no load waits for octets stored one by one.
func Of22(first, second, third uint64) uint32 {
	if !multiplies {
		return of22(first, second, third)
	}
	return fold22(first, second, third)
}

// fold22 returns the CRC-32 of 22 octets, given as little-endian words as for Of22, by carry-less multiplications.
func fold22(first, second, third uint64) uint32

// fold returns the CRC-32 of a message that ends with the n octets at p, n at least minFold; register is the CRC
// register after the octets before p. No other memory is read.
//
//go:noescape
func fold(p *byte, n int, register uint32) uint32

// foldCopy returns the CRC-32 as fold does, and copies the n octets at p to to. No other memory is written.
//
//go:noescape
func foldCopy(to, p *byte, n int, register uint32) uint32

// fold256 returns the CRC-32 as fold does, by 256-bit instructions (AVX2, VPCLMULQDQ); n must be at least minFold256.
//
//go:noescape
func fold256(p *byte, n int, register uint32) uint32

// fold256Copy returns the CRC-32 and copies the octets as foldCopy does, by 256-bit instructions (AVX2, VPCLMULQDQ);
// n must be at least minFold256.
//
//go:noescape
func fold256Copy(to, p *byte, n int, register uint32) uint32
