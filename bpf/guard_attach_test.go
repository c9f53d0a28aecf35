package bpf

import (
	"errors"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// attachedGuard attaches a guard, and returns its number.
func attachedGuard(t *testing.T, ifindex int, recorded GuardID) (id GuardID) {
	t.Helper()
	err := AttachGuard(ifindex, recorded, func(g GuardID) error { id = g; return nil })
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skipf("the kernel has no TCX (Linux 6.6), or no BPF: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// attachOther attaches a program that passes everything to the ingress of an interface, behind the others.
func attachOther(t *testing.T, ifindex int) {
	t.Helper()
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: "other", Type: ebpf.SchedCLS, License: "GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, actUnspecified), asm.Return()}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	err = link.RawAttachProgram(link.RawAttachProgramOptions{Target: ifindex, Program: p, Attach: ebpf.AttachTCXIngress})
	if err != nil {
		t.Fatal(err)
	}
}

// programs returns how many programs are at the ingress of an interface.
func programs(t *testing.T, ifindex int) int {
	t.Helper()
	all, err := link.QueryPrograms(link.QueryOptions{Target: ifindex, Attach: ebpf.AttachTCXIngress})
	if err != nil {
		t.Fatal(err)
	}
	return len(all.Programs)
}

// A process with the capabilities of the unit finds, keeps and removes the guard of a process before it by its number,
// and leaves the program of another one.
func TestGuardByItsNumber(t *testing.T) {
	needRoot(t)
	a, _ := inNamespace(t)
	id := attachedGuard(t, a, 0)
	attachOther(t, a)
	if again := attachedGuard(t, a, 0); again != id {
		t.Errorf("by its name: guard %d beside %d", again, id)
	}
	onlyCapabilities(t, unix.CAP_NET_ADMIN, unix.CAP_NET_RAW, unix.CAP_BPF)
	if again := attachedGuard(t, a, id); again != id || !HasGuard(a, id) || programs(t, a) != 2 {
		t.Errorf("by its number: guard %d beside %d, found %v, %d programs", again, id, HasGuard(a, id), programs(t, a))
	}
	if HasGuard(a, id+1) {
		t.Error("a guard by the number of another program")
	}
	for range 2 {
		if err := DetachGuard(a, id); err != nil || HasGuard(a, id) || programs(t, a) != 1 {
			t.Errorf("detached: %v, found %v, %d programs", err, HasGuard(a, id), programs(t, a))
		}
	}
}
