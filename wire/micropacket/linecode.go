package micropacket

import "math/bits"

// Code45 is a 5-bit code group of one signal line (HIPPI-6400 §10.4, table 5): z y T x w, w in bit 0. w is sent first.
type Code45 uint8

// code45Bits has a 1 for each of the five bits of a code group.
const code45Bits = 0x1F

// Encode45 returns the code group for the low 4 bits (d c b a) of nibble on a line with a running disparity, and the
// disparity behind the group: ones minus zeros sent since a training sequence. The code is the nibble with a 1 in its
// middle, or the complement: the code with more ones while the disparity is below 0, else the code with fewer.
// Clauses: HIPPI-6400/line.3.
func Encode45(nibble uint8, disparity int) (Code45, int) {
	code := Code45(nibble&3 | 1<<2 | nibble&12<<1)
	if delta := code.disparity(); (delta < 0) == (disparity < 0) {
		code ^= code45Bits
	}
	return code, disparity + code.disparity()
}

// Decode returns the nibble of a code group: the outer bits, complemented if the middle bit T is 0. No code is illegal
// (10.5).
// Clauses: HIPPI-6400/line.4.
func (c Code45) Decode() uint8 {
	if c&(1<<2) == 0 {
		c ^= code45Bits
	}
	return uint8(c&3 | c>>1&12)
}

// disparity returns the ones minus the zeros of a code group: odd, -5..5.
func (c Code45) disparity() int { return 2*bits.OnesCount8(uint8(c&code45Bits)) - 5 }
