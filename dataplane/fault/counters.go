package fault

// Counters counts the frames that arrived at the wire.
type Counters struct {
	Forwarded  uint64 `json:"wire_forwarded"` // delivered; a duplicated frame twice
	Dropped    uint64 `json:"wire_dropped"`
	Corrupted  uint64 `json:"wire_corrupted"`
	Duplicated uint64 `json:"wire_duplicated"`
	Reordered  uint64 `json:"wire_reordered"` // overtaken by at least one frame
	Marked     uint64 `json:"wire_marked"`    // with a mark of congestion instead of being lost
	Made       uint64 `json:"wire_made"`      // frames that rules have added
	Overrun    uint64 `json:"wire_overrun"`   // lost for want of room, in a queue or at an interface, not by chance
}

// Add adds the counts of o to the counts in c.
func (c *Counters) Add(o Counters) {
	c.Forwarded += o.Forwarded
	c.Dropped += o.Dropped
	c.Corrupted += o.Corrupted
	c.Duplicated += o.Duplicated
	c.Reordered += o.Reordered
	c.Marked += o.Marked
	c.Made += o.Made
	c.Overrun += o.Overrun
}
