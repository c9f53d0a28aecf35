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

// wire is what is between the ends: in the kernel or in this process.
type wire interface {
	// run carries frames until the context ends.
	run(ctx context.Context) error
	// counters is what has happened so far, from end 0 and from end 1. It may be
	// called beside run.
	counters() ([2]fault.Counters, error)
	// close frees everything. No frame comes to it any more.
	close() error
}

// Cable is a bad wire between two interfaces.
type Cable struct {
	config Config
	ends   [2]end
	links  *netlink.Handle
	wire   wire
	began  time.Time
	last   atomic.Pointer[Report] // of a cable that has been unplugged
}

// Open plugs a cable in, between two interfaces of the calling thread's network
// namespace: when it returns, a kernel cable carries frames; one in user space
// takes them and hands them on from Run on. The interfaces are put back by Close
// and, should the process die, by the kernel.
func Open(c Config) (_ *Cable, err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	// Kernels before 5.11 count BPF memory against RLIMIT_MEMLOCK. Where it cannot
	// be raised, loading says what is wrong.
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

// plug takes both interfaces. Neither is touched before it is known that both are free.
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

// Run carries frames until the context ends, then unplugs the cable. It fails
// when an interface has gone.
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

// unplug puts the interfaces back and keeps the last report, which is exact: nothing is
// under way any more.
func (c *Cable) unplug() error {
	err := c.release()
	report, readErr := c.Report()
	if readErr == nil {
		c.last.Store(&report)
	}
	return errors.Join(err, readErr)
}

// release puts the interfaces back, once.
func (c *Cable) release() error { return errors.Join(c.ends[0].release(), c.ends[1].release()) }

// goneError says that an interface was deleted.
type goneError struct{ ifname string }

func (e *goneError) Error() string {
	return fmt.Sprintf("interface %s is gone: the cable has been unplugged", e.ifname)
}

// watch looks now and then whether both interfaces still exist.
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

// Close puts the interfaces back and frees everything. Run has returned.
func (c *Cable) Close() error {
	defer c.links.Close()
	err := c.release()
	if c.wire == nil {
		return err
	}
	return errors.Join(err, c.wire.close())
}
