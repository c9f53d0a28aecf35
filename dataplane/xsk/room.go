package xsk

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// heapRoom is the address space to be left beside a UMEM, in octets. Go's heap grows by 64 MiB at a time, and Go
// ends the process with a crash dump when no address space is left.
const heapRoom = 128 << 20

// checkRoom returns an error if the process has no address space for a UMEM of the given size in octets and
// heapRoom beside it. Unlike Mmap, MmapPtr allocates nothing: the heap might have to grow for an allocation while
// the room is taken.
func checkRoom(octets int) error {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
	room, err := unix.MmapPtr(-1, 0, nil, uintptr(octets+heapRoom), unix.PROT_NONE, flags)
	if err != nil {
		return fmt.Errorf("find room: %w", err)
	}
	return unix.MunmapPtr(room, uintptr(octets+heapRoom))
}
