package bpf

import (
	"encoding/binary"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// Offsets in struct __sk_buff (linux/bpf.h).
const (
	skbProtocol = 16
	skbData     = 76
	skbDataEnd  = 80
)

// Verdicts of a classifier of tc (linux/pkt_cls.h).
const (
	actUnspecified = -1 // the next filter, or the kernel's network
	actDrop        = 2
)

// LoadGuard loads a classifier of tc for the ingress of the daemon's end of a veth. The classifier drops frames of the
// host before they reach the network stack of this end, except for LLDP and frames from PumpAddress. Frames that an XDP
// program handles never reach the classifier. The caller closes the program; the interface to which AttachGuard
// attaches the program keeps it in the kernel.
func LoadGuard() (*ebpf.Program, error) {
	source := PumpAddress()
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: guardName, Type: ebpf.SchedCLS, License: "Dual BSD/GPL",
		Instructions: asm.Instructions{
			asm.Mov.Imm(asm.R0, actUnspecified),
			asm.LoadMem(asm.R2, asm.R1, skbProtocol, asm.Word),
			asm.JEq.Imm(asm.R2, int32(asNetwork16(etherTypeLLDP)), "exit"),
			asm.LoadMem(asm.R2, asm.R1, skbData, asm.Word),
			asm.LoadMem(asm.R3, asm.R1, skbDataEnd, asm.Word),
			asm.Mov.Reg(asm.R4, asm.R2),
			asm.Add.Imm(asm.R4, 12),                  // both addresses
			asm.JGT.Reg(asm.R4, asm.R3, "drop"),      // a shorter frame
			asm.LoadMem(asm.R4, asm.R2, 6, asm.Word), // source address, octets 0 to 3
			asm.LoadImm(asm.R5, int64(binary.NativeEndian.Uint32(source[:4])), asm.DWord),
			asm.JNE.Reg(asm.R4, asm.R5, "drop"),
			asm.LoadMem(asm.R4, asm.R2, 10, asm.Half), // octets 4 and 5
			asm.JEq.Imm(asm.R4, int32(binary.NativeEndian.Uint16(source[4:])), "exit"),
			asm.Mov.Imm(asm.R0, actDrop).WithSymbol("drop"),
			asm.Return().WithSymbol("exit"),
		}})
	if err != nil {
		return nil, fmt.Errorf("load the tc program uelink_guard, which drops frames before the kernel's network: %w", err)
	}
	return p, nil
}

// guardName is the program's name in the kernel.
const guardName = "uelink_guard"

// etherTypeLLDP is the EtherType of LLDP.
const etherTypeLLDP = 0x88CC

// asNetwork16 returns the number that memory with v in network order has in the order of this machine.
func asNetwork16(v uint16) uint16 {
	return binary.NativeEndian.Uint16([]byte{byte(v >> 8), byte(v)})
}
