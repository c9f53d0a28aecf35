package crc

// Bits of CPUID: of leaf 1 in ECX, and of leaf 7 in EBX and in ECX.
const (
	leaf1PCLMULQDQ = 1 << 1
	leaf1OSXSAVE   = 1 << 27
	leaf1AVX       = 1 << 28

	leaf7AVX2     = 1 << 5
	leaf7BMI2     = 1 << 8
	leaf7AVX512F  = 1 << 16
	leaf7AVX512BW = 1 << 30
	leaf7AVX512VL = 1 << 31

	leaf7AVX512VBMI2 = 1 << 6
	leaf7VPCLMULQDQ  = 1 << 10
)

// Bits of XCR0: registers that the operating system keeps for each thread.
const (
	keepsAVX    = 1<<1 | 1<<2                   // XMM, YMM
	keepsAVX512 = keepsAVX | 1<<5 | 1<<6 | 1<<7 // masks, ZMM
)

// abilities are the instructions that a CPU has and that the operating system allows.
type abilities struct {
	multiplies bool // has AVX and PCLMULQDQ
	wide256    bool // has AVX2, BMI2, PCLMULQDQ and VPCLMULQDQ
	wide       bool // has AVX-512 (F, BW, VL, VBMI2), BMI2 and VPCLMULQDQ
}

// detect returns the abilities of this CPU. golang.org/x/sys/cpu knows them, too, but not VPCLMULQDQ without AVX-512,
// and programs that import package client are to need only the standard library.
func detect() (a abilities) {
	leaves, _, _ := cpuid(0)
	if leaves < 1 {
		return a
	}
	_, _, leaf1 := cpuid(1)
	xcr0 := uint32(0)
	if hasBits(leaf1, leaf1OSXSAVE) { // without OSXSAVE the CPU does not have the instruction XGETBV
		xcr0 = xgetbv()
	}
	a.multiplies = hasBits(leaf1, leaf1AVX|leaf1PCLMULQDQ) && hasBits(xcr0, keepsAVX)
	if leaves < 7 {
		return a
	}
	_, b, c := cpuid(7)
	a.wide256 = a.multiplies && hasBits(b, leaf7AVX2|leaf7BMI2) && hasBits(c, leaf7VPCLMULQDQ)
	a.wide = hasBits(b, leaf7AVX512F|leaf7AVX512BW|leaf7AVX512VL|leaf7BMI2) &&
		hasBits(c, leaf7AVX512VBMI2|leaf7VPCLMULQDQ) && hasBits(xcr0, keepsAVX512)
	return a
}

// hasBits reports whether all bits of a mask are set in a register.
func hasBits(register, mask uint32) bool { return register&mask == mask }

// Multiplies reports whether this CPU has PCLMULQDQ and AVX, and the operating system keeps their registers.
func Multiplies() bool { return detect().multiplies }

// cpuid returns the registers EAX, EBX and ECX of a leaf of CPUID (sub-leaf 0).
func cpuid(leaf uint32) (eax, ebx, ecx uint32)

// xgetbv returns the lower half of register XCR0. Only a CPU with leaf1OSXSAVE has the instruction.
func xgetbv() (xcr0 uint32)
