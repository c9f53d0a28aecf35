package dataplane

import (
	"uelink/dataplane/model"
	"uelink/wire"
)

// Trimming returns a snapshot of the settings and counters of packet trimming of the whole data plane.
func (d *Dataplane) Trimming() model.TrimmingState {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := model.TrimmingState{Settings: d.settings.Trimming, Counters: d.trimmed}
	for _, g := range d.groups {
		g.worker.Do(func(wire.Time) { s.Counters.Add(g.domain.Trimming.Counters) })
	}
	return s
}

// clearTrimming sets the counters of packet trimming of the whole data plane to zero.
func (d *Dataplane) clearTrimming() {
	d.trimmed = model.TrimCounters{}
	for _, g := range d.groups {
		g.worker.Do(func(wire.Time) { g.domain.Trimming.Counters.Clear() })
	}
}

// setTrimming applies the settings of packet trimming to the domain of the xconnect or bridge, on its worker.
func (g *group) setTrimming(s model.TrimmingSettings) {
	g.worker.Do(func(wire.Time) { g.domain.ConfigureTrimming(s) })
}

// trimmed returns the trimming counters of a closed xconnect or bridge, with the waiting trimmed frames counted as
// dropped.
func (g *group) trimmed() model.TrimCounters {
	c := g.domain.Trimming.Counters
	c.DroppedTrimPackets += c.Waiting()
	return c
}
