package cable

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf/rlimit"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/dataplane/fault"
)

// medium is the faulty part between the ends: in the kernel or in this process.
type medium interface {
	// run carries frames until the context ends.
	run(ctx context.Context) error
	// counters returns the counts so far, of frames from end 0 and from end 1. It may be called beside run.
	counters() ([2]fault.Counters, error)
	// close frees everything. By now no interface delivers frames to the wire.
	close() error
}

// Cable is a bad wire between two interfaces.
type Cable struct {
	config Config
	ends   [2]end
	links  *netlink.Handle
	wire   medium
	began  time.Time
	last   atomic.Pointer[Report] // of an unplugged cable
}

// Open plugs a cable in between two interfaces of the calling thread's network namespace. A kernel cable carries
// frames when Open returns; a cable in user space queues frames until Run. Close restores the interfaces; if the
// process dies, the kernel does.
func Open(c Config) (_ *Cable, err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	// Kernels before 5.11 count BPF memory against RLIMIT_MEMLOCK. If the limit cannot be raised, loading reports the
	// error.
	_ = rlimit.RemoveMemlock()
	links, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	cable := &Cable{config: c, links: links, began: time.Now()}
	if err := cable.plug(); err != nil {
		return nil, errors.Join(fmt.Errorf("cable %s to %s: %w", c.A, c.B, err), cable.Close())
	}
	return cable, nil
}

// plug attaches the cable to both interfaces, in the kernel or by sockets. It changes neither interface before
// both are known to exist and to be free.
func (c *Cable) plug() (err error) {
	for i, name := range []string{c.config.A, c.config.B} {
		if c.ends[i], err = findEnd(name); err != nil {
			return err
		}
	}
	open := openKernel
	if c.config.mode() == ModeUser {
		open = openUser
	}
	c.wire, err = open(&c.ends, c.config.Fault)
	return err
}

// Run carries frames until the context ends, then unplugs the cable. It returns an error if an interface is deleted.
func (c *Cable) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		c.watch(ctx, stop)
	}()
	err := c.wire.run(ctx)
	stop(nil)
	<-watching
	var gone *goneError
	if errors.As(context.Cause(ctx), &gone) {
		err = gone
	}
	return errors.Join(err, c.unplug())
}

// unplug restores both interfaces, reads the counters a last time and keeps them for Report. They are exact,
// because no frames are on the wire any more.
func (c *Cable) unplug() error {
	err := c.release()
	report, readErr := c.Report()
	if readErr == nil {
		c.last.Store(&report)
	}
	return errors.Join(err, readErr)
}

// release restores both interfaces. Further calls do nothing.
func (c *Cable) release() error { return errors.Join(c.ends[0].release(), c.ends[1].release()) }

// goneError is the error for a deleted interface.
type goneError struct{ ifname string }

func (e *goneError) Error() string {
	return fmt.Sprintf("interface %s is gone: the cable has been unplugged", e.ifname)
}

// watch checks every 250 ms, until ctx ends, whether both interfaces still exist. If one is deleted, it calls stop
// with an error that names it, and returns.
func (c *Cable) watch(ctx context.Context, stop context.CancelCauseFunc) {
	every := time.NewTicker(250 * time.Millisecond)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		for _, e := range c.ends {
			var missing netlink.LinkNotFoundError
			if _, err := c.links.LinkByIndex(e.index); errors.As(err, &missing) {
				stop(&goneError{e.name})
				return
			}
		}
	}
}

// Close restores both interfaces and closes sockets, programs and netlink. Call it after Run has returned.
func (c *Cable) Close() error {
	defer c.links.Close()
	err := c.release()
	if c.wire == nil {
		return err
	}
	return errors.Join(err, c.wire.close())
}
