package xsk

import (
	"errors"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
)

// mapMemory creates a memfd of size octets and maps it into this process. Another process that gets the file
// descriptor can map the same memory, unlike anonymous memory.
func mapMemory(size int) (area []byte, fd int, err error) {
	if fd, err = memfd(); err != nil {
		return nil, -1, err
	}
	if err = unix.Ftruncate(fd, int64(size)); err == nil {
		// If another process could cut the memfd, an access would end this process by SIGBUS.
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK)
	}
	if err == nil {
		area, err = mapFrames(fd, size, unix.MAP_POPULATE)
	}
	if err != nil {
		return nil, -1, errors.Join(err, unix.Close(fd))
	}
	return area, fd, nil
}

// mapFrames maps the memfd of a UMEM with the given flags of mmap(2) besides MAP_SHARED. The mapping is left out of
// core dumps: frames of hosts are not for those who read a dump.
func mapFrames(fd, size, flags int) ([]byte, error) {
	area, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|flags)
	if err != nil {
		return nil, err
	}
	if err := unix.Madvise(area, unix.MADV_DONTDUMP); err != nil {
		return nil, errors.Join(err, unix.Munmap(area))
	}
	return area, nil
}

// memfd returns a new memfd, never executable where the kernel has a flag for that (Linux 6.3).
func memfd() (fd int, err error) {
	const name = "uelink-umem"
	fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) {
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	return fd, err
}

// freeCovered frees the pages of the memfd that the slots of live frames cover, a BPF array mapped over them: the pages
// would stay allocated and unused.
func (b *bound) freeCovered(g frame.Geometry) {
	at := int64(g.SlotAddr(0))
	_ = unix.Fallocate(b.memory, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, at, int64(g.Size())-at)
}
