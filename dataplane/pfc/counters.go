package pfc

import (
	"time"

	"uelink/wire"
)

// PauserCounters counts the frames sent by a Pauser, by priority. SAI's PFC_n_TX_PKTS is the sum of the three.
type PauserCounters [wire.Priorities]struct {
	TxPause   uint64 `json:"tx_pause"`   // frames that stopped the priority
	TxRefresh uint64 `json:"tx_refresh"` // frames that renewed the stop
	TxResume  uint64 `json:"tx_resume"`  // frames that ended the stop
}

// PausedCounters counts the frames received by a Paused, and their effect.
type PausedCounters struct {
	Priority [wire.Priorities]PriorityCounters `json:"priority"`

	RxPause      uint64 `json:"pause_rx_pkts"`    // PAUSE frames obeyed; each counts for all priorities too
	PauseIgnored uint64 `json:"rx_pause_ignored"` // PAUSE frames not obeyed
	Malformed    uint64 `json:"rx_pfc_malformed"` // MAC Control frames that are neither a valid PFC nor a valid PAUSE
	Stuck        uint64 `json:"pfc_stuck"`        // pauses that Stuck has reported
}

// PriorityCounters counts for one priority. SAI's PFC_n_RX_PKTS is the sum of RxPause, RxResume and Ignored.
type PriorityCounters struct {
	RxPause  uint64        `json:"rx_pause"`             // frames that started or renewed a pause
	RxResume uint64        `json:"rx_resume"`            // frames that ended a pause
	Ignored  uint64        `json:"rx_ignored"`           // frames for a priority not agreed on
	On2Off   uint64        `json:"on2off_rx_pkts"`       // changes from sending to stopped
	Paused   time.Duration `json:"rx_pause_duration_ns"` // total time stopped
}
