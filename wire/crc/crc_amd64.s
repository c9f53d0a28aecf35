#include "textflag.h"

// The way of a message through fold and foldCopy (fold_amd64.h):
//
//	1. It is taken as blocks of 64 octets that end where the message ends, so that
//	   the first is padded on the left with zeros. Zeros in front do not change a
//	   CRC, and so there is no rest to treat at the end.
//	2. The CRC register as it was before is added to the first four octets.
//	3. Blocks are folded one by one until what is left is a multiple of 256.
//	4. The rest is folded into four blocks side by side, which keeps the multiplier
//	   busy, and those into one.
//	5. The four lanes of the last block become one 96-bit remainder.
//	6. Barrett reduction makes 32 bits of it.
//
// A lane is 16 octets H L, a polynomial H x^64 + L with its highest power in the
// lowest bit. G is x^32 + ... + 1, 0x104c11db7. A constant of 64 bits has x^63 in
// the lowest bit. The carry-less product of two such has x^126 in the lowest bit:
// read as a lane it has a factor x too much, which the constants for folding leave
// out.

// To fold over D bits: x^(D+63) mod G for H, x^(D-1) mod G for L.
DATA fold2048<>+0(SB)/8, $0x7cc8e1e700000000
DATA fold2048<>+8(SB)/8, $0x03f9f86300000000
GLOBL fold2048<>(SB), RODATA|NOPTR, $16

DATA fold1536<>+0(SB)/8, $0x67f7947600000000
DATA fold1536<>+8(SB)/8, $0xc56d949600000000
GLOBL fold1536<>(SB), RODATA|NOPTR, $16

DATA fold1024<>+0(SB)/8, $0x7d657a1000000000
DATA fold1024<>+8(SB)/8, $0x7406fa9500000000
GLOBL fold1024<>(SB), RODATA|NOPTR, $16

DATA fold512<>+0(SB)/8, $0x653d982200000000
DATA fold512<>+8(SB)/8, $0xcad38e8f00000000
GLOBL fold512<>(SB), RODATA|NOPTR, $16

// For lane i of the last block, D = 128 (3-i): x^(D+96) mod G for H, x^(D+32) mod G
// for L. The sum of the products is congruent to the block times x^32.
DATA lanes<>+0(SB)/8, $0xe3720acb00000000
DATA lanes<>+8(SB)/8, $0x1ed8f66e00000000
DATA lanes<>+16(SB)/8, $0xba1aca0300000000
DATA lanes<>+24(SB)/8, $0x78ed02d500000000
DATA lanes<>+32(SB)/8, $0xad2a31b300000000
DATA lanes<>+40(SB)/8, $0xba8ccbe800000000
DATA lanes<>+48(SB)/8, $0x6655004f00000000
DATA lanes<>+56(SB)/8, $0xedb8832000000000
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// To fold over 256 and 768 bits, for fold256.
DATA fold256<>+0(SB)/8, $0x9570d49500000000
DATA fold256<>+8(SB)/8, $0x01b5fd1d00000000
GLOBL fold256<>(SB), RODATA|NOPTR, $16

DATA fold768<>+0(SB)/8, $0x759fc69d00000000
DATA fold768<>+8(SB)/8, $0x101a233100000000
GLOBL fold768<>(SB), RODATA|NOPTR, $16

// floor(x^94 / G) and G.
DATA barrett<>+0(SB)/8, $0x69cb604bee022c82
DATA barrett<>+8(SB)/8, $0xedb8832080000000
GLOBL barrett<>(SB), RODATA|NOPTR, $16

// FOLD moves block z on by the distance of the constant k and adds the block next.
#define FOLD(k, z, next) \
	VPCLMULQDQ $0x00, k, z, Z15 \
	VPCLMULQDQ $0x11, k, z, z   \
	VPTERNLOGD $0x96, next, Z15, z

// REDUCE leaves the CRC of the remainder X0, which has x^94 in bit 32, in AX. The
// quotient of its upper 64 bits is the low half of X1; times G it leaves the CRC
// in bits 95 to 126.
#define REDUCE \
	VMOVDQU    barrett<>(SB), X2 \
	VPSRLDQ    $4, X0, X1        \
	VPCLMULQDQ $0x00, X2, X1, X1 \
	VPCLMULQDQ $0x10, X2, X1, X1 \
	VPXOR      X1, X0, X0        \
	VPEXTRQ    $1, X0, AX        \
	SHRQ       $31, AX           \
	NOTL       AX                \
	VZEROUPPER

// func fold(p *byte, n int, register uint32) uint32
TEXT ·fold(SB), NOSPLIT, $0-28
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), DX
	MOVL register+16(FP), R9

#define HEAD
#define NEXT(at, k, z) FOLD(k, z, at(SI))
#define LOAD(at, z) VMOVDQU64 at(SI), z
#define ON(octets) ADDQ $octets, SI
#include "fold_amd64.h"
#undef HEAD
#undef NEXT
#undef LOAD
#undef ON
	MOVL AX, ret+24(FP)
	RET

