#include "textflag.h"

// fold256 and fold256Copy are fold and foldCopy (crc_amd64.s describes the way of a message, lanes and constants) for a
// CPU with registers of 256 bits and without AVX-512: blocks of 32 octets, and 128 side by side. Only the first block
// differs: without masked reads it is moved into its place by way of the stack.

// To fold over D bits: x^(D+63) mod G for H, x^(D-1) mod G for L.
DATA by1024<>+0(SB)/8, $0x7d657a1000000000
DATA by1024<>+8(SB)/8, $0x7406fa9500000000
GLOBL by1024<>(SB), RODATA|NOPTR, $16

DATA by768<>+0(SB)/8, $0x759fc69d00000000
DATA by768<>+8(SB)/8, $0x101a233100000000
GLOBL by768<>(SB), RODATA|NOPTR, $16

DATA by512<>+0(SB)/8, $0x653d982200000000
DATA by512<>+8(SB)/8, $0xcad38e8f00000000
GLOBL by512<>(SB), RODATA|NOPTR, $16

DATA by256<>+0(SB)/8, $0x9570d49500000000
DATA by256<>+8(SB)/8, $0x01b5fd1d00000000
GLOBL by256<>(SB), RODATA|NOPTR, $16

// For lane i of the last block, D = 128 (1-i): x^(D+96) mod G for H, x^(D+32) mod G for L.
DATA pair<>+0(SB)/8, $0xad2a31b300000000
DATA pair<>+8(SB)/8, $0xba8ccbe800000000
DATA pair<>+16(SB)/8, $0x6655004f00000000
DATA pair<>+24(SB)/8, $0xedb8832000000000
GLOBL pair<>(SB), RODATA|NOPTR, $32

// floor(x^94 / G) and G.
DATA barrett256<>+0(SB)/8, $0x69cb604bee022c82
DATA barrett256<>+8(SB)/8, $0xedb8832080000000
GLOBL barrett256<>(SB), RODATA|NOPTR, $16

// CLMUL is VPCLMULQDQ $imm, Yk, Ys, Yd for registers Y0 to Y7, given by their numbers. The assembler knows only the
// encoding of AVX-512 for these registers, and this is that of AVX.
#define CLMUL(imm, k, s, d) \
	BYTE $0xC4; BYTE $0xE3; BYTE $(0x05+((15-s)<<3)); BYTE $0x44; BYTE $(0xC0+(d<<3)+k); BYTE $imm

// FOLD moves block y, register number n, on by the distance of the constant in register number k, and adds the block
// next. It uses Y6.
#define FOLD(k, n, y, next) \
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
#define NEXT(at, k, n, y) FOLD(k, n, y, at(SI))
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
	FOLD(k, n, y, Y7)
#define LOAD(at, y) \
	VMOVDQU at(SI), y \
	VMOVDQU y, at(R8)
#define ON(octets) \
	ADDQ octets, SI \
	ADDQ octets, R8
#include "fold256_amd64.h"
	MOVL AX, ret+32(FP)
	RET

// func features7() (ecx uint32)
TEXT ·features7(SB), NOSPLIT, $0-4
	MOVL $7, AX
	XORL CX, CX
	CPUID
	MOVL CX, ecx+0(FP)
	RET
