package llr

// Counters holds SAI's LLR port statistics (SAI-LLR) under their names in lower case, and below them the counters
// that SAI does not have.
type Counters struct {
	TxInitCtlOS     uint64 `json:"llr_tx_init_ctl_os"`
	TxInitEchoCtlOS uint64 `json:"llr_tx_init_echo_ctl_os"`
	TxAckCtlOS      uint64 `json:"llr_tx_ack_ctl_os"`
	TxNackCtlOS     uint64 `json:"llr_tx_nack_ctl_os"`
	TxDiscard       uint64 `json:"llr_tx_discard"`
	TxOK            uint64 `json:"llr_tx_ok"`
	TxPoisoned      uint64 `json:"llr_tx_poisoned"`
	TxReplay        uint64 `json:"llr_tx_replay"`

	RxInitCtlOS           uint64 `json:"llr_rx_init_ctl_os"`
	RxInitEchoCtlOS       uint64 `json:"llr_rx_init_echo_ctl_os"`
	RxAckCtlOS            uint64 `json:"llr_rx_ack_ctl_os"`
	RxNackCtlOS           uint64 `json:"llr_rx_nack_ctl_os"`
	RxAckNackSeqError     uint64 `json:"llr_rx_ack_nack_seq_error"`
	RxOK                  uint64 `json:"llr_rx_ok"`
	RxPoisoned            uint64 `json:"llr_rx_poisoned"`
	RxBad                 uint64 `json:"llr_rx_bad"`
	RxExpectedSeqGood     uint64 `json:"llr_rx_expected_seq_good"`
	RxExpectedSeqPoisoned uint64 `json:"llr_rx_expected_seq_poisoned"`
	RxExpectedSeqBad      uint64 `json:"llr_rx_expected_seq_bad"`
	RxMissingSeq          uint64 `json:"llr_rx_missing_seq"`
	RxDuplicateSeq        uint64 `json:"llr_rx_duplicate_seq"`
	RxReplay              uint64 `json:"llr_rx_replay"`

	TxFlush            uint64 `json:"tx_flush"`              // times FLUSH was entered
	TxFlushedFrames    uint64 `json:"tx_flushed_frames"`     // frames dropped from the replay buffer
	RxInitEchoMismatch uint64 `json:"rx_init_echo_mismatch"` // echoes that do not match the last LLR_INIT
	RxInitStale        uint64 `json:"rx_init_stale"`         // LLR_INITs ignored because they do not fit the known partner
	RxNotInitialized   uint64 `json:"rx_not_initialized"`    // sequenced frames before any LLR_INIT, discarded
	PartnerRestart     uint64 `json:"partner_restart"`       // restarts of the partner that were detected
	TxReinit           uint64 `json:"tx_reinit"`             // times LLR was initialised again because of a message of the partner
	// restarts of the partner after which it continued at its bookmark
	PartnerResumed uint64 `json:"partner_resumed"`
	// frames accepted before a restart, by the partner's bookmark, but not acknowledged: perhaps not forwarded
	TxUnconfirmed uint64 `json:"tx_unconfirmed"`
}
