package xsk

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
)

// rings is the four mapped rings of one Socket.
type rings struct {
	fill       ring[uint64]
	rx         ring[frame.Desc]
	tx         ring[frame.Desc]
	completion ring[uint64]
}

// mapRings maps all rings but the RX ring of a socket. The sizes of the rings must have been set.
func mapRings(fd int, n ringSizes) (r rings, err error) {
	at, err := mmapOffsets(fd)
	if err != nil {
		return rings{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.unmap())
		}
	}()
	if r.fill, err = mapRing[uint64](fd, unix.XDP_UMEM_PGOFF_FILL_RING, at.Fr, n.fill); err != nil {
		return r, fmt.Errorf("map the fill ring: %w", err)
	}
	if r.completion, err = mapRing[uint64](fd, unix.XDP_UMEM_PGOFF_COMPLETION_RING, at.Cr, n.completion); err != nil {
		return r, fmt.Errorf("map the completion ring: %w", err)
	}
	if r.tx, err = mapRing[frame.Desc](fd, unix.XDP_PGOFF_TX_RING, at.Tx, n.tx); err != nil {
		return r, fmt.Errorf("map the TX ring: %w", err)
	}
	return r, nil
}

// mapRX maps the RX ring of a socket. The size of the ring must have been set.
func mapRX(fd, n int) (ring[frame.Desc], error) {
	at, err := mmapOffsets(fd)
	if err != nil {
		return ring[frame.Desc]{}, err
	}
	rx, err := mapRing[frame.Desc](fd, unix.XDP_PGOFF_RX_RING, at.Rx, n)
	if err != nil {
		return rx, fmt.Errorf("map the RX ring: %w", err)
	}
	return rx, nil
}

// mmapOffsets returns the offsets of the indexes and entries in each mapped ring of a socket.
func mmapOffsets(fd int) (at unix.XDPMmapOffsets, err error) {
	if err := getsockopt(fd, unix.XDP_MMAP_OFFSETS, unsafe.Pointer(&at), unsafe.Sizeof(at)); err != nil {
		return at, fmt.Errorf("getsockopt XDP_MMAP_OFFSETS: %w", err)
	}
	return at, nil
}

// unmap unmaps the rings. A mapping keeps the kernel's socket alive, so the queue is free for another socket only
// after unmap.
func (r *rings) unmap() error {
	var errs []error
	for _, memory := range [][]byte{r.fill.memory, r.completion.memory, r.rx.memory, r.tx.memory} {
		if memory != nil {
			errs = append(errs, unix.Munmap(memory))
		}
	}
	*r = rings{}
	return errors.Join(errs...)
}

// mapRing maps one of the four rings of a socket with n entries of type T, at the offsets that the kernel gave for
// it.
func mapRing[T entry](fd int, offset int64, at unix.XDPRingOffset, n int) (ring[T], error) {
	var zero T
	memory, err := unix.Mmap(fd, offset, int(at.Desc)+n*int(unsafe.Sizeof(zero)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return ring[T]{}, err
	}
	start := unsafe.Pointer(unsafe.SliceData(memory))
	return ring[T]{
		producer: (*uint32)(unsafe.Add(start, at.Producer)),
		consumer: (*uint32)(unsafe.Add(start, at.Consumer)),
		flags:    (*uint32)(unsafe.Add(start, at.Flags)),
		entries:  unsafe.Slice((*T)(unsafe.Add(start, at.Desc)), n),
		memory:   memory,
	}, nil
}

// registerUMEM makes a memory area, divided into chunks of that size, the UMEM of a socket.
func registerUMEM(fd int, area []byte, chunk int) error {
	umem := unix.XDPUmemReg{
		Addr: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(area)))),
		Len:  uint64(len(area)),
		Size: uint32(chunk),
	}
	_, _, errno := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_XDP, unix.XDP_UMEM_REG,
		uintptr(unsafe.Pointer(&umem)), unsafe.Sizeof(umem), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// statistics returns the kernel's counters of a socket.
func statistics(fd int) (s unix.XDPStatistics, err error) {
	return s, getsockopt(fd, unix.XDP_STATISTICS, unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// getsockopt reads an option of AF_XDP, of size octets, into value.
func getsockopt(fd, option int, value unsafe.Pointer, size uintptr) error {
	length := uint32(size)
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_XDP, uintptr(option),
		uintptr(value), uintptr(unsafe.Pointer(&length)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}
