package dataplane

import (
	"context"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"
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
	tick := time.NewTicker(reconcilePeriod)
	defer tick.Stop()
	for ticks := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-updates:
			if !ok {
				updates = nil // the subscription overran; the ticks go on
			}
		case <-tick.C:
			ticks++
			d.survey(ticks)
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
