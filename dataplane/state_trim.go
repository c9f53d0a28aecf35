package dataplane

// TrimmingState is a snapshot of packet trimming of all ports.
type TrimmingState struct {
	Settings TrimmingSettings
	Counters TrimCounters // includes removed ports
}

// TrimCounters counts trimmed frames as SAI does: at the queue without room, at its port and at the switch. While no
// trimmed frame waits, TrimPackets = TxTrimPackets + DroppedTrimPackets.
type TrimCounters struct {
	// frames trimmed because the queue had no room; the queue counts them as dropped, too
	TrimPackets        uint64 `json:"trim_packets"`
	TxTrimPackets      uint64 `json:"tx_trim_packets"`      // trimmed frames sent
	DroppedTrimPackets uint64 `json:"dropped_trim_packets"` // trimmed frames dropped after all
}

// waiting returns the number of waiting trimmed frames.
func (c *TrimCounters) waiting() uint64 {
	return c.TrimPackets - c.TxTrimPackets - c.DroppedTrimPackets
}

// clear sets the counters to zero except for waiting frames, each of which will count once more.
func (c *TrimCounters) clear() { *c = TrimCounters{TrimPackets: c.waiting()} }

// add adds the counts of o.
func (c *TrimCounters) add(o TrimCounters) {
	c.TrimPackets += o.TrimPackets
	c.TxTrimPackets += o.TxTrimPackets
	c.DroppedTrimPackets += o.DroppedTrimPackets
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
