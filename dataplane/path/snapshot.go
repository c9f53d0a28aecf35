package path

import (
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// State returns a snapshot of the part of a port's state that the worker has.
func (p *Port) State(now wire.Time) model.PortState {
	s := p.plainState(now)
	if p.link != nil {
		p.link.fill(&s, now)
	}
	return s
}

func (p *Port) plainState(now wire.Time) model.PortState {
	s := model.PortState{
		Protocol: p.settings.Protocol, Name: p.settings.Name, Interface: p.settings.Interface, Role: p.settings.Role,
		OperStatus: p.operStatus(), MTU: p.MTU, MAC: p.iface.mac, Speed: p.iface.speed,
		Queues: p.sockets(), RingSize: p.settings.RingSize,
		RxRingSize: p.settings.RxRing(), ChunkSize: p.chunkSize(),
		Counters: p.Counters, QueuedFrames: p.egress.waiting, QueueStats: p.egress.state(p.settings.Stops),
		StandsStill: p.findings.standstill.stands,
		PFC:         p.pfcState(now), Dropping: p.findings.drops.leaving.Now || p.findings.drops.entering.Now, Fault: p.dropsText(),
		FaultReasons: p.dropsReasons(), Unanswered: p.findings.asked.Unanswered(now),
		QoS: p.settings.QoS, Scheduler: p.settings.Scheduler, Trimming: p.settings.Trimming,
	}
	if p.Other != nil {
		s.XConnect = p.Other.settings.Name
	}
	return s
}

// sockets returns the number of RX queues for which the port has an AF_XDP socket.
func (p *Port) sockets() int {
	if p.HIPPI != nil && p.Attached() {
		return len(p.sources) - 1 // without the assembly
	}
	return len(p.sources)
}

// chunkSize returns the octets of a chunk of the port's devices. Without devices it returns the configured size: 0 is
// auto.
func (p *Port) chunkSize() int {
	if !p.Attached() {
		return p.settings.ChunkSize
	}
	return p.device().Geometry().ChunkSize
}

func (p *Port) operStatus() model.OperStatus {
	switch {
	case !p.Attached():
		return model.OperAbsent
	case p.iface.up:
		return model.OperUp
	}
	return model.OperDown
}

// state returns snapshots of those queues that have counts, waiting frames, or a bound, or are among stops.
func (e *egress) state(stops model.QueueStops) (list []model.QueueState) {
	for i, c := range e.counters {
		q, stopped, closed := &e.queues[i], stops.Stopped>>i&1 != 0, stops.Closed>>i&1 != 0
		if q.length > 0 || q.bound > 0 || stopped || closed || c != (model.QueueCounters{}) {
			list = append(list, model.QueueState{
				Queue: i, QueuedFrames: q.length, Occupancy: q.octets, Watermark: q.watermark, Bound: q.bound,
				Stopped: stopped, Closed: closed, QueueCounters: c,
			})
		}
	}
	return list
}

// fill sets those fields of a snapshot that only a link port has: LLR, CBFC, virtual channels and the partner.
func (l *Link) fill(s *model.PortState, now wire.Time) {
	s.Counters.TxFlushed = l.LLR.Counters().TxFlushedFrames
	if text := l.flushText(); text != "" {
		s.ErrorStatus = append(s.ErrorStatus, model.ErrorLLRTxFlush)
		s.ErrorText = string(model.ErrorLLRTxFlush) + ": " + text
	}
	frames, octets := l.LLR.Tx.Outstanding()
	problem := l.remedy()
	s.VCs, s.PartnerProblemReason, s.PartnerProblemCommand = l.vcs(), l.Partner.Problem().Reason(), problem.Command
	s.LLR = &model.LLRState{
		Mode: l.Port.settings.LLR.Mode, Local: l.local(), Remote: l.remote(), Profile: l.Port.settings.LLR.Profile,
		Dialect: l.Port.settings.Dialect, FCS: l.Port.settings.FCS,
		Encapsulation: l.Port.settings.Encapsulation, OtherStation: model.Address(l.strangers.otherStation),
		TxStatus: l.LLR.Tx.State(), RxStatus: l.LLR.Rx.State(), FlushReason: l.LLR.Tx.FlushReason(),
		PartnerKnown: l.Partner.Present(), PartnerBusy: l.Partner.Busy(), PartnerAway: l.absence.away,
		PartnerProblem:    problem.Text,
		OutstandingFrames: frames, OutstandingBytes: octets, Counters: *l.LLR.Counters(),
		Negotiation: l.negotiation(),
	}
	if l.reports.last.stalled {
		s.LLR.Stalled = l.stalledText()
	}
	s.LLR.MaxOutstandingFrames, s.LLR.MaxReplayTimer = l.LLR.Tx.Limits()
	timer, reason := l.LLR.Tx.ReplayTimer()
	s.LLR.ReplayTimer, s.LLR.ReplayTimerReason = timer, string(reason)
	s.LLR.Replay, s.LLR.ReplayTx, s.LLR.ReplayRx = l.buffered.kind, l.LLR.Tx.Replays(), l.LLR.Rx.Replays()
	s.LLR.ReplayReason, s.LLR.KeptFrames = string(l.replayReason()), l.LLR.Rx.CountKept()
	s.LLR.RecommendedReplay = l.buffered.kind
	if l.buffered.kind == llr.GoBackN {
		s.LLR.RecommendedReplay = l.LLR.Tx.AdviseReplay()
	}
	s.LLR.GoBackNGoodput, s.LLR.SelectiveGoodput, _ = l.LLR.Tx.Goodput()
	l.fillTimes(s.LLR)
	if loop, ok := l.LLR.Tx.LoopTime(); ok {
		s.LLR.LoopTime = &loop
		advice, _ := l.LLR.Tx.Advice()
		s.LLR.RecommendedOutstandingFrames, s.LLR.RecommendedReplayTimer = advice.MaxOutstandingFrames, advice.MaxReplayTimer
		s.LLR.RecommendedCreditLimit = l.advisedLimit(advice.LoopOctets)
	}
	if l.addressing.shim.Addressed {
		s.LLR.Sends = model.Addressed
	}
	if s.LLR.FlushReason != "" {
		s.LLR.FlushFrame = l.reports.flushed
	}
	if l.Port.settings.CBFC.On {
		c := l.creditsState(now)
		s.CBFC, s.Credits = &c, l.creditState()
	}
	if l.Partner.Present() {
		s.LLR.PartnerMAC = model.Address(l.Partner.MAC())
	}
}

// fillTimes sets the sequence numbers of LLR, the times of its states, and those between acknowledgements.
func (l *Link) fillTimes(s *model.LLRState) {
	s.TxSeq, s.RxNextSeq, s.StateTimes = l.LLR.Tx.NextSeq(), l.LLR.Rx.NextSeq(), l.LLR.StateTimes()
	sent, received, sentOK, receivedOK := l.LLR.AckSpacing()
	if sentOK {
		s.TxAckSpacing = &sent
	}
	if receivedOK {
		s.RxAckSpacing = &received
	}
}
