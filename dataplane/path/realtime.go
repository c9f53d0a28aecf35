package path

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"uelink/dataplane/model"
	"uelink/wire"
)

// A worker under load never sleeps. In an ordinary class the scheduler gives its CPU to others all the same; in a
// real-time class (SCHED_FIFO, SCHED_RR) it does not, and the kernel's own threads of this CPU, which are ordinary,
// starve: RCU, ksoftirqd and kworker. Soon everything stands still that waits for RCU, such as each change of an
// interface or of a network namespace, on all CPUs.
const (
	classEvery = 10 * time.Millisecond // time between two looks at the class of a thread in an ordinary class
	restEvery  = time.Millisecond      // time in which a thread in a real-time class sleeps once
	restTime   = 50 * time.Microsecond // least time of each sleep of a thread in a real-time class
)

// realTime decides when a worker's thread in a real-time class sleeps, which leaves the CPU to ordinary threads. All
// workers sleep at the same instants of their common clock: of two workers on one CPU, one that sleeps while the other
// runs leaves nothing to ordinary threads.
type realTime struct {
	allowed bool      // the configuration allows real-time classes
	active  bool      // the thread was in a real-time class at the last look
	refused bool      // the kernel has refused to take the thread out of the real-time class
	alone   bool      // the threads of this process that are no workers have left the real-time class
	next    wire.Time // time of the next look at the class, and of the next sleep in a real-time class
}

// restAt returns when a sleep in a real-time class begins: the one under way at now, or else the next.
func restAt(now wire.Time) wire.Time {
	return now - now%wire.Time(restEvery) + wire.Time(restEvery-restTime)
}

// plan sets the time of the next look or sleep (field next), when a look or a sleep has just ended.
func (r *realTime) plan(now wire.Time) {
	r.next = now.Add(classEvery)
	if r.active {
		r.next = restAt(now)
	}
}

// slept records that the thread has slept for want of work, from one instant to another: a sleep by realTime that fell
// due meanwhile is skipped, so that a frame that has ended the thread's sleep does not wait for another sleep.
func (r *realTime) slept(from, to wire.Time) {
	if r.active && from <= r.next && to >= r.next.Add(restTime) {
		r.plan(to)
	}
}

// heedClass looks at the class of the worker's thread. In a real-time class the thread goes back to the ordinary class
// unless the configuration allows the class; where the kernel refuses that, or the class is allowed, it sleeps for
// restTime. The other threads of the process leave the class in any case (OnlyWorkers). It returns the present time.
// Only the worker's thread calls it, when the instant w.class.next has come.
func (w *Worker) heedClass(now wire.Time) wire.Time {
	r, class := &w.class, Class(0)
	r.active = class.RealTime()
	r.refused, r.alone = r.refused && r.active, r.alone && r.active
	if r.active && !r.alone && w.OnlyWorkers != nil {
		r.alone = w.OnlyWorkers()
	}
	if r.active && !r.allowed && !r.refused {
		r.active = !w.leave(class)
		r.refused = r.active
	}
	if r.active {
		w.waiter.pause(restTime)
		now = w.Clock()
	}
	r.plan(now)
	return now
}

// leave takes the worker's thread back to the ordinary class, reports whether the kernel has let it, and publishes a
// notice with the outcome.
func (w *Worker) leave(class SchedulerClass) bool {
	result := "uelinkd has put the worker back to SCHED_OTHER"
	err := leaveRealTime(0, class)
	if err != nil {
		result = fmt.Sprintf("the worker cannot go back to SCHED_OTHER (%v), so uelinkd makes the worker "+
			"sleep %v in each %v", err, restTime, restEvery)
	}
	w.Hub.Publish("", model.EventNotice, fmt.Sprintf("somebody has put worker %d into the real-time class %v, and %s: "+
		"under load the worker would keep the kernel's threads from their CPU, and the machine would stop; real_time: true "+
		"allows the class", w.ID, class, result))
	return err == nil
}

// leaveRealTime takes a thread, 0 for the calling one, from its real-time class to SCHED_OTHER.
func leaveRealTime(thread int, class SchedulerClass) error {
	var parameters struct{ priority int32 }
	_, _, errno := unix.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, uintptr(thread),
		uintptr(unix.SCHED_NORMAL|class&unix.SCHED_RESET_ON_FORK), uintptr(unsafe.Pointer(&parameters)))
	if errno != 0 {
		return errno
	}
	return nil
}

// OnlyWorkers takes all threads of this process but those of the workers out of a real-time class. It reports false if
// a worker has not begun, and its thread is not known. Threads of Go's runtime wait for each other by spinning: two of
// them in SCHED_FIFO on one CPU wait for ever, and whatever the workers do, nothing else runs there.
func OnlyWorkers(workers []*Worker) bool {
	for _, w := range workers {
		if w.thread.Load() == 0 {
			return false
		}
	}
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks {
		thread, err := strconv.Atoi(task.Name())
		if err != nil || slices.ContainsFunc(workers, func(w *Worker) bool { return int(w.thread.Load()) == thread }) {
			continue
		}
		if class := Class(thread); class.RealTime() {
			_ = leaveRealTime(thread, class) // the thread may have ended
		}
	}
	return true
}

// SchedulerClass is the scheduling class of a thread (sched(7)), with the flag SCHED_RESET_ON_FORK.
type SchedulerClass int

// Class returns the class of a thread, by its number, or of the calling thread (0).
func Class(thread int) SchedulerClass {
	class, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETSCHEDULER, uintptr(thread), 0, 0)
	if errno != 0 {
		return unix.SCHED_NORMAL
	}
	return SchedulerClass(class)
}

// RealTime reports whether the kernel runs threads of the class before all ordinary ones, for as long as they like.
func (c SchedulerClass) RealTime() bool {
	c &^= unix.SCHED_RESET_ON_FORK
	return c == unix.SCHED_FIFO || c == unix.SCHED_RR
}

// String returns the name of a real-time class.
func (c SchedulerClass) String() string {
	if c&^unix.SCHED_RESET_ON_FORK == unix.SCHED_RR {
		return "SCHED_RR"
	}
	return "SCHED_FIFO"
}
