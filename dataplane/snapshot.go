package dataplane

import (
	"net"

	"uelink/llr"
)

// state is a snapshot of what the worker knows of a port.
func (p *port) state() PortState {
	return PortState{
		Name: p.settings.Name, Interface: p.settings.Interface, Role: p.settings.Role,
		OperStatus: p.operStatus(), MTU: p.mtu, MAC: net.HardwareAddr(p.mac[:]).String(),
		Queues: len(p.devices), RingSize: p.settings.RingSize, ChunkSize: p.settings.ChunkSize,
		ErrorStatus: []string{}, Counters: p.counters,
	}
}

func (p *port) operStatus() string {
	switch {
	case len(p.devices) == 0:
		return "absent"
	case p.up:
		return "up"
	}
	return "down"
}

// state is a snapshot of a link port with its LLR side.
func (l *link) state() PortState {
	s := l.port.state()
	s.Counters.TxFlushed = l.llr.Counters().TxFlushedFrames
	if l.llr.Tx.State() == llr.TxFlush {
		s.ErrorStatus = append(s.ErrorStatus, "llr_tx_flush")
	}
	frames, octets := l.llr.Tx.Outstanding()
	s.LLR = &LLRState{
		Mode: l.settings.LLR.Mode, Local: l.local, Remote: l.remote, Profile: l.settings.LLR.Profile,
		Dialect: l.settings.Dialect.String(), FCS: l.settings.FCS,
		TxStatus: l.llr.Tx.State().String(), RxStatus: l.llr.Rx.State().String(), FlushReason: l.llr.Tx.FlushReason(),
		PartnerKnown: l.partner.known, PartnerProblem: l.problemText(),
		OutstandingFrames: frames, OutstandingBytes: octets, Counters: *l.llr.Counters(),
		Negotiation: l.negotiation(),
	}
	if l.partner.known {
		s.LLR.PartnerMAC = net.HardwareAddr(l.partner.mac[:]).String()
	}
	return s
}
