package xsk

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// heapRoom is how much address space is to be left beside a UMEM, in octets. Go takes it 64 MiB
// at a time, and ends the process with a crash dump when there is none.
const heapRoom = 128 << 20

// checkRoom finds out whether a UMEM of so many octets has room in the process, and what else the
// process needs has room beside it. Unlike Mmap, MmapPtr allocates nothing: the heap might
// have to grow for that while the room is taken.
func checkRoom(octets int) error {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
	room, err := unix.MmapPtr(-1, 0, nil, uintptr(octets+heapRoom), unix.PROT_NONE, flags)
	if err != nil {
		return fmt.Errorf("find room: %w", err)
	}
	return unix.MunmapPtr(room, uintptr(octets+heapRoom))
}
