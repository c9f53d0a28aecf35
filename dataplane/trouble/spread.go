package trouble

import "fmt"

// Data of a link must arrive by one RX queue. Frames of several queues overtake each other, and LLR takes the gaps for
// losses and asks for replays. A partner sends by its first queue, and a NIC finds nothing in a link frame to spread
// by, because RSS looks at IP headers. The check reports data that arrives by several queues all the same.

// fewChanges is the number of changes of the RX queue between two checks that is no trouble: a change of the NIC's
// queues causes one change, a partner that reopens its sockets another.
const fewChanges = 4

// CheckSpread compares changes, how often the data of a link has changed its RX queue so far, with the count at the
// last call. It reports whether the data arrives by several queues. The caller then reads further facts, which takes a
// while, and begins the trouble by BeginSpread. CheckSpread itself ends the trouble.
func (m *Monitor) CheckSpread(changes uint64) (spread bool) {
	old := min(m.changes, changes) // less if the counters were cleared
	m.changes = changes
	if changes-old > fewChanges {
		return true
	}
	m.End(Spread, "the data of the link comes by one RX queue")
	return false
}

// SpreadCure is how the data of a link could arrive by one RX queue.
type SpreadCure struct {
	Interface string // the kernel's name
	Rules     bool   // the NIC steers frames by rules
	EtherType uint16 // of data
	Queue     int    // RX queue into which the rule puts the data
	Fewer     string // advice, with the command, to use no more than one queue
}

// BeginSpread begins the trouble of data of a link that arrives by several RX queues.
func (m *Monitor) BeginSpread(c SpreadCure) {
	rule := ""
	if c.Rules {
		rule = fmt.Sprintf("have the NIC put EtherType %#04x into one queue (ethtool -N %s flow-type ether proto %#04x "+
			"action %d), or ", c.EtherType, c.Interface, c.EtherType, c.Queue)
	}
	m.Begin(Spread, fmt.Sprintf("the data of the link comes by several RX queues (rx_queue_changes), and "+
		"frames overtake each other, which LLR takes for losses: %s%s", rule, c.Fewer))
}
