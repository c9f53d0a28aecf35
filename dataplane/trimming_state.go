package dataplane

// TrimmingState is a snapshot of packet trimming of all ports.
type TrimmingState struct {
	Settings TrimmingSettings
	Counters TrimCounters // includes removed ports
}

// Trimming returns a snapshot of packet trimming.
func (d *Dataplane) Trimming() TrimmingState {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := TrimmingState{Settings: d.settings.Trimming, Counters: d.trimmed}
	for _, g := range d.groups {
		g.worker.do(func(int64) { s.Counters.add(g.domain.trimming.counters) })
	}
	return s
}

// clearTrimming sets the counters of the switch to zero.
func (d *Dataplane) clearTrimming() {
	d.trimmed = TrimCounters{}
	for _, g := range d.groups {
		g.worker.do(func(int64) { g.domain.trimming.counters.clear() })
	}
}

// setTrimming passes the settings of trimming to the group's domain.
func (g *group) setTrimming(s TrimmingSettings) {
	g.worker.do(func(int64) { g.domain.configureTrimming(s) })
}

// trimmed returns the counters of a closed group, with the waiting trimmed frames counted as dropped.
func (g *group) trimmed() TrimCounters {
	c := g.domain.trimming.counters
	c.DroppedTrimPackets += c.waiting()
	return c
}
