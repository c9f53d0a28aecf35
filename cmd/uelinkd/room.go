package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// heapRoom is the free address space for the heap, in octets, that the start of the daemon requires. Memory of sockets
// is not included. Go maps 64 MiB at a time, and ends the process if a mapping fails.
const heapRoom = 192 << 20

// checkRoom returns an error with the remedy if less than heapRoom of address space for the heap is free. It uses
// MmapPtr, because Mmap allocates, and the heap could have to grow for that while the room is occupied.
func checkRoom() error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return nil
	}
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
	room, err := unix.MmapPtr(-1, 0, nil, heapRoom, unix.PROT_NONE, flags)
	if err != nil {
		return fmt.Errorf("too little address space: the process may use %d MiB, and %d MiB have to be left when it "+
			"starts: raise the limit (ulimit -v, systemd: LimitAS), or remove it: %w", limit.Cur>>20, heapRoom>>20, err)
	}
	return unix.MunmapPtr(room, heapRoom)
}
