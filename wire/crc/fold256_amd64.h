// The body of fold256 and fold256Copy: SI, DX are the message and its length, at least 32, R9 the CRC register; the CRC
// is left in AX. HEAD, NEXT, LOAD and ON are the caller's.

	// The first block: BX octets of the message, 1 to 32, behind zeros.
	LEAQ    -1(DX), BX
	ANDQ    $31, BX
	INCQ    BX
	VMOVDQU (SI), Y0
	HEAD
	VPXOR   Y1, Y1, Y1
	VMOVD   R9, X2
	VPXOR   Y2, Y0, Y0
	VMOVDQU Y1, buffer-64(SP)
	VMOVDQU Y0, buffer-32(SP)
	LEAQ    buffer-64(SP), AX
	VMOVDQU (AX)(BX*1), Y0
	ON(BX)
	SUBQ    BX, DX
	JZ      last

	// The register goes into the second block, too, where the message has less than four octets in the first.
	MOVQ           $4, AX
	CMPQ           BX, AX
	CMOVQGT        AX, BX
	SHLQ           $3, BX
	SHRXQ          BX, R9, R9
	VMOVQ          R9, X1
	VBROADCASTI128 fold256<>(SB), Y4
	NEXT(0, 4, 0, Y0)
	VPXOR          Y1, Y0, Y0
	ON($32)
	SUBQ           $32, DX

one:
	TESTQ $127, DX
	JZ    four
	NEXT(0, 4, 0, Y0)
	ON($32)
	SUBQ  $32, DX
	JMP   one

four:
	TESTQ          DX, DX
	JZ             last
	NEXT(0, 4, 0, Y0)
	LOAD(32, Y1)
	LOAD(64, Y2)
	LOAD(96, Y3)
	ON($128)
	SUBQ           $128, DX
	JZ             join
	VBROADCASTI128 fold1024<>(SB), Y5

turn:
	NEXT(0, 5, 0, Y0)
	NEXT(32, 5, 1, Y1)
	NEXT(64, 5, 2, Y2)
	NEXT(96, 5, 3, Y3)
	ON($128)
	SUBQ $128, DX
	JNZ  turn

join:
	FOLD256(4, 2, Y2, Y3)
	VBROADCASTI128 fold512<>(SB), Y4
	FOLD256(4, 1, Y1, Y2)
	VBROADCASTI128 fold768<>(SB), Y4
	FOLD256(4, 0, Y0, Y1)

last:
	// Each lane by its own power, and their sum: X0 is the remainder, x^94 in bit 32.
	VMOVDQU      lanes<>+32(SB), Y4
	CLMUL(0x00, 4, 0, 6)
	CLMUL(0x11, 4, 0, 0)
	VPXOR        Y6, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPXOR        X1, X0, X0
	REDUCE
