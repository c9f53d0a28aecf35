package netns

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// onMainThread makes this test binary lock its main goroutine, which begins on the main thread, and print the
// thread on which the goroutine runs afterwards.
const onMainThread = "UELINK_NETNS_MAIN_THREAD"

func TestMain(m *testing.M) {
	if os.Getenv(onMainThread) == "" {
		os.Exit(m.Run())
	}
	before := unix.Gettid() == unix.Getpid()
	lockForLife()
	fmt.Printf("before %v, after %v", before, unix.Gettid() == unix.Getpid())
}

// The main thread cannot end, and so must not be used.
func TestMainThreadIsNeverTaken(t *testing.T) {
	for range 5 {
		child := exec.Command("/proc/self/exe")
		child.Env = append(os.Environ(), onMainThread+"=1")
		if output, err := child.CombinedOutput(); err != nil || string(output) != "before true, after false" {
			t.Fatalf("on the main thread: %s, %v", output, err)
		}
	}
}
