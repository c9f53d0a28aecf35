#include "textflag.h"

// Both CRCs by carry-less multiplication:
//
//	1. A word is 64 bits of the message, the first in its lowest bit, as a polynomial with x^63 in the lowest bit. The
//	   CRC register before the message is added to the first 16 bits.
//	2. The words are moved to their places: each is multiplied by a power of x modulo G, which has 16 bits, and the
//	   products are added. The sum is a lane of 128 bits, x^127 in the lowest bit, of which the first 48 bits are zeros.
//	3. The upper half of the lane is multiplied by x^64 modulo G and added to the lower half: 64 bits are left.
//	4. Barrett reduction makes 16 bits of them.
//
// A constant of 64 bits has x^63 in the lowest bit. The product of two words has x^126 in the lowest bit: read as a lane
// it has a factor x too much, which the constants leave out.

// For the four data words of the ECRC: x^207, x^143, x^79, x^15 modulo x^16 + x^12 + x^3 + x + 1.
DATA ecrcData<>+0(SB)/8, $0x17cd000000000000
DATA ecrcData<>+8(SB)/8, $0x59fb000000000000
DATA ecrcData<>+16(SB)/8, $0x49cf000000000000
DATA ecrcData<>+24(SB)/8, $0x0001000000000000
GLOBL ecrcData<>(SB), RODATA|NOPTR, $32

// x^63 modulo the same, and floor(x^63 / G), with x^47 in the lowest bit; then G, with x^16 there.
DATA ecrcReduce<>+0(SB)/8, $0x4874000000000000
DATA ecrcReduce<>+8(SB)/8, $0x00007a25b4b0b111
DATA ecrcReduce<>+16(SB)/8, $0x000000000001a011
DATA ecrcReduce<>+24(SB)/8, $0
GLOBL ecrcReduce<>(SB), RODATA|NOPTR, $32

// For the four data words of the LCRC, with the control bits between: x^255, x^175, x^95, x^15 modulo
// x^16 + x^12 + x^5 + 1.
DATA lcrcData<>+0(SB)/8, $0x20f3000000000000
DATA lcrcData<>+8(SB)/8, $0xdf56000000000000
DATA lcrcData<>+16(SB)/8, $0x2c27000000000000
DATA lcrcData<>+24(SB)/8, $0x0001000000000000
GLOBL lcrcData<>(SB), RODATA|NOPTR, $32

// For c00-15, c16-31 and c32-47, each alone in a word of zeros: x^191, x^127, x^63.
DATA lcrcControl<>+0(SB)/8, $0xa95d000000000000
DATA lcrcControl<>+8(SB)/8, $0x7eea000000000000
DATA lcrcControl<>+16(SB)/8, $0x042b000000000000
DATA lcrcControl<>+24(SB)/8, $0
GLOBL lcrcControl<>(SB), RODATA|NOPTR, $32

DATA lcrcReduce<>+0(SB)/8, $0x042b000000000000
DATA lcrcReduce<>+8(SB)/8, $0x0000040b1c581911
DATA lcrcReduce<>+16(SB)/8, $0x0000000000010811
DATA lcrcReduce<>+24(SB)/8, $0
GLOBL lcrcReduce<>(SB), RODATA|NOPTR, $32

// The control bits of a word, apart; then the quotient's 48 bits; and the register of an LCRC.
DATA controlBits<>+0(SB)/8, $0x000000000000ffff
DATA controlBits<>+8(SB)/8, $0x00000000ffff0000
DATA controlBits<>+16(SB)/8, $0x0000ffff00000000
DATA controlBits<>+24(SB)/8, $0
GLOBL controlBits<>(SB), RODATA|NOPTR, $32

DATA quotientBits<>+0(SB)/8, $0x0000ffffffffffff
DATA quotientBits<>+8(SB)/8, $0
GLOBL quotientBits<>(SB), RODATA|NOPTR, $16

DATA register<>+0(SB)/8, $0xffff
DATA register<>+8(SB)/8, $0
GLOBL register<>(SB), RODATA|NOPTR, $16

// PLACES adds the products of four words, in X1 and X2, with the constants at k: a lane in X3.
#define PLACES(k) \
	VMOVDQU    k<>+0(SB), X4      \
	VMOVDQU    k<>+16(SB), X5     \
	VPCLMULQDQ $0x00, X4, X1, X3  \
	VPCLMULQDQ $0x11, X4, X1, X6  \
	VPCLMULQDQ $0x00, X5, X2, X7  \
	VPCLMULQDQ $0x11, X5, X2, X8  \
	VPXOR      X3, X6, X3         \
	VPXOR      X7, X8, X7         \
	VPXOR      X3, X7, X3

// REDUCE leaves the CRC of the lane X3 in AX.
#define REDUCE(k) \
	VMOVDQU    k<>+0(SB), X4                \
	VPCLMULQDQ $0x00, X4, X3, X5            \
	VPXOR      X5, X3, X3                   \
	VPCLMULQDQ $0x11, X4, X3, X5            \
	VPAND      quotientBits<>(SB), X5, X5   \
	VPCLMULQDQ $0x00, k<>+16(SB), X5, X5    \
	VPSLLDQ    $8, X5, X5                   \
	VPXOR      X5, X3, X3                   \
	VPEXTRW    $7, X3, AX

// func multiplyECRC(m *Micropacket, register uint16) uint16
TEXT ·multiplyECRC(SB), NOSPLIT, $0-18
	MOVQ    m+0(FP), DI
	MOVWLZX register+8(FP), CX
	VMOVD   CX, X0
	VPXOR   0(DI), X0, X1
	VMOVDQU 16(DI), X2
	PLACES(ecrcData)
	REDUCE(ecrcReduce)
	MOVW    AX, ret+16(FP)
	RET

// func multiplyLCRC(m *Micropacket) uint16
TEXT ·multiplyLCRC(SB), NOSPLIT, $0-10
	MOVQ       m+0(FP), DI
	VMOVDQU    register<>(SB), X0
	VPXOR      0(DI), X0, X1
	VMOVDQU    16(DI), X2
	VMOVDDUP   32(DI), X9
	PLACES(lcrcData)
	VPAND      controlBits<>+0(SB), X9, X1
	VPAND      controlBits<>+16(SB), X9, X2
	VMOVDQU    lcrcControl<>+0(SB), X4
	VPCLMULQDQ $0x00, X4, X1, X5
	VPCLMULQDQ $0x11, X4, X1, X6
	VPCLMULQDQ $0x00, lcrcControl<>+16(SB), X2, X7
	VPXOR      X5, X6, X5
	VPXOR      X3, X7, X3
	VPXOR      X3, X5, X3
	REDUCE(lcrcReduce)
	MOVW       AX, ret+8(FP)
	RET
