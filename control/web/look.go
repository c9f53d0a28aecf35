package web

import (
	"slices"
	"time"

	"uelink/control/api"
)

// look is the state of the daemon at a time.
type look struct {
	at        time.Time
	station   string
	reload    string // command that makes the daemon read its configuration again
	ports     []api.Port
	agents    []api.LLDPInterface
	neighbors []api.LLDPNeighbor
	events    []api.Event // the latest, the newest first
}

// shownEvents is the number of events on the page.
const shownEvents = 50

// look returns the present state of the daemon.
func (s *Source) look() look {
	l := look{
		at: time.Now(), station: s.Station, reload: s.Reload, ports: api.NewPorts(s.DataPlane.Ports()), events: s.events(),
	}
	for _, i := range s.LLDP.Interfaces() {
		l.agents = append(l.agents, api.NewLLDPInterface(i))
	}
	for _, n := range s.LLDP.Neighbors() {
		l.neighbors = append(l.neighbors, api.NewLLDPNeighbor(n))
	}
	return l
}

// events returns the latest events, of before the daemon's start too, the newest first.
func (s *Source) events() []api.Event {
	all := slices.Clone(s.Past)
	for _, e := range s.DataPlane.Recent() {
		all = append(all, api.PortEvent(e))
	}
	for _, e := range s.LLDP.Recent() {
		all = append(all, api.LLDPEvent(e))
	}
	slices.SortStableFunc(all, func(a, b api.Event) int { return b.Time.Compare(a.Time) })
	seen := map[api.EventKey]bool{}
	all = slices.DeleteFunc(all, func(e api.Event) bool {
		twice := seen[e.Key()]
		seen[e.Key()] = true
		return twice
	})
	return all[:min(shownEvents, len(all))]
}
