package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// heapRoom is how much address space the daemon wants to have left when it starts, in octets,
// beside its sockets. Go takes it 64 MiB at a time, and ends the process when there is none.
const heapRoom = 192 << 20

// roomError says that the process may not use enough address space.
type roomError struct {
	limit uint64 // octets
	err   error
}

// Error says what to do.
func (e *roomError) Error() string {
	return fmt.Sprintf("too little address space: the process may use %d MiB, and %d MiB more than its program and its sockets "+
		"have to be left: raise the limit (ulimit -v, systemd: LimitAS), or remove it: %v", e.limit>>20, heapRoom>>20, e.err)
}

// Unwrap is the kernel's error.
func (e *roomError) Unwrap() error { return e.err }

// ExitCode is 3: something of the host is missing.
func (e *roomError) ExitCode() int { return exitPrivilege }

// checkRoom finds out whether there is as much address space as the heap may want.
func checkRoom() error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return nil
	}
	room, err := unix.Mmap(-1, 0, heapRoom, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return &roomError{limit.Cur, err}
	}
	return unix.Munmap(room)
}
