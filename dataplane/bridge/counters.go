package bridge

// Counters holds the counters of a bridge. The int fields go up and down; the others count up from New.
type Counters struct {
	FDBEntries       int    `json:"fdb_entries"`       // addresses in the table now
	FDBStatic        int    `json:"fdb_static"`        // static addresses in the table
	FDBLearned       uint64 `json:"fdb_learned"`       // addresses learned
	FDBAged          uint64 `json:"fdb_aged"`          // addresses removed because of their age
	FDBMoves         uint64 `json:"fdb_moves"`         // moves of an address to another port
	FDBMovesRefused  uint64 `json:"fdb_moves_refused"` // frames from a static address at another port
	FDBFlapping      uint64 `json:"fdb_flapping"`      // addresses that began to move back and forth
	FDBFull          uint64 `json:"fdb_full"`          // frames whose source address found no room
	RxDropPort       uint64 `json:"rx_drop_port"`      // frames to a port that is not in the bridge
	EventsSuppressed uint64 `json:"events_suppressed"` // events beyond the rate limit
	EventsLost       uint64 `json:"events_lost"`       // events that the owner fetched too late
}

// PortCounters holds the counters of a port since it was added, in frames.
type PortCounters struct {
	RxUnicast            uint64 `json:"rx_unicast"` // admitted, to an address in the table
	RxUnknown            uint64 `json:"rx_unknown"` // admitted, to another address
	RxBroadcast          uint64 `json:"rx_broadcast"`
	RxMulticast          uint64 `json:"rx_multicast"`
	RxDropBlocked        uint64 `json:"rx_drop_blocked"`
	RxDropSource         uint64 `json:"rx_drop_source"`
	RxDropReserved       uint64 `json:"rx_drop_reserved"`
	RxDropVLAN           uint64 `json:"rx_drop_vlan"`
	RxDropStormBroadcast uint64 `json:"rx_drop_storm_broadcast"`
	RxDropStormUnknown   uint64 `json:"rx_drop_storm_unknown"`
	RxDropStormMulticast uint64 `json:"rx_drop_storm_multicast"`
	RxDropSamePort       uint64 `json:"rx_drop_same_port"`
	RxDropEgressVLAN     uint64 `json:"rx_drop_egress_vlan"`
	RxDropIsolated       uint64 `json:"rx_drop_isolated"`
	TxDropBlocked        uint64 `json:"tx_drop_blocked"`   // frames that would have left by this port
	LoopGuardBlocks      uint64 `json:"loop_guard_blocks"` // times that the port was blocked
}

// Counters returns a copy of the bridge's counters.
func (b *Bridge) Counters() Counters {
	c := b.counters
	c.FDBEntries, c.FDBStatic = b.table.count, b.static()
	c.EventsSuppressed, c.EventsLost = b.events.suppressed, b.events.lost
	return c
}

// PortCounters returns a copy of the counters of port n; all are 0 without such a port.
func (b *Bridge) PortCounters(n int) PortCounters {
	p := b.port(n)
	if p == nil {
		return PortCounters{}
	}
	return PortCounters{
		RxUnicast: p.admitted[Unicast], RxUnknown: p.admitted[Unknown],
		RxBroadcast: p.admitted[Broadcast], RxMulticast: p.admitted[Multicast],
		RxDropBlocked:        p.drops[DropBlocked],
		RxDropSource:         p.drops[DropSource],
		RxDropReserved:       p.drops[DropReserved],
		RxDropVLAN:           p.drops[DropVLAN],
		RxDropStormBroadcast: p.drops[DropStormBroadcast],
		RxDropStormUnknown:   p.drops[DropStormUnknown],
		RxDropStormMulticast: p.drops[DropStormMulticast],
		RxDropSamePort:       p.drops[DropSamePort],
		RxDropEgressVLAN:     p.drops[DropEgressVLAN],
		RxDropIsolated:       p.drops[DropIsolated],
		TxDropBlocked:        p.drops[DropEgressBlocked],
		LoopGuardBlocks:      p.blocks,
	}
}
