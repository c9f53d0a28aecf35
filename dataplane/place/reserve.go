package place

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve makes the file of a place as long as a place, with memory of its own, and returns the words that an earlier
// process has left there; they stay in the file, because that process may still store there. Memory that is mapped
// without a reservation is allocated at the first store, and on a full file system that store gets SIGBUS.
func reserve(file *os.File) (found words, err error) {
	view := (*[octets]byte)(unsafe.Pointer(&found))[:]
	n, err := file.ReadAt(view, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return words{}, err
	}
	if n < octets { // a new file, or one cut by somebody: a part of a bookmark counts as none
		found = words{}
		if err := file.Truncate(0); err != nil {
			return words{}, err
		}
	}
	err = allocate(int(file.Fd()), 0, 0, int64(octets))
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		err = nil
		if n < octets {
			_, err = file.WriteAt(view, 0)
		}
	}
	if err != nil {
		return words{}, fmt.Errorf("reserve memory: %w", err)
	}
	// Works for a memfd only, which nobody can cut then.
	_, _ = unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK)
	return found, nil
}

// allocate is a variable so that a test can be a file system without fallocate(2).
var allocate = unix.Fallocate

// links returns the number of names of a file; 0 of a memfd.
func links(file *os.File) uint64 {
	var st unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &st); err != nil {
		return 0
	}
	return uint64(st.Nlink)
}
