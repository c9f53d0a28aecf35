package dataplane

import (
	"fmt"
	"strings"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
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
		g.surveyLoss(a, uses.Find(a.host.ifindex))
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

// surveyLoss reports the frames or the safety that the host loses on the interface of a port, given the host's present
// use, and reports the end of the loss.
func (g *group) surveyLoss(a *attachment, now attach.Use) {
	h := a.host
	if text := lossText(&h.settings, h.use, now, h.owned.Choice().Bind); text != "" {
		g.trouble(a, troubleHost, text)
		return
	}
	g.over(a, troubleHost, "the host gets its frames of the interface")
}

// lossText returns in words what the host loses of its own network on an interface because the daemon has it, and the
// cure; "" if nothing. now is the host's present use of the interface, was its use when the daemon attached it:
// settings that took frames away then were meant so. bind is how the sockets are bound.
func lossText(s *model.PortSettings, was, now attach.Use, bind attach.Bind) string {
	var all []string
	if frames := lostFramesText(s, was, now); frames != "" {
		all = append(all, frames)
	}
	if bind == attach.BindZeroCopy && now.Management() && !s.AllowZeroCopy {
		all = append(all, fmt.Sprintf("%s has %v since uelinkd took it with zero copy: its driver may start the NIC anew "+
			"when uelinkd ends, and the way to this host is gone then: set bind: copy at a time when that does no harm, or "+
			"allow_zerocopy: true if there is another way", s.Interface, now))
	}
	return strings.Join(all, "; ")
}

// lostFramesText returns in words why the host gets no frames of an interface that it uses; empty: the host gets
// them.
func lostFramesText(s *model.PortSettings, was, now attach.Use) string {
	switch {
	case !now.Any():
	case s.Role == model.RoleEdge:
		return fmt.Sprintf("the host uses %s itself (%v), but an edge takes all frames that arrive, and the host gets "+
			"none: give the port another interface, or remove from this one what the host has on it", s.Interface, now)
	case s.Native != attach.NativePass && !was.Any():
		return fmt.Sprintf("the host uses %s itself since uelinkd took it (%v), but native: %v takes all frames that "+
			"arrive, and the host gets none: set native: pass and reload, or native: auto and restart uelinkd, or take that "+
			"from the interface", s.Interface, now, s.Native)
	}
	return ""
}
