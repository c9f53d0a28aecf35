//go:build !amd64

package crc

import "hash/crc32"

// Checksum is crc32.ChecksumIEEE: the CRC-32 of b, any length, in the octet order
// of an FCS when written little-endian.
func Checksum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }
