package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// heapRoom is how much address space the daemon wants to have left when it starts, in octets,
// beside its sockets. Go takes it 64 MiB at a time, and ends the process when there is none.
const heapRoom = 192 << 20

// checkRoom finds out whether there is as much address space as the heap may want. The error says
// what to do.
func checkRoom() error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return nil
	}
	room, err := unix.Mmap(-1, 0, heapRoom, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return fmt.Errorf("too little address space: the process may use %d MiB, and %d MiB have to be left when it starts: "+
			"raise the limit (ulimit -v, systemd: LimitAS), or remove it: %w", limit.Cur>>20, heapRoom>>20, err)
	}
	return unix.Munmap(room)
}
