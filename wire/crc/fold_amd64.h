// The body of fold and foldCopy: SI, DX are the message and its length, R9 the CRC
// register; the CRC is left in AX. HEAD, NEXT, LOAD and ON are the caller's.

	// The first block: CX octets of padding, which are not read. Near the start of
	// a page the octets are read from where they begin and then moved, because a
	// masked read that reaches into an absent page is right but very slow.
	MOVQ       DX, CX
	NEGQ       CX
	ANDQ       $63, CX
	HEAD
	MOVQ       $-1, AX
	SHLQ       CX, AX
	KMOVQ      AX, K1
	MOVQ       SI, AX
	ANDQ       $4095, AX
	SUBQ       CX, SI
	ADDQ       CX, DX
	CMPQ       AX, CX
	JCS        expand
	VMOVDQU8.Z (SI), K1, Z0
	JMP        begin

expand:
	VPEXPANDB.Z (SI)(CX*1), K1, Z0

begin:
	// The register goes into the first block.
	VMOVD       R9, X1
	VPEXPANDB.Z Z1, K1, Z1
	VPXORQ      Z1, Z0, Z0
	ON(64)
	SUBQ        $64, DX
	JZ          last

	// And into the second, where the message has less than four octets in the first.
	MOVQ            $64, AX
	SUBQ            CX, AX
	MOVQ            $4, BX
	CMPQ            AX, BX
	CMOVQGT         BX, AX
	SHLQ            $3, AX
	SHRXQ           AX, R9, R9
	VMOVQ           R9, X1
	VBROADCASTI32X4 fold512<>(SB), Z8
	NEXT(0, Z8, Z0)
	VPXORQ          Z1, Z0, Z0
	ON(64)
	SUBQ            $64, DX

one:
	TESTQ $255, DX
	JZ    four
	NEXT(0, Z8, Z0)
	ON(64)
	SUBQ  $64, DX
	JMP   one

four:
	TESTQ           DX, DX
	JZ              last
	NEXT(0, Z8, Z0)
	LOAD(64, Z1)
	LOAD(128, Z2)
	LOAD(192, Z3)
	ON(256)
	SUBQ            $256, DX
	JZ              join
	VBROADCASTI32X4 fold2048<>(SB), Z9

turn:
	NEXT(0, Z9, Z0)
	NEXT(64, Z9, Z1)
	NEXT(128, Z9, Z2)
	NEXT(192, Z9, Z3)
	ON(256)
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
	REDUCE
