package xsk

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// mapping is a part of a process's memory that is shared with a socket, AF_XDP or other.
type mapping struct {
	start, end uintptr
	offset     uint64 // distinguishes the rings of an AF_XDP socket
	socket     string // socket:[inode]
}

type mappings []mapping

// socketMappings lists the memory mappings of sockets that a process ("self" or a number) has, none if the process
// cannot be read.
func socketMappings(process string) mappings {
	text, err := os.ReadFile("/proc/" + process + "/maps")
	if err != nil {
		return nil
	}
	var found mappings
	for line := range strings.Lines(string(text)) {
		var m mapping
		var access, device, inode string
		n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %s %s", &m.start, &m.end, &access, &m.offset, &device, &inode, &m.socket)
		if n == 7 && strings.HasPrefix(m.socket, "socket:") {
			found = append(found, m)
		}
	}
	return found
}

// mappedSince lists the memory mappings of sockets that this process has and that are not in before.
func mappedSince(before mappings) mappings {
	return slices.DeleteFunc(socketMappings("self"), func(m mapping) bool { return slices.Contains(before, m) })
}

// unmap removes the mappings, which asavie/xdp made and never removes. While one mapping is left, the kernel keeps
// the socket, with its queue and its UMEM.
func (all mappings) unmap() error {
	var errs []error
	for _, m := range all {
		if _, _, errno := unix.Syscall(unix.SYS_MUNMAP, m.start, m.end-m.start, 0); errno != 0 {
			errs = append(errs, fmt.Errorf("unmap a ring of %s: %w", m.socket, errno))
		}
	}
	return errors.Join(errs...)
}

// hasXSK reports whether the fill ring of an AF_XDP socket is among the mappings.
func (all mappings) hasXSK() bool {
	return slices.ContainsFunc(all, func(m mapping) bool { return m.offset == unix.XDP_UMEM_PGOFF_FILL_RING })
}
