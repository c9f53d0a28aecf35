package path

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/model"
	"uelink/wire"
)

// threadCPU returns the time that the calling thread has run on a CPU.
func threadCPU(t *testing.T) time.Duration {
	t.Helper()
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
		t.Fatal(err)
	}
	return time.Duration(at.Nano())
}

// pinned moves a thread, 0 for the calling one, to the first CPU that this process may use.
func pinned(t *testing.T, thread int) {
	t.Helper()
	var all, single unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	cpu := 0
	for !all.IsSet(cpu) {
		cpu++
	}
	single.Set(cpu)
	if err := unix.SchedSetaffinity(thread, &single); err != nil {
		t.Fatal(err)
	}
}

// A worker that spins without work leaves its CPU to a thread that wants it: it takes at most a quarter of what the
// other thread takes, where the scheduler would give each a half.
func TestASpinningWorkerGivesWay(t *testing.T) {
	w, err := NewWorker(0, time.Hour, &model.Hub{})
	if err != nil {
		t.Fatal(err)
	}
	go w.Run()
	defer w.Stop()
	w.Do(func(wire.Time) {}) // it runs
	pinned(t, int(w.thread.Load()))

	runtime.LockOSThread() // for ever: the thread ends with the test, its affinity with it
	pinned(t, 0)
	before, mine := w.CPU(), threadCPU(t)
	for threadCPU(t)-mine < 100*time.Millisecond {
	}
	took := w.CPU() - before
	t.Logf("while another thread ran for 100 ms, the worker ran for %v", took)
	if took > 25*time.Millisecond {
		t.Error("it does not give way")
	}
}

// A worker that spins yields at once, and then as often as its looks for frames allow, with yieldEvery between.
func TestSpinningWorkerYieldsNowAndThen(t *testing.T) {
	var y yields
	start, calls := wire.Time(1e9), 0
	const look, looks = 300, 1000 // ns
	for i := range wire.Time(looks) {
		if y.due(start + i*look) {
			calls++
		}
	}
	every := (int(yieldEvery) + look - 1) / look // looks between two calls
	if want := (looks + every - 1) / every; calls != want || !y.due(start+looks*look+wire.Time(yieldEvery)) {
		t.Errorf("%d calls of giveWay in %d looks, want %d", calls, looks, want)
	}
}
