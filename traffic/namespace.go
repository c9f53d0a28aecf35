package traffic

import (
	"fmt"
	"runtime"

	vns "github.com/vishvananda/netns"
)

// inNamespace runs f in the network namespace of that name, or right here when
// there is no name. Sockets that f opens stay there.
func inNamespace(name string, f func() error) error {
	if name == "" {
		return f()
	}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // a thread that cannot return dies with this goroutine
		done <- visit(name, f)
	}()
	return <-done
}

// visit is inNamespace on a locked thread, which it unlocks once back home.
func visit(name string, f func() error) error {
	there, err := vns.GetFromName(name)
	if err != nil {
		return usageError(fmt.Errorf("network namespace %s (see ip netns list): %w", name, err))
	}
	defer there.Close()
	home, err := vns.Get()
	if err != nil {
		return fmt.Errorf("remember the network namespace of this thread: %w", err)
	}
	defer home.Close()
	if err := vns.Set(there); err != nil {
		return fmt.Errorf("enter network namespace %s: %w", name, err)
	}
	defer func() {
		if vns.Set(home) == nil {
			runtime.UnlockOSThread()
		}
	}()
	return f()
}
