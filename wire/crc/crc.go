// Package crc computes the CRC-32 of an Ethernet FCS (IEEE 802.3 clause 3.2.9), fast for the
// lengths of frames: hash/crc32 spends most of a short frame's time on the octets that do not fill
// a block of 16, and uses wide registers only from 1024 octets on.
package crc

import "hash/crc32"

// Checksum returns the CRC-32 of b, of any length, as crc32.ChecksumIEEE does. Written
// little-endian, the CRC has the octet order of an FCS.
func Checksum(b []byte) uint32 { return Update(0, b) }

// of22 returns the CRC-32 of 22 octets as Of22 does, on any CPU. It does not allocate, as a slice of octets for
// hash/crc32 would.
func of22(first, second, third uint64) uint32 {
	sum := octets(^uint32(0), first, 8)
	sum = octets(sum, second, 8)
	return ^octets(sum, third, 6)
}

// octets returns the CRC register after the first n octets of a little-endian word; register is the CRC register before
// them.
func octets(register uint32, word uint64, n int) uint32 {
	for range n {
		register = crc32.IEEETable[byte(register)^byte(word)] ^ register>>8
		word >>= 8
	}
	return register
}
