package edges

import (
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// Programs of tc at a host's interface. This kernel may have neither VLAN interfaces nor a queue that marks.

// vlan is a VLAN tag.
type vlan struct{ tpid, tci uint16 }

// Offsets in struct __sk_buff (linux/bpf.h).
const (
	skbVLANPresent = 20
	skbVLANTCI     = 24
	skbVLANProto   = 28
)

// What a program of tc says of a frame.
const (
	pass = 0 // TC_ACT_OK
	shot = 2 // TC_ACT_SHOT
)

// verdicts is the end of a program: label "out" for a frame that goes on, label "drop" for one that does not.
var verdicts = asm.Instructions{
	asm.Mov.Imm(asm.R0, pass).WithSymbol("out"), asm.Return(),
	asm.Mov.Imm(asm.R0, shot).WithSymbol("drop"), asm.Return(),
}

// push is a program that puts tags in front, the last one outermost.
func push(tags []vlan) (p asm.Instructions) {
	p = asm.Instructions{asm.Mov.Reg(asm.R6, asm.R1)}
	for _, tag := range tags {
		p = append(p, asm.Mov.Reg(asm.R1, asm.R6), asm.Mov.Imm(asm.R2, int32(swapped(tag.tpid))),
			asm.Mov.Imm(asm.R3, int32(tag.tci)), asm.FnSkbVlanPush.Call(), asm.JNE.Imm(asm.R0, 0, "drop"))
	}
	return append(p, verdicts...)
}

// pop is a program that takes the tags of push away, and drops frames that do not have these tags and no others.
func pop(tags []vlan) (p asm.Instructions) {
	p = asm.Instructions{asm.Mov.Reg(asm.R6, asm.R1)}
	for i := range tags {
		tag := tags[len(tags)-1-i]
		p = append(p, asm.LoadMem(asm.R2, asm.R6, skbVLANProto, asm.Word),
			asm.JNE.Imm(asm.R2, int32(swapped(tag.tpid)), "drop"),
			asm.LoadMem(asm.R2, asm.R6, skbVLANTCI, asm.Word), asm.JNE.Imm(asm.R2, int32(tag.tci), "drop"),
			asm.Mov.Reg(asm.R1, asm.R6), asm.FnSkbVlanPop.Call(), asm.JNE.Imm(asm.R0, 0, "drop"))
	}
	p = append(p, asm.LoadMem(asm.R2, asm.R6, skbVLANPresent, asm.Word), asm.JNE.Imm(asm.R2, 0, "drop"))
	return append(p, verdicts...)
}

// swapped returns a number in the order of the network, as programs have it on a CPU with the other order.
func swapped(n uint16) uint16 { return n<<8 | n>>8 }

// mark is a program that marks a quarter of the packets of senders with ECN: congestion experienced (RFC 3168). Of a
// super-frame it marks all segments.
func mark() asm.Instructions {
	const share = 1 << 32 / 4
	return append(asm.Instructions{
		asm.Mov.Reg(asm.R6, asm.R1), asm.FnGetPrandomU32.Call(), asm.LoadImm(asm.R1, share, asm.DWord),
		asm.JGT.Reg(asm.R0, asm.R1, "out"), asm.Mov.Reg(asm.R1, asm.R6), asm.FnSkbEcnSetCe.Call(),
	}, verdicts[:2]...)
}

// filter makes programs see what a host sends and receives, until the returned function is called; nil sees nothing.
func filter(t *testing.T, host *netns.NS, out, in asm.Instructions) (remove func()) {
	t.Helper()
	var eth0 netlink.Link
	qdisc := &netlink.Clsact{QdiscAttrs: netlink.QdiscAttrs{Handle: netlink.MakeHandle(0xffff, 0),
		Parent: netlink.HANDLE_CLSACT}}
	bed.Must(t, host.Do(func() (err error) {
		if eth0, err = netlink.LinkByName("eth0"); err != nil {
			return err
		}
		qdisc.LinkIndex = eth0.Attrs().Index
		return netlink.QdiscAdd(qdisc)
	}))
	for parent, instructions := range map[uint32]asm.Instructions{
		netlink.HANDLE_MIN_EGRESS: out, netlink.HANDLE_MIN_INGRESS: in,
	} {
		if instructions == nil {
			continue
		}
		program, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.SchedCLS, Instructions: instructions, License: "GPL"})
		bed.Must(t, err)
		bed.Must(t, host.Do(func() error {
			return netlink.FilterAdd(&netlink.BpfFilter{FilterAttrs: netlink.FilterAttrs{LinkIndex: eth0.Attrs().Index,
				Parent: parent, Handle: 1, Priority: 1, Protocol: unix.ETH_P_ALL}, Fd: program.FD(), Name: "test",
				DirectAction: true})
		}))
		bed.Must(t, program.Close())
	}
	return func() { bed.Must(t, host.Do(func() error { return netlink.QdiscDel(qdisc) })) }
}
