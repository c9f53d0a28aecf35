package dataplane

import (
	"uelink/dataplane/attach"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
)

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
		survey{group: g, port: a}.checkHostUse(uses.Find(a.host.ifindex))
	}
}

// unchecked returns the attached ports whose use by the host must be looked up, with their groups. changed makes
// it all ports.
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

// checkHostUse reports the frames or the safety that the host loses on the interface of a port, given the host's
// present use, and reports the end of the loss.
func (s survey) checkHostUse(now attach.Use) {
	h := s.port.host
	s.port.monitor.CheckUse(trouble.Use{Settings: &h.settings, Attached: h.use, Now: now, Bind: h.owned.Choice().Bind})
	s.group.publishTroubles(s.port)
}
