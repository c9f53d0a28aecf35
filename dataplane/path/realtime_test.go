package path

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/model"
	"uelink/wire"
)

// Whatever a worker's rounds and sleeps are, a thread in a real-time class sleeps for 50 us on end after 1 ms at most,
// and the last round. A sleep for want of work is one of these, and after it the thread works at once.
func TestRealTimeThreadSleepsInEachMillisecond(t *testing.T) {
	const longest = 40 * time.Microsecond // of a round
	random := rand.New(rand.NewPCG(1, 2))
	r := realTime{active: true}
	r.plan(0)
	for now, last := wire.Time(0), wire.Time(0); now < wire.Time(time.Second); {
		if now >= r.next {
			now = now.Add(restTime)
			last = now
			r.plan(now)
		}
		now = now.Add(time.Duration(random.Int64N(int64(longest))))
		if random.IntN(100) == 0 {
			due, from := r.next, now
			now = now.Add(time.Duration(random.Int64N(int64(3 * restEvery))))
			r.slept(from, now)
			if now.Sub(from) >= restTime {
				last = now
			}
			if from <= due && now >= due.Add(restTime) && r.next < now && r.next.Add(restTime) <= now {
				t.Fatalf("after a sleep from %v to %v the next is due at %v", from, now, r.next)
			}
		}
		if busy := now.Sub(last); busy > restEvery+longest {
			t.Fatalf("at %v the thread has not slept for %v", now, busy)
		}
	}
}

// realTimeWorker is the variable of the environment that makes this test's program a worker in a real-time class: on
// one CPU, and ended by the kernel once it has not slept for rtLimit.
const (
	realTimeWorker = "UELINK_REAL_TIME_WORKER"
	rtLimit        = 300 * time.Millisecond
)

// A worker that somebody puts into a real-time class leaves it, and says so; if the configuration allows the class, the
// worker stays, and sleeps. Without that the kernel's threads would not come to their CPU again.
func TestWorkerInARealTimeClass(t *testing.T) {
	if allowed := os.Getenv(realTimeWorker); allowed != "" {
		runRealTimeWorker(t, allowed == "allowed")
		return
	}
	if err := exec.Command("taskset", "-c", "0", "chrt", "-f", "1", "true").Run(); err != nil {
		t.Skipf("needs the right to real-time classes, taskset and chrt: %v", err)
	}
	for _, allowed := range []string{"refused", "allowed"} {
		t.Run(allowed, func(t *testing.T) {
			cmd := exec.Command("timeout", "-s", "KILL", "20", "taskset", "-c", "0", os.Args[0], "-test.v",
				"-test.run=^TestWorkerInARealTimeClass$")
			cmd.Env = append(os.Environ(), realTimeWorker+"="+allowed)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// runRealTimeWorker puts a worker that has work all the time into a real-time class.
func runRealTimeWorker(t *testing.T, allowed bool) {
	limit := uint64(rtLimit.Microseconds())
	if err := unix.Setrlimit(unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Fatal(err)
	}
	hub := &model.Hub{}
	w, err := NewWorker(0, time.Hour, hub) // it does not sleep for want of work
	if err != nil {
		t.Fatal(err)
	}
	w.AllowRealTime(allowed)
	w.OnlyWorkers = func() bool { return OnlyWorkers([]*Worker{w}) }
	events, end := hub.Subscribe()
	defer end()
	go w.Run()
	w.Do(func(wire.Time) {})
	thread := int(w.thread.Load())
	if out, err := exec.Command("chrt", "-a", "-f", "-p", "1", strconv.Itoa(os.Getpid())).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	OnlyWorkers([]*Worker{w}) // again: chrt may have come to a thread after the worker's look
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks {
		if other, _ := strconv.Atoi(task.Name()); other != thread && Class(other).RealTime() {
			t.Errorf("thread %d, no worker's, is still in a real-time class", other)
		}
	}
	if allowed {
		for began := w.CPU(); w.CPU()-began < 3*rtLimit; { // the kernel ends this process if the worker does not sleep
			time.Sleep(time.Millisecond)
		}
		if class := Class(thread); !class.RealTime() {
			t.Errorf("the worker is in the class %d", class)
		}
		w.Stop()
		return
	}
	text := fmt.Sprint(<-events)
	if !strings.Contains(text, "the real-time class SCHED_FIFO, and uelinkd has put the worker back to SCHED_OTHER") {
		t.Errorf("the event is %s", text)
	}
	if class := Class(thread); class.RealTime() {
		t.Errorf("the worker is still in the class %v", class)
	}
	w.Stop()
}
