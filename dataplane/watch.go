package dataplane

import (
	"context"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/netif"
)

// reconcilePeriod is how often the interfaces are looked at although the kernel
// has told nothing: to open again what could not be opened.
const reconcilePeriod = 250 * time.Millisecond

// watch reconciles the ports whenever the kernel tells of an interface.
func (d *Dataplane) watch(ctx context.Context) error {
	updates := make(chan netlink.LinkUpdate, 64)
	err := netlink.LinkSubscribeWithOptions(updates, ctx.Done(), netlink.LinkSubscribeOptions{})
	if err != nil {
		return fmt.Errorf("subscribe to the interfaces' changes: %w", err)
	}
	uses, err := netif.WatchUses(ctx)
	if err != nil {
		return err
	}
	tick := time.NewTicker(reconcilePeriod)
	defer tick.Stop()
	for ticks, used := 0, false; ; { // used: what the host does with interfaces may have changed
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-updates:
			if !ok {
				updates = nil // the subscription overran; the ticks go on
			}
			used = true
		case _, ok := <-uses:
			if !ok {
				uses = nil // changes of interfaces still have all uses looked at
				if ctx.Err() == nil {
					d.log.Warn("the kernel does not tell of addresses and routes any more")
				}
			}
			used = true
		case <-tick.C:
			ticks++
			d.survey(ticks)
			d.surveyUses(used)
			used = false
		}
		d.reconcile()
	}
}

func (d *Dataplane) reconcile() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.groups {
		g.reconcile()
	}
}
