package bpf

import (
	"testing"

	"github.com/cilium/ebpf/asm"
)

// The steering program writes whole slots of its stack, of 8 octets: the verifiers of some kernels, Linux 6.1 among
// them, refuse a smaller write to a loader without CAP_PERFMON, if a register was written to the slot.
func TestStackIsWrittenInWholeSlots(t *testing.T) {
	spec, err := loadSteer()
	if err != nil {
		t.Fatal(err)
	}
	writes := 0
	for i, in := range spec.Programs["uelink_steer"].Instructions {
		if !in.OpCode.Class().IsStore() || in.Dst != asm.RFP {
			continue
		}
		if writes++; in.OpCode.Size() != asm.DWord {
			t.Errorf("instruction %d: %v", i, in)
		}
	}
	if writes == 0 {
		t.Error("the program writes nothing to its stack")
	}
}
