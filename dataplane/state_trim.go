package dataplane

// TrimmingState is a snapshot of packet trimming of all ports.
type TrimmingState struct {
	Settings TrimmingSettings
	Counters TrimCounters // of ports that have gone, too
}

// TrimCounters counts trimmed frames as SAI does: at the queue that had no room for them, at its
// port and at the switch. While none waits, TrimPackets = TxTrimPackets + DroppedTrimPackets.
type TrimCounters struct {
	// frames trimmed because the queue had no room; the queue counts them as dropped, too
	TrimPackets        uint64 `json:"trim_packets"`
	TxTrimPackets      uint64 `json:"tx_trim_packets"`      // trimmed frames sent
	DroppedTrimPackets uint64 `json:"dropped_trim_packets"` // trimmed frames dropped after all
}

// waiting is how many trimmed frames wait.
func (c *TrimCounters) waiting() uint64 {
	return c.TrimPackets - c.TxTrimPackets - c.DroppedTrimPackets
}

// clear sets the counters to zero, but for the frames that wait: each will count once more.
func (c *TrimCounters) clear() { *c = TrimCounters{TrimPackets: c.waiting()} }

// add adds what others have counted.
func (c *TrimCounters) add(o TrimCounters) {
	c.TrimPackets += o.TrimPackets
	c.TxTrimPackets += o.TxTrimPackets
	c.DroppedTrimPackets += o.DroppedTrimPackets
}

// Trimming is a snapshot of packet trimming.
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

// setTrimming gives a group the settings of trimming.
func (g *group) setTrimming(s TrimmingSettings) {
	g.worker.do(func(int64) { g.domain.configureTrimming(s) })
}

// trimmed is what a group that was closed has counted. What waited then is gone.
func (g *group) trimmed() TrimCounters {
	c := g.domain.trimming.counters
	c.DroppedTrimPackets += c.waiting()
	return c
}
