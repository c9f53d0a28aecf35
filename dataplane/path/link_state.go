package path

import (
	"strconv"

	"uelink/dataplane/model"
	"uelink/dataplane/negotiation"
	"uelink/internal/snapshot"
	"uelink/llr"
	"uelink/wire"
)

// fill sets those fields of a snapshot that only a link port has: LLR, CBFC, virtual channels and the partner.
// Clauses: SAI-LLR/port.5, SAI-LLR/error-status.1.
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

// passState saves the state of a link to a snapshot, or restores it, except the state that Port.passState covers.
func (l *Link) passState(s *snapshot.State) {
	s.Group("llr", l.LLR.PassState)
	s.Group("cbfc", l.cbfc.PassState)
	s.Group("partner", l.Partner.PassState)
	s.Group("negotiation", l.modes.machine.PassState)
	snapshot.Number(s, "pace_limit", &l.pace.limit)
	snapshot.Number(s, "pace_apart", &l.pace.apart)
	snapshot.Number(s, "pace_run", &l.pace.run)
	snapshot.Number(s, "fresh", &l.pace.fresh)
	snapshot.Number(s, "replayed", &l.pace.replayed)
	s.Bool("queued", &l.pace.queued)
	snapshot.Number(s, "at_once", &l.pace.atOnce)
	s.Bool("holding", &l.pushback.holding)
	s.Bool("refusing", &l.pushback.refusing)
	s.Struct("agreed", &l.modes.agreed)
	snapshot.Number(s, "transmitter", &l.modes.transmitter)
	snapshot.Number(s, "receiver", &l.modes.receiver)
	s.Struct("self", &l.self)
	s.Bool("shim_only", &l.addressing.shimOnly)
	l.passLengths(s)
	l.passPartner(s)
	l.passCredits(s)
	from := 0
	for i, t := range l.Port.sources {
		if t == l.dataFrom {
			from = i + 1
		}
	}
	snapshot.Number(s, "data_from", &from)
	if s.Check(from >= 0 && from <= len(l.Port.sources), "data from queue %d", from-1); s.Restoring() && s.Valid() &&
		from > 0 {
		l.dataFrom = l.Port.sources[from-1]
	}
	snapshot.Number(s, "heard", &l.Heard)
	s.Group("told", l.reports.last.passState)
	snapshot.Number(s, "told_to", &l.reports.reportedTo)
	snapshot.Number(s, "stall_since", &l.reports.stallSince)
	count := l.LLR.Rx.CountKept()
	s.Check(count+len(l.buffered.free) == len(l.buffered.frames), "%d frames are kept", count)
	if s.Restoring() {
		l.offerReplay()           // which replay LLR has follows from the settings and sockets of this process
		l.Bookmark.save(l.LLR.Rx) // the bookmark's file may be another one now
		l.LLR.Rx.KeepFrames()     // Settle has forwarded all frames
	}
	s.Check(l.modes.transmitter <= negotiation.Retiring && l.modes.receiver <= negotiation.Retiring, "LLR modes %d and %d",
		l.modes.transmitter, l.modes.receiver)
}

// passLengths saves the link's frame lengths, shim and outer addresses to a snapshot, or restores them.
func (l *Link) passLengths(s *snapshot.State) {
	snapshot.Number(s, "carries", &l.Lengths.Carries)
	snapshot.Number(s, "longest", &l.Lengths.longest)
	snapshot.Number(s, "takes", &l.Lengths.takes)
	snapshot.Number(s, "most", &l.Lengths.most)
	snapshot.Number(s, "channels", &l.channels)
	s.Struct("shim", &l.addressing.shim)
	snapshot.Numbers(s, "outer", l.addressing.outer[:])
	snapshot.Numbers(s, "control_to", l.addressing.controlTo[:])
	snapshot.Numbers(s, "other_station", l.strangers.otherStation[:])
	snapshot.Number(s, "calm_at", &l.reports.calmAt)
	snapshot.Number(s, "other_seen", &l.strangers.otherSeen)
	snapshot.Number(s, "other_at", &l.strangers.otherAt)
	snapshot.Numbers(s, "sent_to", l.strangers.sentTo[:])
	s.Check(l.channels >= 0 && l.channels < len(l.account.unacked), "%d channels", l.channels)
}

// passPartner saves to a snapshot, or restores, which end of the link is away for a restart and since when, results
// of LLDP postponed meanwhile, and flushes.
func (l *Link) passPartner(s *snapshot.State) {
	s.Bool("introduces", &l.absence.introduces)
	s.Bool("away", &l.absence.away)
	s.Bool("leaving", &l.absence.leaving.on)
	snapshot.Number(s, "leaving_since", &l.absence.leaving.since)
	snapshot.Number(s, "leaving_back", &l.absence.leaving.back)
	s.Bool("resumes", &l.Bookmark.resumes)
	s.Struct("past", &l.Bookmark.past)
	s.Struct("postponed", &l.modes.postponed)
	snapshot.Number(s, "postponed_to", &l.absence.postponedTo)
	snapshot.Number(s, "drain", &l.modes.drain)
	snapshot.Number(s, "flushes", &l.reports.flushes)
	snapshot.Text(s, "flushed", &l.reports.flushed)
}

// passCredits saves the link's own state of credits, beside that of the CBFC machine, to a snapshot, or restores it.
func (l *Link) passCredits(s *snapshot.State) {
	s.Bool("credit_on", &l.credit.on)
	snapshot.Number(s, "credit_switched", &l.credit.switched)
	snapshot.Number(s, "credit_asked", &l.credit.asked)
	s.Struct("credit_trouble", &l.creditReports.trouble)
	snapshot.Number(s, "credit_lossless", &l.credit.lossless)
	snapshot.Number(s, "credit_leaves", &l.credit.leaves)
	s.Struct("env", &l.account.env)
	snapshot.Numbers(s, "unacked", l.account.unacked[:])
	t := &l.creditReports
	snapshot.Number(s, "credits_moving", &t.moving)
	snapshot.Number(s, "credits_counted", &t.counted)
	snapshot.Number(s, "credits_at", &t.at)
	snapshot.Number(s, "credits_losses", &t.losses)
	s.Bool("credits_live", &t.live)
	s.Group("credits_too_long", t.tooLong.PassState)
	for vc := range t.vc {
		s.Group("credits"+strconv.Itoa(vc), t.vc[vc].passState)
	}
}
