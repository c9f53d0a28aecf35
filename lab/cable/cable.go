package cable

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf/rlimit"
	"github.com/vishvananda/netlink"

	"uelink/dataplane/pcap"
)

// medium is the faulty part between the ends: in the kernel or in this process.
type medium interface {
	// run carries frames until the context ends.
	run(ctx context.Context) error
	// adapt follows a change of the ends; views has their present attributes. adapt may be called while run runs.
	adapt(views []*netlink.LinkAttrs) error
	// counters returns the counts so far, of the frames from each end. counters may be called while run runs.
	counters() ([]Counts, error)
	// close frees everything. By now no interface delivers frames to the wire.
	close() error
}

// Cable is a bad wire between two interfaces, or on the ingress of one.
type Cable struct {
	config Config
	mode   string // ModeKernel or ModeUser
	ends   []*end
	sight  *sight
	wire   medium
	began  time.Time
	last   atomic.Pointer[Report] // final report of an unplugged cable

	capture *pcap.Capture // nil: none
}

// Open plugs a cable in between two interfaces of the calling thread's network namespace, or on one. A kernel cable
// carries frames when Open returns; a cable in user space queues frames until Run. Close restores the interfaces; if
// the process dies, the kernel does.
func Open(c Config) (_ *Cable, err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	// Kernels before 5.11 count BPF memory against RLIMIT_MEMLOCK. If the limit cannot be raised, loading reports the
	// error.
	_ = rlimit.RemoveMemlock()
	s, err := openSight()
	if err != nil {
		return nil, err
	}
	cable := &Cable{config: c, sight: s, began: time.Now()}
	if err := cable.openCapture(); err != nil {
		return nil, errors.Join(err, cable.Close())
	}
	if err := cable.plug(); err != nil {
		return nil, errors.Join(fmt.Errorf("cable %s: %w", c.name(), err), cable.discardCapture(), cable.Close())
	}
	return cable, nil
}

// plug attaches the cable to its interfaces, in the kernel or by sockets, and sets ends, mode and wire. It changes no
// interface before all are known to exist and to be free.
func (c *Cable) plug() error {
	for _, at := range c.config.places() {
		e, err := c.sight.findEnd(at)
		if err != nil {
			return err
		}
		c.ends = append(c.ends, &e)
	}
	views, err := lookAll(c.ends)
	if err != nil {
		return err
	}
	c.mode = c.config.mode(c.plain(views))
	open := openKernel
	if c.mode == ModeUser {
		open = openUser
	}
	c.wire, err = open(c.ends, c.config, c.sight)
	if w, ok := c.wire.(*userWire); ok && err == nil {
		w.record(c.capture, [2]string{c.config.A, c.config.B})
	}
	return err
}

// plain returns the name of the first veth whose other end runs no XDP program, as the other ends of containers' veths
// usually do not; "" if there is no such veth.
func (c *Cable) plain(views []*netlink.LinkAttrs) string {
	for i, e := range c.ends {
		if e.veth && !c.sight.takesXDP(views[i]) {
			return e.name
		}
	}
	return ""
}

// lookAll returns the present attributes of all ends.
func lookAll(ends []*end) (views []*netlink.LinkAttrs, err error) {
	for _, e := range ends {
		view, err := look(e)
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}

// Run carries frames until the context ends, then unplugs the cable. It returns an error if an interface is deleted,
// moved or renamed.
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
	var missing *goneError
	if errors.As(context.Cause(ctx), &missing) {
		err = missing
	}
	return errors.Join(err, c.unplug())
}

// unplug restores both interfaces, reads the counters a last time and keeps them for Report. They are exact,
// because no frames are on the wire any more.
func (c *Cable) unplug() error {
	err := errors.Join(c.release(), c.closeCapture())
	report, readErr := c.Report()
	if readErr == nil {
		c.last.Store(&report)
	}
	return errors.Join(err, readErr)
}

// release restores the interfaces. Further calls do nothing.
func (c *Cable) release() error {
	var problems []error
	for _, e := range c.ends {
		problems = append(problems, e.release())
	}
	return errors.Join(problems...)
}

// watchEvery is how often the interfaces are looked at. Frames are lost for that long at most after the other end of a
// veth has given up its XDP program.
const watchEvery = 100 * time.Millisecond

// watch looks at the interfaces until ctx ends. If an interface is deleted, moved or renamed, watch calls stop with an
// error that names the interface, and returns.
func (c *Cable) watch(ctx context.Context, stop context.CancelCauseFunc) {
	every := time.NewTicker(watchEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		views, err := lookAll(c.ends)
		if errors.As(err, new(*goneError)) {
			stop(err)
			return
		}
		if err == nil {
			_ = c.wire.adapt(views) // tried again in the next round
		}
	}
}

// Close restores the interfaces and closes sockets, programs and netlink. Call it after Run has returned.
func (c *Cable) Close() error {
	defer c.sight.close()
	err := c.release()
	if c.capture != nil {
		_ = c.capture.Close() // Run has reported its error
	}
	if c.wire == nil {
		return err
	}
	return errors.Join(err, c.wire.close())
}
