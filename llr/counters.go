package llr

// Counters holds SAI's LLR port statistics (SAI-LLR) under their names in lower case, and below them the counters
// that SAI does not have.
// Clauses: SAI-LLR/counter.1-13.
type Counters struct {
	TxInitCtlOS     uint64 `json:"llr_tx_init_ctl_os"`      // LLR_INIT ordered sets sent
	TxInitEchoCtlOS uint64 `json:"llr_tx_init_echo_ctl_os"` // LLR_INIT_ECHO ordered sets sent
	TxAckCtlOS      uint64 `json:"llr_tx_ack_ctl_os"`       // LLR_ACK ordered sets sent
	TxNackCtlOS     uint64 `json:"llr_tx_nack_ctl_os"`      // LLR_NACK ordered sets sent
	// frames discarded by the transmitter while LLR does not carry them
	TxDiscard  uint64 `json:"llr_tx_discard"`
	TxOK       uint64 `json:"llr_tx_ok"`       // sequenced frames sent, replayed frames included
	TxPoisoned uint64 `json:"llr_tx_poisoned"` // sequenced frames sent with a poisoned FCS image
	TxReplay   uint64 `json:"llr_tx_replay"`   // replays sent; each sends one or more frames again

	RxInitCtlOS     uint64 `json:"llr_rx_init_ctl_os"`      // LLR_INIT ordered sets received
	RxInitEchoCtlOS uint64 `json:"llr_rx_init_echo_ctl_os"` // LLR_INIT_ECHO ordered sets received
	RxAckCtlOS      uint64 `json:"llr_rx_ack_ctl_os"`       // LLR_ACK ordered sets received
	RxNackCtlOS     uint64 `json:"llr_rx_nack_ctl_os"`      // LLR_NACK ordered sets received
	// LLR_ACK and LLR_NACK received with a sequence number that fits no outstanding frame
	RxAckNackSeqError uint64 `json:"llr_rx_ack_nack_seq_error"`
	// sequenced frames received with a good FCS image, duplicates included
	RxOK uint64 `json:"llr_rx_ok"`
	// sequenced frames received with a poisoned FCS image
	RxPoisoned uint64 `json:"llr_rx_poisoned"`
	RxBad      uint64 `json:"llr_rx_bad"` // sequenced frames received with a bad FCS image
	// frames received with the expected sequence number and a good FCS image, delivered
	RxExpectedSeqGood uint64 `json:"llr_rx_expected_seq_good"`
	// frames received with the expected sequence number and a poisoned FCS image
	RxExpectedSeqPoisoned uint64 `json:"llr_rx_expected_seq_poisoned"`
	// frames received with the expected sequence number and a bad FCS image
	RxExpectedSeqBad uint64 `json:"llr_rx_expected_seq_bad"`
	// frames received with a sequence number past a missing frame, discarded or, in selective replay, kept
	RxMissingSeq uint64 `json:"llr_rx_missing_seq"`
	// frames received again with an old sequence number, discarded
	RxDuplicateSeq uint64 `json:"llr_rx_duplicate_seq"`
	RxReplay       uint64 `json:"llr_rx_replay"` // replays of the partner that were detected

	// LLR_NACK ordered sets sent again: the copy of each, and those that ask again because no answer came
	TxNackRepeated uint64 `json:"tx_nack_repeated"`
	// LLR_NACK ordered sets received again: copies, and those that ask again because no answer came
	RxNackRepeated uint64 `json:"rx_nack_repeated"`
	// selective replay: frames of llr_rx_missing_seq that were kept and then accepted in order
	RxKept     uint64 `json:"rx_kept"`
	TxSelected uint64 `json:"tx_selected"` // selective replay: frames sent again because the partner lacks them
	// sequenced frames sent again, by replays and as copies of a last frame; part of llr_tx_ok
	TxReplayedFrames uint64 `json:"tx_replayed_frames"`
	TxReplayedOctets uint64 `json:"tx_replayed_octets"` // octets carried by sequenced frames sent again
	TxTailProbe      uint64 `json:"tx_tail_probe"`      // frames sent again as copies of the last one, whose acknowledgement is late
	TxFlush          uint64 `json:"tx_flush"`           // times the transmitter entered FLUSH
	TxFlushedFrames  uint64 `json:"tx_flushed_frames"`  // frames dropped from the replay buffer
	// LLR_INIT_ECHO ordered sets ignored because they do not echo the last LLR_INIT
	RxInitEchoMismatch uint64 `json:"rx_init_echo_mismatch"`
	// LLR_INIT ordered sets ignored because they do not fit the known partner
	RxInitStale uint64 `json:"rx_init_stale"`
	// sequenced frames discarded because no LLR_INIT came before them
	RxNotInitialized uint64 `json:"rx_not_initialized"`
	PartnerRestart   uint64 `json:"partner_restart"` // restarts of the partner that were detected
	// times LLR was initialised again because of a message of the partner
	TxReinit uint64 `json:"tx_reinit"`
	// restarts of the partner after which it continued at its bookmark
	PartnerResumed uint64 `json:"partner_resumed"`
	// frames accepted by the partner before its restart but not acknowledged: perhaps not forwarded
	TxUnconfirmed uint64 `json:"tx_unconfirmed"`
}
