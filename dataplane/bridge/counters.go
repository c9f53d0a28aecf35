package bridge

// Counters holds the counters of a bridge. The int fields go up and down; the others count up from New.
type Counters struct {
	FDBEntries       int    `json:"fdb_entries"`       // addresses in the table now, static ones included
	FDBStatic        int    `json:"fdb_static"`        // static addresses in the table now
	FDBLearned       uint64 `json:"fdb_learned"`       // addresses learned
	FDBAged          uint64 `json:"fdb_aged"`          // addresses removed because of their age
	FDBMoves         uint64 `json:"fdb_moves"`         // moves of a learned address to another port
	FDBMovesRefused  uint64 `json:"fdb_moves_refused"` // frames from a static address at a port that is not its own
	FDBFlapping      uint64 `json:"fdb_flapping"`      // addresses that began to move back and forth between ports
	FDBFull          uint64 `json:"fdb_full"`          // frames from new addresses for which the table had no room
	RxDropPort       uint64 `json:"rx_drop_port"`      // frames dropped because they came to a port outside the bridge
	EventsSuppressed uint64 `json:"events_suppressed"` // events beyond the limit of reports in a second
	EventsLost       uint64 `json:"events_lost"`       // events lost because they were not read in time
}

// PortCounters holds the counters of a port since it was added, in frames.
type PortCounters struct {
	RxUnicast     uint64 `json:"rx_unicast"`      // frames accepted for an address in the table
	RxUnknown     uint64 `json:"rx_unknown"`      // frames accepted for a unicast address not in the table
	RxBroadcast   uint64 `json:"rx_broadcast"`    // broadcast frames accepted
	RxMulticast   uint64 `json:"rx_multicast"`    // multicast frames accepted
	RxDropBlocked uint64 `json:"rx_drop_blocked"` // frames dropped because the loop guard blocks the port
	// frames dropped because their source address is a group or zero
	RxDropSource uint64 `json:"rx_drop_source"`
	// frames dropped because their destination must not leave the link
	RxDropReserved uint64 `json:"rx_drop_reserved"`
	// frames dropped because the port is not in their VLAN, or they are in none
	RxDropVLAN           uint64 `json:"rx_drop_vlan"`
	RxDropStormBroadcast uint64 `json:"rx_drop_storm_broadcast"` // broadcast frames dropped beyond broadcast_limit
	// frames to unknown unicast addresses dropped beyond unknown_unicast_limit
	RxDropStormUnknown   uint64 `json:"rx_drop_storm_unknown"`
	RxDropStormMulticast uint64 `json:"rx_drop_storm_multicast"` // multicast frames dropped beyond multicast_limit
	// frames dropped because their destination is behind the port they came by
	RxDropSamePort uint64 `json:"rx_drop_same_port"`
	// frames dropped because the port of their destination is not in their VLAN
	RxDropEgressVLAN uint64 `json:"rx_drop_egress_vlan"`
	// frames dropped because source and destination are behind isolated ports
	RxDropIsolated uint64 `json:"rx_drop_isolated"`
	// frames for this port dropped because the loop guard blocks it
	TxDropBlocked   uint64 `json:"tx_drop_blocked"`
	LoopGuardBlocks uint64 `json:"loop_guard_blocks"` // times the loop guard blocked the port
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
