package dataplane

import (
	"net"
)

// state is a snapshot of what the worker knows of a port.
func (p *port) state() PortState {
	return PortState{
		Name: p.settings.Name, Interface: p.settings.Interface, Role: p.settings.Role.String(),
		OperStatus: p.operStatus(), MTU: p.mtu, MAC: net.HardwareAddr(p.mac[:]).String(),
		Queues: len(p.devices), RingSize: p.settings.RingSize, ChunkSize: p.chunkSize(),
		ErrorStatus: []string{}, Counters: p.counters,
	}
}

// chunkSize is that of the devices; of a port without, what the settings say.
func (p *port) chunkSize() int {
	if len(p.devices) == 0 {
		return p.settings.ChunkSize
	}
	return p.devices[0].Geometry().ChunkSize
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
	if text := l.flushText(); text != "" {
		s.ErrorStatus = append(s.ErrorStatus, "llr_tx_flush")
		s.ErrorText = "llr_tx_flush: " + text
	}
	frames, octets := l.llr.Tx.Outstanding()
	s.LLR = &LLRState{
		Mode: l.settings.LLR.Mode.String(), Local: l.local(), Remote: l.remote(), Profile: l.settings.LLR.Profile,
		Dialect: l.settings.Dialect.String(), FCS: l.settings.FCS,
		TxStatus: l.llr.Tx.State().String(), RxStatus: l.llr.Rx.State().String(), FlushReason: l.llr.Tx.FlushReason(),
		Stalled: l.stalledText(), PartnerKnown: l.partner.Known(), PartnerBusy: l.partner.Busy(), PartnerProblem: l.problemText(),
		OutstandingFrames: frames, OutstandingBytes: octets, Counters: *l.llr.Counters(),
		Negotiation: l.negotiation(),
	}
	if s.LLR.FlushReason != "" {
		s.LLR.FlushFrame = l.flushed
	}
	if l.partner.Known() {
		mac := l.partner.MAC()
		s.LLR.PartnerMAC = net.HardwareAddr(mac[:]).String()
	}
	return s
}
