package path

import (
	"time"

	"golang.org/x/sys/unix"

	"uelink/wire"
)

// workerSlice is the time slice that a worker's thread asks the scheduler for (Linux 6.12; earlier kernels ignore it).
// A thread that yields to a thread that never sleeps runs again only after about the length of its own slice, by
// default some 3 ms. A thread that wakes up runs before threads with longer slices.
const workerSlice = 100 * time.Microsecond

// giveWay lets a thread that waits for this CPU run first: often the process that a frame has woken, whose answer the
// worker is spinning for.
func giveWay() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// yieldEvery is the least time between two calls of giveWay. A frame that arrives during a call waits for its end.
// The echo of a lone frame took 1.30 times as long as through testpmd with a call after each look for frames, and
// 1.23 times with this value (medians of 5 runs).
const yieldEvery = 2 * time.Microsecond

// yields says when a spinning worker calls giveWay.
type yields struct {
	last wire.Time // time of the last call
}

// due reports whether giveWay is due at time now, and counts it as called if so.
func (y *yields) due(now wire.Time) bool {
	if now.Sub(y.last) < yieldEvery {
		return false
	}
	y.last = now
	return true
}

// shortenSlice asks the scheduler for workerSlice, for the calling thread. A thread of another class than SCHED_OTHER
// and SCHED_BATCH has no slice.
func shortenSlice() {
	a, err := unix.SchedGetAttr(0, 0)
	if err != nil || a.Policy != unix.SCHED_NORMAL && a.Policy != unix.SCHED_BATCH {
		return
	}
	a.Runtime = uint64(workerSlice)
	_ = unix.SchedSetAttr(0, a, 0) // without it the slice is the kernel's
}
