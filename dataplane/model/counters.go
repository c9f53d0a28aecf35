package model

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

// QueueCounters counts the frames of one queue of a port.
type QueueCounters struct {
	TxFrames uint64 `json:"tx_frames"` // frames sent from the queue
	TxOctets uint64 `json:"tx_octets"` // octets of the frames sent from the queue, without shim and FCS
	Dropped  uint64 `json:"dropped"`   // frames dropped because the queue had no room, or was closed by SAI
	// octets of the frames dropped because the queue had no room, or was closed by SAI
	DroppedOctets uint64 `json:"dropped_octets"`
	TrimCounters
}

// Sent counts a frame of n octets sent from the queue.
func (c *QueueCounters) Sent(n int) {
	c.TxFrames++
	c.TxOctets += uint64(n)
}

// Drop counts a frame of n octets dropped before it could wait in the queue.
func (c *QueueCounters) Drop(n int) {
	c.Dropped++
	c.DroppedOctets += uint64(n)
}

// PortCounters counts frames (octets where the name says octets) of one port.
type PortCounters struct {
	RxFrames uint64 `json:"rx_frames"` // frames received from the interface, all kinds
	RxOctets uint64 `json:"rx_octets"` // octets of the received frames, without FCS
	TxFrames uint64 `json:"tx_frames"` // frames sent to the interface, all kinds
	TxOctets uint64 `json:"tx_octets"` // octets of the sent frames, without FCS

	// edge that pushes back: system calls that asked the kernel for the frames of the host
	RxAsks uint64 `json:"rx_asks"`
	// edge that pushes back: system calls that left the frames with the host, because there was no room for them
	RxHolds uint64 `json:"rx_holds"`
	// edge that pushes back: received frames that came by the kernel's watchdog, because the daemon did not ask in time
	RxWatchdog uint64 `json:"rx_watchdog"`

	// received frames dropped because they are shorter than an Ethernet header
	RxRunt uint64 `json:"rx_runt"`
	// received frames dropped because the other port cannot carry their length
	RxOversized    uint64 `json:"rx_oversized"`
	RxDropDetached uint64 `json:"rx_drop_detached"` // edge: waiting frames dropped because their interface went away
	RxOwnEtherType uint64 `json:"rx_own_ethertype"` // edge: frames of a host with an EtherType of the link, dropped
	// PAUSE, PFC and other MAC Control frames that were not forwarded: from a host, or from the partner in a shim
	RxMACControl uint64 `json:"rx_mac_control"`
	// LLDP frames not forwarded: from a host, tagged or to an address that bridges forward; from the partner in a shim
	RxLLDP uint64 `json:"rx_lldp"`
	// edge: frames of the host with unfinished checksums, which the daemon finished; offloads are on at the host
	RxUnfinishedChecksum uint64 `json:"rx_unfinished_checksum"`
	// link: data frames dropped because they are too short for their shim
	RxShimTruncated uint64 `json:"rx_shim_truncated"`
	// link: data frames dropped because their preamble image is in no dialect
	RxShimBadSFD uint64 `json:"rx_shim_bad_sfd"`
	// link: data frames dropped because reserved bits or octets of their shim are set
	RxShimReserved uint64 `json:"rx_shim_reserved"`
	// link: data frames dropped because their preamble image is of the other dialect
	RxOtherDialect uint64 `json:"rx_other_dialect"`
	// link: control frames dropped because their EtherType is not that of this port
	RxOtherEtherType uint64 `json:"rx_other_ethertype"`
	// link: unsequenced frames dropped because their FCS image is bad or poisoned
	RxBareBadFCS uint64 `json:"rx_bare_bad_fcs"`
	RxBare       uint64 `json:"rx_bare"`   // link: unsequenced frames delivered
	RxNative     uint64 `json:"rx_native"` // link: native frames delivered, before the partner's first shim
	// link: native frames dropped: from a partner that shims, with a damaged shim, or of a kind never carried
	RxNativeDropped uint64 `json:"rx_native_dropped"`
	// link: control and addressed frames dropped because they are from or for a station that is not the partner
	RxOtherStation uint64 `json:"rx_other_station"`
	// link: frames dropped because they are of the other link protocol than this port's
	RxOtherProtocol uint64 `json:"rx_other_protocol"`
	// link: control frames and frames of micropackets that this port has sent and that came back
	RxLooped uint64 `json:"rx_looped"`
	// link: frames dropped because their virtual channel does not exist
	RxVC uint64 `json:"rx_vc_unknown"`
	// received frames dropped because all chunks for waiting frames are in use
	RxDropNoBuffer uint64 `json:"rx_drop_no_buffer"`
	// link: frames of rx_drop_no_buffer on channels under credits: the partner sent more than its credits allow
	RxDropLossless uint64 `json:"rx_drop_lossless"`
	// edge: frames dropped because the host sent them in a priority that PFC had stopped
	RxDropPFC uint64 `json:"rx_drop_pfc"`
	// frames for the port that came by an RX queue without a socket and went to the host's network
	RxNoSocket uint64 `json:"rx_no_socket"`
	// link: batches of data that came by a different RX queue than the batch before
	RxQueueChanges uint64 `json:"rx_queue_changes"`
	// link: data frames refused while the edge stood still; with LLR the partner sends them again
	RxRefused uint64 `json:"rx_refused"`

	RxControl uint64 `json:"rx_control"` // link: control frames accepted
	// link: control frames dropped because they are shorter than their ordered sets
	RxControlTruncated uint64 `json:"rx_control_truncated"`
	RxControlCRC       uint64 `json:"rx_control_crc"`     // link: control frames dropped because their CRC is wrong
	RxControlVersion   uint64 `json:"rx_control_version"` // link: control frames dropped because of an unknown version
	// link: control frames dropped because their count of ordered sets is out of range
	RxControlCount    uint64 `json:"rx_control_count"`
	RxControlReserved uint64 `json:"rx_control_reserved"` // link: control frames dropped because a reserved field is set
	// link: ordered sets of unknown type skipped in valid control frames
	RxControlType uint64 `json:"rx_control_type"`
	TxControl     uint64 `json:"tx_control"` // link: control frames sent

	TxBare   uint64 `json:"tx_bare"`   // link: frames sent unsequenced, in a shim
	TxNative uint64 `json:"tx_native"` // link: frames sent native, because the partner is not known
	// link: frames dropped because the partner is not known, and the frames must not or cannot be sent native
	TxDropNoPartner uint64 `json:"tx_drop_no_partner"`
	TxDropDown      uint64 `json:"tx_drop_down"` // frames dropped because the interface is down or absent
	// frames dropped because their queue holds its share of chunks, or its queue_octets
	TxDropQueueFull uint64 `json:"tx_drop_queue_full"`
	// frames dropped because SAI has closed their queue (PKT_ENQUEUE_ENABLE false)
	TxDropQueueClosed uint64 `json:"tx_drop_queue_closed"`
	TxFlushed         uint64 `json:"tx_flushed"` // link: frames dropped from the replay buffer
	// link: frames sent poisoned, and so dropped by the partner, because their copy for replays has changed in memory
	TxDropChanged uint64 `json:"tx_drop_changed"`
	TxKicks       uint64 `json:"tx_kicks"` // system calls that made the kernel send frames

	TrimCounters
}
