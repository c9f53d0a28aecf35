package dataplane

import (
	"context"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/netif"
	"uelink/dataplane/path"
	"uelink/dataplane/trouble"
)

// reconcilePeriod is the time between two checks of the interfaces without a notice from the kernel, to attach the
// interfaces that could not be attached before.
const reconcilePeriod = trouble.Tick

// watch updates the ports after each notice of the kernel about an interface, an address or a route, and checks
// the interfaces at each tick, until ctx ends.
func (d *Dataplane) watch(ctx context.Context) error {
	var links linkChanges
	if err := links.subscribe(); err != nil {
		return err
	}
	defer func() { links.end() }()
	uses, err := netif.WatchUses(ctx)
	if err != nil {
		return err
	}
	tick := time.NewTicker(reconcilePeriod)
	defer tick.Stop()
	for ticks, used := 0, false; ; { // used: the host's use of interfaces may have changed
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-links.changed:
			if !ok {
				d.log.Warn("interfaces change faster than the kernel can report: subscribing again")
				links.end() // the ticks go on
			}
			links.drain()
			used = true
		case _, ok := <-uses:
			if !ok {
				uses = nil // changes of interfaces still cause a check of all uses
				if ctx.Err() == nil {
					d.log.Warn("the kernel no longer reports changes of addresses and routes")
				}
			}
			used = true
		case <-tick.C:
			ticks++
			if links.changed == nil {
				_ = links.subscribe() // else the next tick tries again
			}
			d.survey(ticks)
			d.surveyClasses(ticks)
			d.surveyUses(used)
			used = false
		}
		d.reconcile()
	}
}

// survey checks every port; tick counts the calls.
func (d *Dataplane) survey(tick int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.groups {
		for _, a := range g.members {
			survey{g, a, tick}.run()
		}
	}
}

// reconcile attaches, detaches and updates all ports by the present state of their interfaces.
func (d *Dataplane) reconcile() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.groups {
		g.reconcile()
	}
}

// linkChanges is a subscription to the kernel's notices about interfaces.
type linkChanges struct {
	changed chan netlink.LinkUpdate // closed when the kernel had more notices than room; nil: no subscription
	done    chan struct{}           // closed to end the subscription
}

// subscribe subscribes to the kernel's notices about interfaces in the network namespace of the calling thread.
func (c *linkChanges) subscribe() error {
	changed, done := make(chan netlink.LinkUpdate, 64), make(chan struct{})
	if err := netlink.LinkSubscribeWithOptions(changed, done, netlink.LinkSubscribeOptions{}); err != nil {
		return fmt.Errorf("subscribe to the interfaces' changes: %w", err)
	}
	c.changed, c.done = changed, done
	return nil
}

// drain discards the notices about interfaces received so far: a single check of all interfaces covers several
// changes.
func (c *linkChanges) drain() {
	for len(c.changed) > 0 {
		<-c.changed
	}
}

// end closes the subscription to the kernel's notices, if there is one, and discards the notices left in it.
func (c *linkChanges) end() {
	if c.changed == nil {
		return
	}
	close(c.done)
	go func(rest <-chan netlink.LinkUpdate) {
		for range rest { // the sender may wait for room, and ends only when it gets room
		}
	}(c.changed)
	c.changed = nil
}

// surveyClasses takes threads of this process that are no workers out of real-time classes, every second: the workers
// look at their own class only.
func (d *Dataplane) surveyClasses(ticks int) {
	if ticks%int(time.Second/reconcilePeriod) != 0 {
		return
	}
	d.mu.Lock()
	workers := d.workers
	d.mu.Unlock()
	path.OnlyWorkers(workers)
}

// surveyUses reports what the host loses of its own network by the daemon's interfaces. It checks interfaces not
// checked yet, and all interfaces if the host's use may have changed. The kernel needs a while to list many interfaces
// and routes; meanwhile the lock is not held.
func (d *Dataplane) surveyUses(changed bool) {
	d.mu.Lock()
	all := d.unchecked(changed)
	d.mu.Unlock()
	if len(all) == 0 {
		return
	}
	uses, err := netif.AllUses()
	if err != nil {
		return // the next round asks again
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for a, g := range d.unchecked(false) { // ports may have been added or removed meanwhile
		a.useKnown = true
		survey{group: g, member: a}.checkHostUse(uses.Find(a.host.ifindex))
	}
}

// unchecked returns the attached ports whose use by the host must be looked up, with their groups: those not looked up
// since they were attached, or all if changed is true.
func (d *Dataplane) unchecked(changed bool) map[*attachment]*group {
	all := map[*attachment]*group{}
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.useKnown = a.useKnown && !changed; a.host != nil && !a.useKnown {
				all[a] = g
			}
		}
	}
	return all
}
