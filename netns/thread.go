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

// onThread runs f on a goroutine locked to a thread that dies with it, so
// that whatever f did to the thread harms nobody.
func onThread(f func()) {
	go func() {
		lockForLife()
		f()
	}()
}

// lockForLife locks the calling goroutine to a thread that dies with it. It is never the
// process's main thread: that one cannot die, and /proc/self speaks of it.
func lockForLife() {
	runtime.LockOSThread()
	for unix.Gettid() == unix.Getpid() {
		runtime.UnlockOSThread()
		release := occupyThread()
		runtime.LockOSThread()
		release()
	}
}

// occupyThread has another goroutine hold a thread until release is called. It is the
// caller's, which gets another one so, unless another thread was quicker to run it.
func occupyThread() (release func()) {
	held, done := make(chan struct{}), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		close(held)
		<-done
	}()
	<-held
	return func() { close(done) }
}

// Do runs f in the namespace, on another goroutine locked to its thread, and
// returns f's error. Sockets that f opens stay in the namespace. A goroutine
// that f starts is not in it. The thread dies, whatever f has made of it.
func (n *NS) Do(f func() error) error { return within(n.handle, n.name, f) }

// Within is NS.Do in a namespace that is there already: at Dir/NAME if it has a name, or
// at /proc/PID/ns/net. The error is ErrNone if there is no such file.
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

func within(there vns.NsHandle, name string, f func() error) error {
	result := make(chan error, 1)
	onThread(func() {
		err := errors.New("the function ended its goroutine")
		defer func() { result <- err }()
		if err = enter(there, name); err == nil {
			err = f()
		}
	})
	return <-result
}

// Unshare moves the calling goroutine into a new namespace without a name for the rest of its
// life: it is locked to a thread that dies with it.
func Unshare() error {
	lockForLife()
	err := unix.Unshare(unix.CLONE_NEWNET)
	if errors.Is(err, fs.ErrPermission) {
		return ErrPrivilege
	}
	return err
}

// enter moves the calling, locked thread into a namespace.
func enter(there vns.NsHandle, name string) error {
	if err := vns.Set(there); err != nil {
		return fmt.Errorf("enter namespace %s: %w", name, err)
	}
	return nil
}

// Start starts cmd inside the namespace. The child is killed when this process
// dies and when the namespace is closed: the signal of its parent's death comes
// with the death of the thread that forked it, and that is the resident one.
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

// Run starts cmd inside the namespace and waits for its end.
func (n *NS) Run(cmd *exec.Cmd) error {
	if err := n.Start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}
