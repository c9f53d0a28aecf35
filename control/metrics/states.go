package metrics

import (
	"strings"

	"uelink/cbfc"
	"uelink/control/api"
	"uelink/dataplane"
	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/llr"
)

// words returns states as a list of plain strings.
func words[S ~string](states ...S) (list []string) {
	for _, s := range states {
		list = append(list, string(s))
	}
	return list
}

// states returns all possible values of the state that a JSON key names; nil if the key is not that of a state.
func states(key string) []string {
	switch key {
	case "phase":
		return []string{cbfc.BestEffort.String(), cbfc.Draining.String(), cbfc.Asking.String(), cbfc.Lossless.String()}
	case "threshold_mode":
		return []string{api.ThresholdNone, api.ThresholdStatic}
	case "state":
		return words(model.BridgePortForwarding, model.BridgePortBlocked, model.BridgePortDown)
	case "oper_status":
		return words(model.OperUp, model.OperDown, model.OperAbsent)
	case "admin_status":
		return words(model.AdminUp, model.AdminDown)
	case "tx_status":
		return []string{llr.TxOff.String(), llr.TxInit.String(), llr.TxAdvance.String(), llr.TxReplay.String(),
			llr.TxFlush.String()}
	case "link_state":
		return []string{hippi.Shutdown.String(), hippi.Normal.String(), hippi.Reset1.String(), hippi.Reset2.String(),
			hippi.Init1.String(), hippi.Init2.String()}
	case "tx_path":
		return []string{attach.PathAFXDP.String(), attach.PathLive.String()}
	case "replay_timer_reason":
		return words(llr.TimerReasons()...)
	case "replay", "recommended_replay":
		return []string{llr.GoBackN.String(), llr.Auto.String(), llr.Selective.String()}
	case "replay_tx", "replay_rx":
		return []string{llr.GoBackN.String(), llr.Selective.String()}
	case "replay_reason":
		return words(llr.ReplayReasons()...)
	case "push_back":
		return words(model.PushOn, model.PushOff, model.PushLossy)
	case "offload":
		return words(model.SuperOn, model.SuperOff, model.SuperFailed)
	case "rx_status":
		return []string{llr.RxOff.String(), llr.RxSendAcks.String(), llr.RxSendNack.String(), llr.RxNackSent.String()}
	}
	return nil
}

// forPeople reports whether the value under a JSON key is a text for people, or has addresses of other stations: as a
// label each text would make a time series. Problems and notices are exported by their reasons (faults, llrReasons).
func forPeople(key string) bool {
	switch key {
	case "error_text", "fault", "fault_reasons", "notice", "capture_ended", "bind_reason", "tx_path_reason",
		"push_back_reason", "offload_reason", "note", "failure", "flush_frame", "flush_reason", "stalled",
		"partner_problem",
		"partner_problem_reason", "partner_problem_command", "other_station", "partner_mac", "unanswered":
		return true
	}
	return false
}

// faults sends the present problems of a port and the kind of its last notice as metrics.
func (s *sender) faults(state model.PortState) {
	s.reasons("uelink_port_fault", "Problems that the port has now.", dataplane.FaultReasons(), state.FaultReasons...)
	s.reasons("uelink_port_notice", "Kind of the last notice about the port.", words(model.NoticeReasons()...),
		string(state.NoticeReason))
}

// llrReasons sends, as metrics of a link, the reason of the last FLUSH, whether frames are stalled, and the
// problem between the two ends.
func (s *sender) llrReasons(state model.PortState) {
	s.reasons("uelink_llr_partner_problem", "Problem between the two ends.", dataplane.PartnerProblemReasons(),
		state.PartnerProblemReason)
	var all []string
	for _, r := range llr.FlushReasons() {
		all = append(all, underscored(r))
	}
	s.reasons("uelink_llr_flush_reason", "Reason of the last FLUSH.", all, underscored(state.LLR.FlushReason))
	s.gauge("uelink_llr_stalled", "Replays bring no progress: the oldest frame is not acknowledged.",
		number(state.LLR.Stalled != ""))
}

// hippiReasons sends the metric uelink_hippi_partner_problem of a link that speaks HIPPI-6400-PH: for each possible
// problem between the two ends 1 if the link has it, else 0.
func (s *sender) hippiReasons(state model.PortState) {
	s.reasons("uelink_hippi_partner_problem", "Problem between the two ends.", dataplane.PartnerProblemReasons(),
		state.PartnerProblemReason)
}

// underscored returns a text with underscores for blanks: "replay count" is replay_count.
func underscored(text string) string { return strings.ReplaceAll(text, " ", "_") }
