package view

import (
	"fmt"
	"io"

	"uelink/control/api"
	"uelink/internal/table"
)

// WriteCounters prints a table of the LLR counters of the receiving sides and one of the sending sides.
func WriteCounters(w io.Writer, counters []api.LLRCounters) {
	rx := table.Table{Titles: []string{"Port Rx", "Status", ">RX_INIT", ">RX_INIT_ECHO", ">RX_ACK", ">RX_NACK",
		">RX_OK",
		">RX_BAD", ">RX_POISONED", ">RX_REPLAY"}}
	tx := table.Table{Titles: []string{"Port Tx", "Status", ">TX_INIT", ">TX_INIT_ECHO", ">TX_ACK", ">TX_NACK",
		">TX_OK",
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
// listing, with the labels of SONiC's design. Counters that SAI lacks come last.
func CounterLines() []counterLine {
	return []counterLine{
		{"LLR_INIT      CtrlOS Transmitted", "llr_tx_init_ctl_os"},
		{"LLR_INIT_ECHO CtrlOS Transmitted", "llr_tx_init_echo_ctl_os"},
		{"LLR_ACK       CtrlOS Transmitted", "llr_tx_ack_ctl_os"},
		{"LLR_NACK      CtrlOS Transmitted", "llr_tx_nack_ctl_os"},
		{},
		{"LLR Frames Transmitted OK", "llr_tx_ok"},
		{"LLR Frames Transmitted as poisoned", "llr_tx_poisoned"},
		{"LLR Frames Discarded at Transmit", "llr_tx_discard"},
		{"LLR Tx Replay Triggered Count", "llr_tx_replay"},
		{},
		{"LLR_INIT      CtrlOS Received", "llr_rx_init_ctl_os"},
		{"LLR_INIT_ECHO CtrlOS Received", "llr_rx_init_echo_ctl_os"},
		{"LLR_ACK       CtrlOS Received", "llr_rx_ack_ctl_os"},
		{"LLR_NACK      CtrlOS Received", "llr_rx_nack_ctl_os"},
		{"LLR_ACK/NACK  CtrlOS Received with SeqNum error", "llr_rx_ack_nack_seq_error"},
		{},
		{"LLR Frames Received OK", "llr_rx_ok"},
		{"LLR Frames Received as Poisoned", "llr_rx_poisoned"},
		{"LLR Frames Received as Bad", "llr_rx_bad"},
		{"LLR Rx Replay Detect Count", "llr_rx_replay"},
		{},
		{"LLR Frames Received OK with expected seq num", "llr_rx_expected_seq_good"},
		{"LLR Frames Received Poisoned with expected seq num", "llr_rx_expected_seq_poisoned"},
		{"LLR Frames Received Bad with expected seq num", "llr_rx_expected_seq_bad"},
		{},
		{"LLR Frames Received with Unexpected seq num", "llr_rx_missing_seq"},
		{"LLR Frames Received with Duplicate seq num", "llr_rx_duplicate_seq"},
		{},
		{"LLR_NACK sent again (second copy, or no answer)", "tx_nack_repeated"},
		{"LLR_NACK received again", "rx_nack_repeated"},
		{"Frames kept behind a gap, then accepted", "rx_kept"},
		{"Frames sent again by selective replay", "tx_selected"},
		{"Last frame sent again because LLR_ACK is late", "tx_tail_probe"},
		{"Frames sent again", "tx_replayed_frames"},
		{"Octets of frames sent again", "tx_replayed_octets"},
		{"FLUSH entered", "tx_flush"},
		{"Frames dropped from the replay buffer", "tx_flushed_frames"},
		{"LLR_INIT_ECHO ignored: not of the last LLR_INIT", "rx_init_echo_mismatch"},
		{"LLR_INIT ignored: late, or of another start", "rx_init_stale"},
		{"Sequenced frames before any LLR_INIT", "rx_not_initialized"},
		{"Restarts of the partner", "partner_restart"},
		{"Initialised again by a message of the partner", "tx_reinit"},
		{"Partner restarts that continued at the bookmark", "partner_resumed"},
		{"Frames the partner took, not acked: it restarted", "tx_unconfirmed"},
	}
}

// WriteDetailedCounters prints each LLR counter of each link on a line, the number last and without separators, so that
// programs can read it.
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
			Dotted(w, line.words, fmt.Sprint(values[line.Key]))
		}
		writeLLRTimes(w, &c)
	}
}

// writeLLRTimes prints the values of LLR that a protocol analyzer would show besides the counters: sequence numbers,
// frames that LLR does not carry, the time in each state, and the times between acknowledgements, in nanoseconds.
func writeLLRTimes(w io.Writer, c *api.LLRCounters) {
	fmt.Fprintln(w)
	for _, line := range []struct {
		words string
		value any
	}{
		{"Sequence number of the next new frame to send", c.TxSeq}, {"Sequence number expected next", c.RxNextSeq},
		{"Frames sent without a sequence number", c.TxBare}, {"Frames received without a sequence number", c.RxBare},
		{},
		{"Nanoseconds in Tx OFF", c.TxOffTime.Nanoseconds()},
		{"Nanoseconds in Tx INIT", c.TxInitTime.Nanoseconds()},
		{"Nanoseconds in Tx ADVANCE", c.TxAdvanceTime.Nanoseconds()},
		{"Nanoseconds in Tx REPLAY", c.TxReplayTime.Nanoseconds()},
		{"Nanoseconds in Tx FLUSH", c.TxFlushTime.Nanoseconds()},
		{"Nanoseconds in Rx OFF", c.RxOffTime.Nanoseconds()},
		{"Nanoseconds in Rx SEND_ACKS", c.RxSendAcksTime.Nanoseconds()},
		{"Nanoseconds in Rx SEND_NACK", c.RxSendNackTime.Nanoseconds()},
		{"Nanoseconds in Rx NACK_SENT", c.RxNackSentTime.Nanoseconds()},
	} {
		if line.words == "" {
			fmt.Fprintln(w)
			continue
		}
		Dotted(w, line.words, fmt.Sprint(line.value))
	}
	writeAckSpacing(w, "sent", c.TxAckSpacing)
	writeAckSpacing(w, "received", c.RxAckSpacing)
}

// writeAckSpacing prints the times between the acknowledgements of one direction; nothing before the second one.
func writeAckSpacing(w io.Writer, direction string, s *api.AckSpacing) {
	if s == nil {
		return
	}
	fmt.Fprintln(w)
	for _, line := range []struct {
		words string
		value int64
	}{{"least", s.Min}, {"median", s.P50}, {"99 % below", s.P99}, {"most", s.Max}} {
		Dotted(w, "ns between acknowledgements "+direction+", "+line.words, fmt.Sprint(line.value))
	}
}
