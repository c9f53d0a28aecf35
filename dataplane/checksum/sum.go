package checksum

import (
	"encoding/binary"
	"math/bits"
)

// Sum returns the ones' complement sum of octets, not folded. The octets are read in little-endian order: the folded
// sum then has its two octets in the order of memory (RFC 1071 §2 B). A last odd octet counts as if 0 followed.
func Sum(b []byte) uint64 {
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

// CopySum copies src to dst, which is as long, and returns the sum of the octets as Sum does.
func CopySum(dst, src []byte) uint64 {
	dst = dst[:len(src)]
	var s, carry uint64
	for len(src) >= 32 && len(dst) >= 32 {
		a, b := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
		c, d := binary.LittleEndian.Uint64(src[16:]), binary.LittleEndian.Uint64(src[24:32])
		binary.LittleEndian.PutUint64(dst, a)
		binary.LittleEndian.PutUint64(dst[8:], b)
		binary.LittleEndian.PutUint64(dst[16:], c)
		binary.LittleEndian.PutUint64(dst[24:32], d)
		s, carry = bits.Add64(s, a, carry)
		s, carry = bits.Add64(s, b, carry)
		s, carry = bits.Add64(s, c, carry)
		s, carry = bits.Add64(s, d, carry)
		src, dst = src[32:], dst[32:]
	}
	copy(dst, src)
	rest, carry := bits.Add64(s, Sum(src), carry)
	rest, carry = bits.Add64(rest, 0, carry)
	return rest + carry
}

// Fold returns the 16 bits of a ones' complement sum: 0 only for 0.
func Fold(sum uint64) uint16 {
	sum = sum>>32 + sum&0xffffffff
	sum = sum>>32 + sum&0xffffffff
	sum = sum>>16 + sum&0xffff
	sum = sum>>16 + sum&0xffff
	return uint16(sum)
}
