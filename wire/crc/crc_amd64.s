#include "textflag.h"

// The way of a message through fold:
//
//	1. It is taken as blocks of 64 octets that end where the message ends, so that
//	   the first is padded on the left with zeros. Zeros in front do not change a
//	   CRC, and so there is no rest to treat at the end.
//	2. The first four octets of the message are inverted, which is what a register
//	   that begins with all ones does.
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

// floor(x^94 / G) and G.
DATA barrett<>+0(SB)/8, $0x69cb604bee022c82
DATA barrett<>+8(SB)/8, $0xedb8832080000000
GLOBL barrett<>(SB), RODATA|NOPTR, $16

// All ones for the first four octets of the message; seen from 64-pad it lies as
// the message does in its first two blocks.
DATA ones<>+64(SB)/4, $0xffffffff
GLOBL ones<>(SB), RODATA|NOPTR, $192

// FOLD moves block z on by the distance of the constant k and adds the block at next.
#define FOLD(k, z, next) \
	VPCLMULQDQ $0x00, k, z, Z15 \
	VPCLMULQDQ $0x11, k, z, z   \
	VPTERNLOGD $0x96, next, Z15, z

// func fold(p *byte, n int) uint32
TEXT ·fold(SB), NOSPLIT, $0-20
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), DX

	// The first block: CX octets of padding, which are not read. Near the start of
	// a page the octets are read from where they begin and then moved, because a
	// masked read that reaches into an absent page is right but very slow.
	MOVQ       DX, CX
	NEGQ       CX
	ANDQ       $63, CX
	MOVQ       $-1, AX
	SHLQ       CX, AX
	KMOVQ      AX, K1
	LEAQ       ones<>+64(SB), DI
	SUBQ       CX, DI
	MOVQ       SI, AX
	ANDQ       $4095, AX
	SUBQ       CX, SI
	ADDQ       CX, DX
	CMPQ       AX, CX
	JCS        expand
	VMOVDQU8.Z (SI), K1, Z0

invert:
	VPXORQ (DI), Z0, Z0
	ADDQ   $64, SI
	SUBQ   $64, DX
	JZ     last

	// The second, into which the inverted octets may reach.
	VBROADCASTI32X4 fold512<>(SB), Z8
	FOLD(Z8, Z0, (SI))
	VPXORQ          64(DI), Z0, Z0
	ADDQ            $64, SI
	SUBQ            $64, DX

one:
	TESTQ $255, DX
	JZ    four
	FOLD(Z8, Z0, (SI))
	ADDQ  $64, SI
	SUBQ  $64, DX
	JMP   one

four:
	TESTQ           DX, DX
	JZ              last
	FOLD(Z8, Z0, (SI))
	VMOVDQU64       64(SI), Z1
	VMOVDQU64       128(SI), Z2
	VMOVDQU64       192(SI), Z3
	ADDQ            $256, SI
	SUBQ            $256, DX
	JZ              join
	VBROADCASTI32X4 fold2048<>(SB), Z9

turn:
	FOLD(Z9, Z0, (SI))
	FOLD(Z9, Z1, 64(SI))
	FOLD(Z9, Z2, 128(SI))
	FOLD(Z9, Z3, 192(SI))
	ADDQ $256, SI
	SUBQ $256, DX
	JNZ  turn

join:
	VBROADCASTI32X4 fold1536<>(SB), Z9
	VBROADCASTI32X4 fold1024<>(SB), Z10
	FOLD(Z8, Z2, Z3)
	FOLD(Z10, Z1, Z2)
	FOLD(Z9, Z0, Z1)

last:
	// Each lane by its own power, and their sum: X0 is the remainder, x^94 in bit 32.
	VMOVDQU64     lanes<>(SB), Z8
	VPCLMULQDQ    $0x00, Z8, Z0, Z1
	VPCLMULQDQ    $0x11, Z8, Z0, Z0
	VPXORQ        Z1, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VPXOR         Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPXOR         X1, X0, X0

	// The quotient of its upper 64 bits is the low half of X1; times G it leaves
	// the CRC in bits 95 to 126.
	VMOVDQU    barrett<>(SB), X2
	VPSRLDQ    $4, X0, X1
	VPCLMULQDQ $0x00, X2, X1, X1
	VPCLMULQDQ $0x10, X2, X1, X1
	VPXOR      X1, X0, X0
	VPEXTRQ    $1, X0, AX
	SHRQ       $31, AX
	NOTL       AX
	VZEROUPPER
	MOVL       AX, ret+16(FP)
	RET

expand:
	VPEXPANDB.Z (SI)(CX*1), K1, Z0
	JMP         invert
