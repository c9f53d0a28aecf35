package view

import (
	"fmt"
	"io"

	"uelink/control/api"
	"uelink/internal/table"
)

func WriteCounters(w io.Writer, counters []api.LLRCounters) {
	rx := table.Table{Titles: []string{"Port Rx", "Status", ">RX_INIT", ">RX_INIT_ECHO", ">RX_ACK", ">RX_NACK", ">RX_OK",
		">RX_BAD", ">RX_POISONED", ">RX_REPLAY"}}
	tx := table.Table{Titles: []string{"Port Tx", "Status", ">TX_INIT", ">TX_INIT_ECHO", ">TX_ACK", ">TX_NACK", ">TX_OK",
		">TX_DISCARD", ">TX_POISONED", ">TX_REPLAY"}}
	for _, c := range counters {
		rx.Add(c.Port, c.RxStatus.String(), Count(c.RxInitCtlOS), Count(c.RxInitEchoCtlOS), Count(c.RxAckCtlOS),
			Count(c.RxNackCtlOS), Count(c.RxOK), Count(c.RxBad), Count(c.RxPoisoned), Count(c.RxReplay))
		tx.Add(c.Port, c.TxStatus.String(), Count(c.TxInitCtlOS), Count(c.TxInitEchoCtlOS), Count(c.TxAckCtlOS),
			Count(c.TxNackCtlOS), Count(c.TxOK), Count(c.TxDiscard), Count(c.TxPoisoned), Count(c.TxReplay))
	}
	WriteTable(w, &rx)
	fmt.Fprintln(w)
	WriteTable(w, &tx)
}

// counterLine is a line of the detailed listing: a counter and its words. An empty line separates two groups.
type counterLine struct{ words, Key string }

// CounterLines returns the titles and keys of the LLR counters in the order and groups of SONiC's detailed
// listing. Counters that SAI lacks come last.
func CounterLines() []counterLine {
	return []counterLine{
		{"LLR_INIT      CtlOS transmitted", "llr_tx_init_ctl_os"},
		{"LLR_INIT_ECHO CtlOS transmitted", "llr_tx_init_echo_ctl_os"},
		{"LLR_ACK       CtlOS transmitted", "llr_tx_ack_ctl_os"},
		{"LLR_NACK      CtlOS transmitted", "llr_tx_nack_ctl_os"},
		{},
		{"Frames transmitted, replays included", "llr_tx_ok"},
		{"Frames transmitted as poisoned", "llr_tx_poisoned"},
		{"Frames discarded at transmit", "llr_tx_discard"},
		{"Replays transmitted", "llr_tx_replay"},
		{},
		{"LLR_INIT      CtlOS received", "llr_rx_init_ctl_os"},
		{"LLR_INIT_ECHO CtlOS received", "llr_rx_init_echo_ctl_os"},
		{"LLR_ACK       CtlOS received", "llr_rx_ack_ctl_os"},
		{"LLR_NACK      CtlOS received", "llr_rx_nack_ctl_os"},
		{"LLR_ACK/NACK  CtlOS with a wrong number", "llr_rx_ack_nack_seq_error"},
		{},
		{"Frames received, duplicates included", "llr_rx_ok"},
		{"Frames received as poisoned", "llr_rx_poisoned"},
		{"Frames received as bad", "llr_rx_bad"},
		{"Replays detected", "llr_rx_replay"},
		{},
		{"Frames with the expected number, good", "llr_rx_expected_seq_good"},
		{"Frames with the expected number, poisoned", "llr_rx_expected_seq_poisoned"},
		{"Frames with the expected number, bad", "llr_rx_expected_seq_bad"},
		{"Frames with a number past a missing one", "llr_rx_missing_seq"},
		{"Frames with a number received before", "llr_rx_duplicate_seq"},
		{},
		{"FLUSH entered", "tx_flush"},
		{"Frames dropped from the replay buffer", "tx_flushed_frames"},
		{"LLR_INIT_ECHO not of the last LLR_INIT", "rx_init_echo_mismatch"},
		{"LLR_INIT that does not fit, not acted on", "rx_init_stale"},
		{"Sequenced frames before any LLR_INIT", "rx_not_initialized"},
		{"Restarts of the partner", "partner_restart"},
		{"Initialised again after the partner's word", "tx_reinit"},
		{"Restarts after which the partner went on", "partner_resumed"},
		{"Frames taken before one, not acknowledged", "tx_unconfirmed"},
	}
}

func WriteDetailedCounters(w io.Writer, counters []api.LLRCounters) {
	for i, c := range counters {
		if i > 0 {
			fmt.Fprintln(w)
		}
		Heading(w, "LLR Counters - "+c.Port)
		values := map[string]any{}
		for _, f := range api.Fields(c.Counters) {
			values[f.Key] = f.Value
		}
		for _, line := range CounterLines() {
			if line.Key == "" {
				fmt.Fprintln(w)
				continue
			}
			Dotted(w, line.words, text(values[line.Key]))
		}
	}
}
