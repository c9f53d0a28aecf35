package bpf

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// A GuardID is the number that the kernel has given the program of AttachGuard. The kernel shows the name of a program
// only with CAP_SYS_ADMIN, so a process without this privilege finds the program by this number; 0: not known.
type GuardID uint32

// AttachGuard attaches the program of LoadGuard to the ingress of an interface by TCX (Linux 6.6), in front of other
// programs. No bpf_link holds the program: it stays after this process has ended or was killed, until DetachGuard or
// until the interface is deleted. If the interface has the program already, found by the number recorded or by its
// name, AttachGuard attaches none. note gets the number before the program is attached. The error is
// errors.ErrUnsupported on a kernel without TCX.
func AttachGuard(ifindex int, recorded GuardID, note func(GuardID) error) error {
	all, at, err := findGuard(ifindex, recorded)
	if err != nil {
		return err
	}
	if at >= 0 {
		return note(GuardID(all.Programs[at].ID))
	}
	p, err := LoadGuard()
	if err != nil {
		return err
	}
	defer p.Close() // the interface keeps the program
	info, err := p.Info()
	if err != nil {
		return fmt.Errorf("read the kernel's number of the tc program uelink_guard: %w", err)
	}
	id, _ := info.ID()
	if err := note(GuardID(id)); err != nil {
		return err
	}
	err = link.RawAttachProgram(link.RawAttachProgramOptions{Target: ifindex, Program: p, Attach: ebpf.AttachTCXIngress,
		Anchor: link.Head()})
	if err != nil {
		return fmt.Errorf("attach the tc program uelink_guard, which drops frames before the kernel's network: %w", err)
	}
	return nil
}

// DetachGuard removes the program of AttachGuard, if it is there. A process without CAP_SYS_ADMIN gets no descriptor of
// a program that another process has attached, so DetachGuard names the program by its place: the program must be the
// first or the last of the tc programs.
func DetachGuard(ifindex int, recorded GuardID) error {
	all, at, err := findGuard(ifindex, recorded)
	switch {
	case err != nil || at < 0:
		return err
	case at == 0:
		err = detachAt(ifindex, flagBefore, all.Revision)
	case at == len(all.Programs)-1:
		err = detachAt(ifindex, flagAfter, all.Revision)
	default:
		err = errors.New("other tc programs run before and after uelink_guard: remove uelink_guard (bpftool net " +
			"detach), or create the interface again")
	}
	if err != nil {
		return fmt.Errorf("detach the tc program uelink_guard: %w", err)
	}
	return nil
}

// HasGuard reports whether the program of AttachGuard is on an interface.
func HasGuard(ifindex int, recorded GuardID) bool {
	_, at, err := findGuard(ifindex, recorded)
	return err == nil && at >= 0
}

// findGuard returns the programs of TCX at the ingress of an interface, and the place of the guard among them, found by
// the number recorded or else by its name; -1 if it is not there. The error is errors.ErrUnsupported on a kernel
// without TCX.
func findGuard(ifindex int, recorded GuardID) (all *link.QueryResult, at int, err error) {
	all, err = link.QueryPrograms(link.QueryOptions{Target: ifindex, Attach: ebpf.AttachTCXIngress})
	if err != nil {
		if !KernelSince(6, 6) {
			err = errors.ErrUnsupported
		}
		return nil, -1, fmt.Errorf("list the tc programs (TCX) of the interface: %w", err)
	}
	at = slices.IndexFunc(all.Programs, func(p link.AttachedProgram) bool { return GuardID(p.ID) == recorded })
	if at < 0 {
		at = slices.IndexFunc(all.Programs, func(p link.AttachedProgram) bool { return programName(p.ID) == guardName })
	}
	return all, at, nil
}

// Flags of BPF_PROG_DETACH (linux/bpf.h) that, without a descriptor, name the first and the last program.
const (
	flagBefore = 1 << 3
	flagAfter  = 1 << 4
)

// detachAt detaches the first (flagBefore) or the last (flagAfter) program of TCX at the ingress of an interface, if
// nothing has changed there since revision.
func detachAt(ifindex int, flag uint32, revision uint64) error {
	attr := struct {
		target, program, kind, flags, replaced, relative uint32
		revision                                         uint64
	}{target: uint32(ifindex), kind: uint32(ebpf.AttachTCXIngress), flags: flag, revision: revision}
	_, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_DETACH, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	if errno != 0 {
		return errno
	}
	return nil
}
