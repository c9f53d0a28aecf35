package model

// DeviceCounters counts frames that the kernel dropped at an interface, outside of the sockets, since
// the interface was attached.
type DeviceCounters struct {
	// received frames for which the NIC had no memory (rx_missed_errors of the kernel)
	RxMissed  uint64 `json:"rx_missed"`
	TxErrors  uint64 `json:"tx_errors"`  // frames that the driver failed to send
	TxDropped uint64 `json:"tx_dropped"` // frames for which the driver, or the other end of a veth, had no room
	// edge on a veth: frames that the host's end dropped before they reached the edge
	HostTxDropped uint64 `json:"host_tx_dropped"`
	// edge on a veth: frames that the queueing discipline of the host's end dropped
	HostQdiscDropped uint64 `json:"host_qdisc_dropped"`
	// edge on a veth: frames of the host that the kernel dropped at the edge's end, longer than its MTU (with one VLAN
	// tag)
	RxTooLong uint64 `json:"rx_too_long"`
}

// Sub subtracts the earlier counts o from c. A count smaller than the earlier count has been reset, and is left
// unchanged.
func (c *DeviceCounters) Sub(o DeviceCounters) {
	for _, p := range []struct {
		now    *uint64
		before uint64
	}{
		{&c.RxMissed, o.RxMissed}, {&c.TxErrors, o.TxErrors}, {&c.TxDropped, o.TxDropped},
		{&c.HostTxDropped, o.HostTxDropped}, {&c.HostQdiscDropped, o.HostQdiscDropped},
		{&c.RxTooLong, o.RxTooLong},
	} {
		if *p.now >= p.before {
			*p.now -= p.before
		}
	}
}

// Dropped returns how many frames received by a port went no further, and how many frames to be sent by the port were
// not sent: the sums of its counters of such frames. Damaged frames, frames that must not be forwarded (PAUSE, LLDP),
// and frames replayed by LLR do not count.
func (s *PortState) Dropped() (rx, tx uint64) {
	c, d := &s.Counters, &s.Device
	rx = c.RxRunt + c.RxOversized + c.RxDropDetached + c.RxOwnEtherType + c.RxVC + c.RxDropNoBuffer +
		c.RxNoSocket + d.RxMissed + d.HostTxDropped + d.HostQdiscDropped + d.RxTooLong
	tx = c.TxDropNoPartner + c.TxDropDown + c.TxDropQueueFull + c.TxDropQueueClosed + c.TxFlushed + c.TxDropChanged +
		d.TxErrors + d.TxDropped
	if s.Sockets != nil {
		k := &s.Sockets.Stats
		rx += k.RxDropped + k.RxRingFull + k.JoinDrops.All() + k.RxSuperMalformed + k.RxSuperNoRoom
		tx += k.TxInvalidDescs + k.TxSuperRefused
	}
	if s.LLR != nil {
		tx += s.LLR.Counters.TxDiscard
	}
	if s.CBFC != nil {
		tx += s.CBFC.Counters.TooLong
	}
	if s.HIPPI != nil {
		m := &s.HIPPI.Counters
		rx += m.RxMessageError + m.RxRefused + m.RxLostAtReset
		tx += m.TxRejected + m.TxShutdownDiscard + m.TxLostAtReset
	}
	return rx, tx
}
