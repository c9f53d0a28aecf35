package pfc

import "uelink/wire"

// PauserCounters are of what a Pauser has had sent, by priority. SAI's PFC_n_TX_PKTS is the sum
// of the three.
type PauserCounters [wire.Priorities]struct {
	TxPause   uint64 `json:"tx_pause"`   // frames that stopped it
	TxRefresh uint64 `json:"tx_refresh"` // frames that kept it stopped
	TxResume  uint64 `json:"tx_resume"`  // frames that let it go on
}

// PausedCounters are of what came to a Paused, and of what became of it.
type PausedCounters struct {
	Priority [wire.Priorities]PriorityCounters `json:"priority"`

	RxPause      uint64 `json:"pause_rx_pkts"`    // PAUSE that was obeyed; each counts for all priorities too
	PauseIgnored uint64 `json:"rx_pause_ignored"` // PAUSE that is not obeyed here
	Malformed    uint64 `json:"rx_pfc_malformed"` // MAC Control that is neither a good PFC nor a good PAUSE
	Stuck        uint64 `json:"pfc_stuck"`        // pauses of a priority that Stuck has told of
}

// PriorityCounters are those of one priority. SAI's PFC_n_RX_PKTS is the sum of RxPause,
// RxResume and Ignored.
type PriorityCounters struct {
	RxPause  uint64 `json:"rx_pause"`             // frames that stopped it, or kept it stopped
	RxResume uint64 `json:"rx_resume"`            // frames that let it go on
	Ignored  uint64 `json:"rx_ignored"`           // frames for it while it was not agreed on
	On2Off   uint64 `json:"on2off_rx_pkts"`       // times that it went from sending to stopped
	Paused   int64  `json:"rx_pause_duration_ns"` // how long it has been stopped
}
