package dataplane

import (
	"net"
)

// state is a snapshot of what the worker knows of a port.
func (p *port) state() PortState {
	s := p.plainState()
	if p.link != nil {
		p.link.fill(&s)
	}
	return s
}

func (p *port) plainState() PortState {
	s := PortState{
		Name: p.settings.Name, Interface: p.settings.Interface, Role: p.settings.Role.String(),
		OperStatus: p.operStatus(), MTU: p.mtu, MAC: net.HardwareAddr(p.mac[:]).String(),
		Queues: len(p.sources), RingSize: p.settings.RingSize, ChunkSize: p.chunkSize(),
		ErrorStatus: []string{}, Counters: p.counters, QueuedFrames: p.waiting, StandsStill: p.still.stands,
	}
	if p.other != nil {
		s.XConnect = p.other.settings.Name
	}
	return s
}

// chunkSize is that of the devices; of a port without, what the settings say.
func (p *port) chunkSize() int {
	if !p.attached() {
		return p.settings.ChunkSize
	}
	return p.device().Geometry().ChunkSize
}

func (p *port) operStatus() string {
	switch {
	case !p.attached():
		return "absent"
	case p.up:
		return "up"
	}
	return "down"
}

// fill adds the LLR side of a link port.
func (l *link) fill(s *PortState) {
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
}
