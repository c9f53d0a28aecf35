package checksum

import (
	"encoding/binary"
	"math/bits"
)

// sum returns the ones' complement sum of octets, not folded. The octets are read in little-endian order: the folded
// sum then has its two octets in the order of memory (RFC 1071 §2 B). A last odd octet counts as if 0 followed.
func sum(b []byte) uint64 {
	var s, carry uint64
	for len(b) >= 64 {
		s, carry = bits.Add64(s, binary.LittleEndian.Uint64(b), carry)
		s, carry = bits.Add64(s, binary.LittleEndian.Uint64(b[8:]), carry)
		s, carry = bits.Add64(s, binary.LittleEndian.Uint64(b[16:]), carry)
		s, carry = bits.Add64(s, binary.LittleEndian.Uint64(b[24:]), carry)
		s, carry = bits.Add64(s, binary.LittleEndian.Uint64(b[32:]), carry)
		s, carry = bits.Add64(s, binary.LittleEndian.Uint64(b[40:]), carry)
		s, carry = bits.Add64(s, binary.LittleEndian.Uint64(b[48:]), carry)
		s, carry = bits.Add64(s, binary.LittleEndian.Uint64(b[56:64]), carry)
		b = b[64:]
	}
	for ; len(b) >= 8; b = b[8:] {
		s, carry = bits.Add64(s, binary.LittleEndian.Uint64(b), carry)
	}
	rest := uint64(0)
	for i, octet := range b {
		rest |= uint64(octet) << (8 * i)
	}
	s, carry = bits.Add64(s, rest, carry)
	s, carry = bits.Add64(s, 0, carry)
	return s + carry
}

// fold returns the 16 bits of a ones' complement sum: 0 only for 0.
func fold(sum uint64) uint16 {
	sum = sum>>32 + sum&0xffffffff
	sum = sum>>32 + sum&0xffffffff
	sum = sum>>16 + sum&0xffff
	sum = sum>>16 + sum&0xffff
	return uint16(sum)
}
