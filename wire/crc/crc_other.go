//go:build !amd64

package crc

import "hash/crc32"

// Update is the CRC-32 of a message of which sum is that of what comes before b.
// b may have any length.
func Update(sum uint32, b []byte) uint32 { return crc32.Update(sum, crc32.IEEETable, b) }

// Copy copies from into to, which is as long or longer and does not overlap it,
// and returns Update(sum, from).
func Copy(to, from []byte, sum uint32) uint32 {
	copy(to[:len(from)], from)
	return Update(sum, from)
}

// Of22 is the CRC-32 of 22 octets, given as little-endian words, of which the third
// has six.
func Of22(first, second, third uint64) uint32 { return of22(first, second, third) }
