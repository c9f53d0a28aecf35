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
// that whatever f did to the thread harms nobody. It is never the process's main
// thread: that one cannot die, and /proc/self speaks of it.
func onThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			f()
			return
		}
		taken := make(chan struct{})
		go func() { // the main thread is held meanwhile, so this gets another one
			runtime.LockOSThread()
			close(taken)
			f()
		}()
		<-taken
		runtime.UnlockOSThread()
	}()
}

// Do runs f in the namespace, on another goroutine locked to its thread, and
// returns f's error. Sockets that f opens stay in the namespace. A goroutine
// that f starts is not in it.
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
		err = visit(there, name, f)
	})
	return <-result
}

// visit runs f with the calling, locked thread in a namespace. The thread is given back
// to the scheduler when it could return to where it came from, and dies otherwise.
func visit(there vns.NsHandle, name string, f func() error) error {
	home, err := vns.Get()
	if err != nil {
		return fmt.Errorf("remember the namespace of this thread: %w", err)
	}
	defer home.Close()
	if err := vns.Set(there); err != nil {
		return fmt.Errorf("enter namespace %s: %w", name, err)
	}
	defer func() {
		if vns.Set(home) == nil {
			runtime.UnlockOSThread()
		}
	}()
	return f()
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
