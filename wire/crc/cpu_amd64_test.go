package crc

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// The abilities found are those that golang.org/x/sys/cpu finds on the same machine.
func TestAbilities(t *testing.T) {
	x := &cpu.X86
	want := abilities{multiplies: x.HasAVX && x.HasPCLMULQDQ}
	want.wide = x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512VBMI2 && x.HasAVX512VPCLMULQDQ && x.HasBMI2
	got := detect()
	if got.multiplies != want.multiplies || got.wide != want.wide {
		t.Errorf("%+v, want %+v", got, want)
	}
	if most := want.multiplies && x.HasAVX2 && x.HasBMI2; got.wide256 && !most || want.wide && most && !got.wide256 {
		t.Errorf("wide256 is %t, of a CPU with AVX2, BMI2 and PCLMULQDQ: %t", got.wide256, most)
	}
}
