package path

// TrimCounters counts trimmed frames as SAI does: at the queue without room, at its port and at the switch. While no
// trimmed frame waits, TrimPackets = TxTrimPackets + DroppedTrimPackets.
type TrimCounters struct {
	// frames trimmed because the queue had no room; the queue counts them as dropped, too
	TrimPackets        uint64 `json:"trim_packets"`
	TxTrimPackets      uint64 `json:"tx_trim_packets"`      // trimmed frames sent
	DroppedTrimPackets uint64 `json:"dropped_trim_packets"` // trimmed frames dropped after all
}

// Waiting returns how many of the counted trimmed frames have neither been sent nor dropped yet.
func (c *TrimCounters) Waiting() uint64 {
	return c.TrimPackets - c.TxTrimPackets - c.DroppedTrimPackets
}

// Clear sets the counters to zero, except that trimmed frames still waiting stay counted as trimmed.
func (c *TrimCounters) Clear() { *c = TrimCounters{TrimPackets: c.Waiting()} }

// Add adds the counts of o to c.
func (c *TrimCounters) Add(o TrimCounters) {
	c.TrimPackets += o.TrimPackets
	c.TxTrimPackets += o.TxTrimPackets
	c.DroppedTrimPackets += o.DroppedTrimPackets
}