// func foldCopy(to, p *byte, n int, register uint32) uint32
TEXT ·foldCopy(SB), NOSPLIT, $0-36
	MOVQ to+0(FP), R8
	MOVQ p+8(FP), SI
	MOVQ n+16(FP), DX
	MOVL register+24(FP), R9

// HEAD copies the first 64 octets, or all there are; from then on R8 is to SI as
// the copy is to the message.
#define HEAD \
	MOVQ        $64, BX      \
	CMPQ        DX, BX       \
	CMOVQLT     DX, BX       \
	MOVQ        $-1, AX      \
	BZHIQ       BX, AX, AX   \
	KMOVQ       AX, K2       \
	VMOVDQU8.Z  (SI), K2, Z4 \
	VMOVDQU8    Z4, K2, (R8) \
	SUBQ        CX, R8

#define NEXT(at, k, z) \
	VMOVDQU64 at(SI), Z4 \
	VMOVDQU64 Z4, at(R8) \
	FOLD(k, z, Z4)
#define LOAD(at, z) \
	VMOVDQU64 at(SI), z \
	VMOVDQU64 z, at(R8)
#define ON(octets) \
	ADDQ $octets, SI \
	ADDQ $octets, R8
#include "fold_amd64.h"
	MOVL AX, ret+32(FP)
	RET

#undef HEAD
#undef NEXT
#undef LOAD
#undef ON

// fold256 and fold256Copy are fold and foldCopy for a CPU with registers of 256 bits and without AVX-512: blocks of 32
// octets, and 128 side by side (fold256_amd64.h). Only the first block differs: without masked reads it is moved into
// its place by way of the stack.

// CLMUL is VPCLMULQDQ $imm, Yk, Ys, Yd for registers Y0 to Y7, given by their numbers. The assembler knows only the
// encoding of AVX-512 for these registers, and this is that of AVX.
#define CLMUL(imm, k, s, d) \
	BYTE $0xC4; BYTE $0xE3; BYTE $(0x05+((15-s)<<3)); BYTE $0x44; BYTE $(0xC0+(d<<3)+k); BYTE $imm

// FOLD256 moves block y, register number n, on by the distance of the constant in register number k, and adds the block
// next. It uses Y6.
#define FOLD256(k, n, y, next) \
	CLMUL(0x00, k, n, 6) \
	CLMUL(0x11, k, n, n) \
	VPXOR next, y, y     \
	VPXOR Y6, y, y

// func fold256(p *byte, n int, register uint32) uint32
TEXT ·fold256(SB), NOSPLIT, $64-28
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), DX
	MOVL register+16(FP), R9

#define HEAD
#define NEXT(at, k, n, y) FOLD256(k, n, y, at(SI))
#define LOAD(at, y) VMOVDQU at(SI), y
#define ON(octets) ADDQ octets, SI
#include "fold256_amd64.h"
#undef HEAD
#undef NEXT
#undef LOAD
#undef ON
	MOVL AX, ret+24(FP)
	RET

// func fold256Copy(to, p *byte, n int, register uint32) uint32
TEXT ·fold256Copy(SB), NOSPLIT, $64-36
	MOVQ to+0(FP), R8
	MOVQ p+8(FP), SI
	MOVQ n+16(FP), DX
	MOVL register+24(FP), R9

#define HEAD VMOVDQU Y0, (R8)
#define NEXT(at, k, n, y) \
	VMOVDQU at(SI), Y7 \
	VMOVDQU Y7, at(R8) \
	FOLD256(k, n, y, Y7)
#define LOAD(at, y) \
	VMOVDQU at(SI), y \
	VMOVDQU y, at(R8)
#define ON(octets) \
	ADDQ octets, SI \
	ADDQ octets, R8
#include "fold256_amd64.h"
	MOVL AX, ret+32(FP)
	RET

// func fold22(first, second, third uint64) uint32
TEXT ·fold22(SB), NOSPLIT, $0-28
	MOVQ first+0(FP), AX
	MOVQ second+8(FP), BX
	MOVQ third+16(FP), CX
	MOVL $-1, DX
	XORQ DX, AX

	// With ten octets of zero in front it is lane 2, of which H is zero, and lane 3
	// of a block: each is times its own power, as in the last block of a message.
	MOVQ       AX, DX
	SHLQ       $16, DX
	VMOVQ      DX, X1
	SHRQ       $48, BX, AX
	VMOVQ      AX, X0
	SHRQ       $48, CX, BX
	VPINSRQ    $1, BX, X0, X0
	VMOVDQU    lanes<>+48(SB), X3
	VMOVDQU    lanes<>+32(SB), X4
	VPCLMULQDQ $0x10, X4, X1, X1
	VPCLMULQDQ $0x00, X3, X0, X5
	VPCLMULQDQ $0x11, X3, X0, X0
	VPXOR      X1, X5, X5
	VPXOR      X5, X0, X0
	REDUCE
	MOVL       AX, ret+24(FP)
	RET

// func cpuid(leaf uint32) (eax, ebx, ecx uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-20
	MOVL leaf+0(FP), AX
	XORL CX, CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	RET

// func xgetbv() (xcr0 uint32)
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, xcr0+0(FP)
	RET
