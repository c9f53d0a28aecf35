package dataplane

import (
	"cmp"
	"fmt"
)

// Unkept is why the data plane cannot keep, in the state folder, what the next process needs; nil for what is kept.
type Unkept struct {
	Addresses error // of the hosts' ends of created veths
	Records   error // of the changes of interfaces, which undo them after a kill
}

// Keep tries again to write what the state folder did not take, and returns why that fails.
func (d *Dataplane) Keep() (u Unkept) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u.Addresses = d.addresses.Keep()
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.host == nil || a.host.owned == nil {
				continue
			}
			if err := a.host.owned.Record(); err != nil {
				u.Records = cmp.Or(u.Records, fmt.Errorf("%s: %w", a.ifname(), err))
			}
		}
	}
	return u
}
