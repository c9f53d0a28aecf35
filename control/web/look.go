package web

import (
	"slices"
	"time"

	"uelink/control/api"
	"uelink/control/status"
)

// look is the state of the daemon at a time.
type look struct {
	at        time.Time
	station   string
	troubles  []string // of the daemon itself
	unmet     []api.Unmet
	ports     []api.Port
	agents    []api.LLDPInterface
	neighbors []api.LLDPNeighbor
	exchanges []api.DCBX
	events    []api.Event // the latest, the newest first
	onsets    *status.Onsets
}

// shownEvents is the number of events on the page.
const shownEvents = 50

// newLook returns the present state of the daemon: its problems, ports, LLDP agents and neighbours, DCBX and events.
func (s *Source) newLook() look {
	l := look{
		at: time.Now(), station: s.Station(), troubles: s.Troubles(), unmet: s.Unmet(),
		ports: api.NewPorts(s.DataPlane.Ports()), events: s.events(), onsets: s.Onsets,
	}
	for _, i := range s.LLDP.Interfaces() {
		l.agents = append(l.agents, api.NewLLDPInterface(i))
	}
	for _, n := range s.LLDP.Neighbors() {
		l.neighbors = append(l.neighbors, api.NewLLDPNeighbor(n))
	}
	for _, d := range s.LLDP.DCBX() {
		l.exchanges = append(l.exchanges, api.NewDCBX(d))
	}
	return l
}

// events returns the latest events, those from before the daemon's start too, the newest first. Events keep the order
// in which they came, also where the clock was set back meanwhile.
func (s *Source) events() []api.Event {
	var ports, agents []api.Event
	for _, e := range s.DataPlane.Recent() {
		ports = append(ports, api.PortEvent(e))
	}
	for _, e := range s.LLDP.Recent() {
		agents = append(agents, api.LLDPEvent(e))
	}
	recent := merged(ports, agents)
	seen := make(map[api.EventKey]bool, len(recent))
	for _, e := range recent {
		seen[e.Key()] = true
	}
	all := slices.DeleteFunc(slices.Clone(s.Past), func(e api.Event) bool { return seen[e.Key()] })
	all = append(all, recent...)
	all = all[max(0, len(all)-shownEvents):]
	slices.Reverse(all)
	return all
}

// merged returns two lists of events as one, by time. The order within each list stays.
func merged(a, b []api.Event) (all []api.Event) {
	for len(a) > 0 && len(b) > 0 {
		from := &a
		if b[0].Time.Before(a[0].Time) {
			from = &b
		}
		all, *from = append(all, (*from)[0]), (*from)[1:]
	}
	return append(append(all, a...), b...)
}
