package dataplane

import (
	"fmt"
	"strings"

	"uelink/bpf"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
)

// surveyUses tells what the host loses of its own network by the interfaces of the daemon. It looks at those that it
// has not looked at yet, and at all of them where what the host does with them may have changed. To list
// many interfaces and routes takes the kernel a while, in which the lock is not held.
func (d *Dataplane) surveyUses(changed bool) {
	d.mu.Lock()
	all := d.unlooked(changed)
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
	for a, g := range d.unlooked(false) { // some may have come or gone meanwhile
		a.useKnown = true
		g.surveyLoss(a, uses.Of(a.host.ifindex))
	}
}

// unlooked is the ports whose use is to be looked at, with their groups.
func (d *Dataplane) unlooked(changed bool) map[*attachment]*group {
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

// surveyLoss tells what the host loses that uses the interface of a port so now, until it loses nothing any more.
func (g *group) surveyLoss(a *attachment, now netif.Use) {
	h := a.host
	if text := h.settings.lost(h.use, now, h.owned.Choice().Bind); text != "" {
		g.trouble(a, troubleHost, text)
		return
	}
	g.over(a, troubleHost, "the host gets its frames of the interface")
}

// lost is what the host loses of what it does with an interface now, and what to do about it; empty: nothing. was is
// what it did when the interface was taken: native: socket and drop were set on purpose then. bind is how the sockets
// are bound.
func (s *PortSettings) lost(was, now netif.Use, bind xsk.Bind) string {
	var all []string
	if frames := s.lostFrames(was, now); frames != "" {
		all = append(all, frames)
	}
	if bind == xsk.BindZeroCopy && now.Management() && !s.AllowZeroCopy {
		all = append(all, fmt.Sprintf("%s has %v since uelinkd took it with zero copy: its driver may start the NIC anew "+
			"when uelinkd ends, and the way to this host is gone then: set bind: copy at a time when that does no harm, or "+
			"allow_zerocopy: true if there is another way", s.Interface, now))
	}
	return strings.Join(all, "; ")
}

// lostFrames is why the host gets no frames of an interface that it uses; empty: it gets them.
func (s *PortSettings) lostFrames(was, now netif.Use) string {
	switch {
	case !now.Any():
	case s.Role == RoleEdge:
		return fmt.Sprintf("the host uses %s itself (%v), but an edge takes all frames that arrive, and the host gets "+
			"none: give the port another interface, or remove from this one what the host has on it", s.Interface, now)
	case s.Native != bpf.NativePass && !was.Any():
		return fmt.Sprintf("the host uses %s itself since uelinkd took it (%v), but native: %v takes all frames that "+
			"arrive, and the host gets none: set native: pass and reload, or native: auto and restart uelinkd",
			s.Interface, now, s.Native)
	}
	return ""
}
