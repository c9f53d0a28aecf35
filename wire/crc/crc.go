// Package crc is the CRC-32 of an Ethernet FCS (IEEE 802.3 clause 3.2.9), fast for
// the lengths that frames have: hash/crc32 spends most of a short frame's time on
// the octets that do not fill a block of 16, and takes wide registers only from
// 1024 octets on.
package crc

import (
	"encoding/binary"
	"hash/crc32"
)

// Checksum is crc32.ChecksumIEEE: the CRC-32 of b, any length, in the octet order
// of an FCS when written little-endian.
func Checksum(b []byte) uint32 { return Update(0, b) }

// of22 is Of22 of any CPU.
func of22(first, second, third uint64) uint32 {
	var b [24]byte
	binary.LittleEndian.PutUint64(b[0:], first)
	binary.LittleEndian.PutUint64(b[8:], second)
	binary.LittleEndian.PutUint64(b[16:], third)
	return crc32.ChecksumIEEE(b[:22])
}
