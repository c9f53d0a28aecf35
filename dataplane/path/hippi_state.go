package path

import (
	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/wire"
)

// fill sets those fields of a snapshot that only a HIPPI-6400-PH link has.
func (h *HIPPI) fill(s *model.PortState, now wire.Time) {
	status, p := h.End.StatusRequest(), &h.Port.settings.HIPPI.Profile
	s.VCs = hippi.VCs
	problem := h.problem(now)
	r := h.remedy(problem)
	s.PartnerProblemReason, s.PartnerProblemCommand = problem.kind.Reason(), r.Command
	s.HIPPI = &model.HIPPIState{
		LinkState: status.State.String(), Ready: h.End.Ready(), Activity: status.Activity, FCS: h.Port.settings.FCS,
		VC3:        h.End.VC3(),
		PartnerMAC: model.Address(h.partner), PartnerProblem: r.Text,
		Outstanding: h.End.Source().Outstanding(), LoopTime: h.End.Source().LoopTime(),
		Timeouts: model.HIPPITimeouts{
			ACK: h.End.ACKTimeout(), Activity: p.Activity, Silence: p.Silence, Credit: p.Credit, HoldOff: p.HoldOff,
			DeadMan: p.DeadMan, Stall: h.End.StallTimeout(), Recover: h.Port.settings.HIPPI.Recover, Retries: p.Retries,
		},
		Events: hippiEvents(&status.Events), Counters: h.End.Counters, Frames: h.count,
	}
	for vc := range uint8(hippi.VCs) {
		s.HIPPI.Channels = append(s.HIPPI.Channels, h.channelState(vc, &status.Events))
	}
}

// hippiEvents returns the counts of those logged events of a link that belong to no single virtual channel.
func hippiEvents(e *hippi.Events) model.HIPPIEvents {
	return model.HIPPIEvents{
		ECRCError: uint64(e.ECRCError), ECRCSourceError: uint64(e.ECRCSourceError), LCRCError: uint64(e.LCRCError),
		OverrunError: uint64(e.OverrunError), UnderrunError: uint64(e.UnderrunError),
		ResetInitializeError: uint64(e.ResetInitializeError), RetryCount: uint64(e.RetryCount),
		RetryFailureError: uint64(e.RetryFailureError), RSEQMissingError: uint64(e.RSEQMissingError),
		RSEQOutOfRangeError: uint64(e.RSEQOutOfRangeError), TSEQError: uint64(e.TSEQError),
		UndefinedTypeValue: int(e.UndefinedTypeValue),
	}
}

// channelState returns a snapshot of the state and counters of virtual channel vc.
func (h *HIPPI) channelState(vc uint8, e *hippi.Events) model.HIPPIChannel {
	return model.HIPPIChannel{
		VC: int(vc), Credits: int(h.End.Source().Credit(vc)), Leaving: h.out.leaves>>vc&1 != 0,
		Buffer: int(h.Port.settings.HIPPI.Profile.Buffers[vc]), Buffered: h.End.Destination().Waiting(vc),
		FreeChunks:     len(h.in.assembly.free[vc]),
		AdminTailError: uint64(e.AdminTailError[vc]), CreditOverflowError: uint64(e.CreditOverflowError[vc]),
		CreditTimeoutError:         uint64(e.CreditTimeoutError[vc]),
		MissingEndOfMessageError:   uint64(e.MissingEndOfMessageError[vc]),
		MissingStartOfMessageError: uint64(e.MissingStartOfMessageError[vc]),
		RxVCBufferOverflow:         uint64(e.RxVCBufferOverflow[vc]), StallTimeoutError: uint64(e.StallTimeoutError[vc]),
		UndefinedTypeError: uint64(e.UndefinedTypeError[vc]),
	}
}
