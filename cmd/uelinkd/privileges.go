package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// capabilities is a set of capabilities: bit n is capability n.
type capabilities uint64

// needed has the capabilities used by a running daemon, as listed in deploy/uelinkd.service.
const needed = capabilities(1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_NET_RAW | 1<<unix.CAP_BPF | 1<<unix.CAP_IPC_LOCK)

// enterNamespaces lets a process enter other network namespaces.
const enterNamespaces = capabilities(1 << unix.CAP_SYS_ADMIN)

// String returns the names of the capabilities in c, of those that a daemon may keep.
func (c capabilities) String() string {
	var names []string
	for _, capability := range []struct {
		mask capabilities
		name string
	}{
		{1 << unix.CAP_NET_ADMIN, "CAP_NET_ADMIN"}, {1 << unix.CAP_NET_RAW, "CAP_NET_RAW"}, {1 << unix.CAP_BPF, "CAP_BPF"},
		{1 << unix.CAP_IPC_LOCK, "CAP_IPC_LOCK"}, {enterNamespaces, "CAP_SYS_ADMIN"},
	} {
		if c&capability.mask != 0 {
			names = append(names, capability.name)
		}
	}
	return strings.Join(names, " ")
}

// capabilitySets is the argument of capset: the sets of a thread, each in two words.
type capabilitySets struct {
	header unix.CapUserHeader
	data   [2]unix.CapUserData
}

// permittedCapabilities returns the permitted capabilities of the calling thread.
func permittedCapabilities() (capabilities, error) {
	s := capabilitySets{header: unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}}
	err := unix.Capget(&s.header, &s.data[0])
	return capabilities(s.data[1].Permitted)<<32 | capabilities(s.data[0].Permitted), err
}

// dropPrivileges removes all capabilities but keep from every thread of the process, for good: no program started by
// the process gets them back. It returns the remaining capabilities.
func dropPrivileges(keep capabilities) (left capabilities, err error) {
	have, err := permittedCapabilities()
	if err != nil {
		return 0, fmt.Errorf("look up the capabilities: %w", err)
	}
	left = have & keep
	if err := onAllThreads(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0); err != nil {
		return have, err
	}
	if have&(1<<unix.CAP_SETPCAP) != 0 {
		for n := range uintptr(unix.CAP_LAST_CAP + 1) {
			bounded, _, _ := syscall.RawSyscall(unix.SYS_PRCTL, unix.PR_CAPBSET_READ, n, 0)
			if keep>>n&1 == 1 || bounded != 1 { // the kernel may know fewer
				continue
			}
			if err := onAllThreads(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, n, 0); err != nil {
				return have, err
			}
		}
	}
	return left, left.set()
}

// set makes the capabilities in c the only permitted and effective ones of every thread. Child processes inherit none.
func (c capabilities) set() error {
	low, high := uint32(c), uint32(c>>32)
	s := &capabilitySets{
		header: unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3},
		data:   [2]unix.CapUserData{{Effective: low, Permitted: low}, {Effective: high, Permitted: high}},
	}
	var pinned runtime.Pinner // other threads read s by its address
	pinned.Pin(s)
	defer pinned.Unpin()
	return onAllThreads(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&s.header)), uintptr(unsafe.Pointer(&s.data[0])), 0)
}

// onAllThreads makes a system call on every thread of the process: capabilities belong to a thread.
func onAllThreads(trap, a, b, c uintptr) error {
	_, _, errno := syscall.AllThreadsSyscall(trap, a, b, c)
	switch {
	case errno == 0:
		return nil
	case errors.Is(errno, unix.ENOTSUP):
		return errors.New("this uelinkd was built with cgo, which cannot take privileges from all threads: build it " +
			"with CGO_ENABLED=0 (make build)")
	}
	return fmt.Errorf("system call %d: %w", trap, errno)
}
