package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// heapRoom is how much address space the daemon wants to have left when it starts, in octets,
// beside its sockets. Go takes it 64 MiB at a time, and ends the process when there is none.
const heapRoom = 192 << 20

// checkRoom finds out whether there is as much address space as the heap may want. The error says
// what to do. Unlike Mmap, MmapPtr allocates nothing: the heap might have to grow for that while
// the room is taken.
func checkRoom() error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return nil
	}
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
	room, err := unix.MmapPtr(-1, 0, nil, heapRoom, unix.PROT_NONE, flags)
	if err != nil {
		return fmt.Errorf("too little address space: the process may use %d MiB, and %d MiB have to be left when it starts: "+
			"raise the limit (ulimit -v, systemd: LimitAS), or remove it: %w", limit.Cur>>20, heapRoom>>20, err)
	}
	return unix.MunmapPtr(room, heapRoom)
}
