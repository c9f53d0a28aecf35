package netns_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// A change of a thread, here of the host name, appears nowhere else.
func TestThreadDiesWhateverBecameOfIt(t *testing.T) {
	n := nstest.New(t, "thread")
	spoil := func() (tid int, err error) {
		return unix.Gettid(), errors.Join(unix.Unshare(unix.CLONE_NEWUTS), unix.Sethostname([]byte("spoilt")))
	}
	var by [3]int // Do, Within, Unshare
	unshared := make(chan error)
	go func() {
		err := netns.Unshare()
		if err == nil {
			by[2], err = spoil()
		}
		unshared <- err
	}()
	must(t, errors.Join(
		n.Do(func() (err error) { by[0], err = spoil(); return err }),
		netns.Within(n.Path(), func() (err error) { by[1], err = spoil(); return err }),
		<-unshared))
	for _, tid := range by {
		gone(t, tid)
	}
	for range 100 { // on whichever threads there are now
		var name unix.Utsname
		if err := unix.Uname(&name); err != nil || unix.ByteSliceToString(name.Nodename[:]) == "spoilt" {
			t.Fatalf("host name %s, %v", name.Nodename[:], err)
		}
		runtime.Gosched()
	}
}

// gone waits until a thread has ended.
func gone(t *testing.T, tid int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", tid)); errors.Is(err, os.ErrNotExist) {
			return
		}
	}
	t.Errorf("thread %d lives on", tid)
}
