//go:build !amd64

package crc

import "hash/crc32"

// Update returns the CRC-32 of a message that ends with b; sum is the CRC-32 of the octets before
// b. b may have any length.
func Update(sum uint32, b []byte) uint32 { return crc32.Update(sum, crc32.IEEETable, b) }

// Copy copies from into to and returns Update(sum, from). to is at least as long as from and does
// not overlap it.
func Copy(to, from []byte, sum uint32) uint32 {
	copy(to[:len(from)], from)
	return Update(sum, from)
}

// Of22 returns the CRC-32 of 22 octets, given as little-endian words; the third has six octets.
func Of22(first, second, third uint64) uint32 { return of22(first, second, third) }
