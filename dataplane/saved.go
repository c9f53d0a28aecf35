package dataplane

import (
	"slices"
	"strings"

	"uelink/dataplane/path"
	"uelink/internal/snapshot"
	"uelink/wire"
)

// SavedState is the state of a port's machines as text, by package snapshot.
type SavedState struct {
	Port string
	Text string
}

// SavedStates returns the saved state of the protocol machines of every port as text, sorted by port. Each port costs
// its worker a fraction of a millisecond.
func (d *Dataplane) SavedStates() []SavedState {
	d.mu.Lock()
	defer d.mu.Unlock()
	states := []SavedState{}
	for _, g := range d.groups {
		for _, a := range g.members {
			states = append(states, SavedState{Port: a.settings.Name, Text: g.save(a.port)})
		}
	}
	slices.SortFunc(states, func(a, b SavedState) int { return strings.Compare(a.Port, b.Port) })
	return states
}

// save returns as text the state of the protocol machines of a port, taken between two rounds of its worker.
func (g *group) save(p *path.Port) (text string) {
	g.worker.Do(func(wire.Time) { text = string(snapshot.Save("port", p)) })
	return text
}
