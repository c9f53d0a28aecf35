package netns

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"runtime"
	"syscall"

	vns "github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// onThread runs f on a new goroutine locked to a thread of its own, and returns at once. The thread ends with the
// goroutine, so f may move the thread to another namespace.
func onThread(f func()) {
	go func() {
		lockForLife()
		f()
	}()
}

// lockForLife locks the calling goroutine to a thread that ends with the goroutine. The thread is never the main thread
// of the process, because the main thread cannot end, and /proc/self describes it: on the main thread, lockForLife lets
// another goroutine take it, and tries again.
func lockForLife() {
	runtime.LockOSThread()
	for unix.Gettid() == unix.Getpid() {
		runtime.UnlockOSThread()
		release := occupyThread()
		runtime.LockOSThread()
		release()
	}
}

// occupyThread makes another goroutine hold an OS thread until release is called. The held thread is usually the
// one that the caller has just unlocked, so that the caller gets another.
func occupyThread() (release func()) {
	locked, done := make(chan struct{}), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		close(locked)
		<-done
	}()
	<-locked
	return func() { close(done) }
}

// Do runs f in the namespace, on a goroutine and thread of its own, waits for it and returns its error. Sockets
// opened by f stay in the namespace. Goroutines started by f are not in the namespace. The thread ends afterwards,
// whatever f has done to it.
func (n *NS) Do(f func() error) error { return within(n.handle, n.name, f) }

// Within runs f as NS.Do does, in an existing namespace: path is Dir/NAME for a named namespace, or
// /proc/PID/ns/net. The error is ErrNone if the path does not exist.
func Within(path string, f func() error) error {
	handle, err := vns.GetFromPath(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", ErrNone, path)
	}
	if err != nil {
		return fmt.Errorf("open network namespace %s: %w", path, err)
	}
	defer handle.Close()
	return within(handle, path, f)
}

// within calls f on a thread in a namespace, and returns its error. If f ends its goroutine, as t.Fatal does, within
// returns an error, too.
func within(target vns.NsHandle, name string, f func() error) error {
	result := make(chan error, 1)
	onThread(func() {
		err := errors.New("a function called in the namespace ended its goroutine (runtime.Goexit), perhaps by t.Fatal")
		defer func() { result <- err }()
		if err = enter(target, name); err == nil {
			err = f()
		}
	})
	return <-result
}

// Unshare locks the calling goroutine to a thread and moves it into a new namespace without a name, for the rest
// of its life. The thread ends with the goroutine.
func Unshare() error {
	lockForLife()
	err := unix.Unshare(unix.CLONE_NEWNET)
	if errors.Is(err, fs.ErrPermission) {
		return ErrPrivilege
	}
	return err
}

// enter moves the calling thread, to which the goroutine must be locked, into the target namespace. name is its
// name in errors.
func enter(target vns.NsHandle, name string) error {
	if err := vns.Set(target); err != nil {
		return fmt.Errorf("enter namespace %s: %w", name, err)
	}
	return nil
}

// Start starts cmd inside the namespace and does not wait for its end. The child is killed when this process ends
// and when the namespace is closed: the kernel sends the parent-death signal when the forking thread ends, and
// that thread lives until Close.
func (n *NS) Start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	if cmd.SysProcAttr.Pdeathsig == 0 {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
	started := make(chan error, 1)
	n.work <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return fmt.Errorf("start %s in namespace %s: %w", cmd.Path, n.name, err)
	}
	return nil
}

// Run starts cmd inside the namespace, waits for its end and returns an error unless the exit code is 0.
func (n *NS) Run(cmd *exec.Cmd) error {
	if err := n.Start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}
