package api

import (
	"uelink/dataplane/model"
	"uelink/wire"
)

// PFC is priority-based flow control of an edge port with its host.
type PFC struct {
	Dynamic  bool   `json:"pfc_dynamic"` // DCBX agrees on the priorities
	DCBX     string `json:"pfc_dcbx"`    // with pfc_dynamic: "agreed", "not_agreed" or "not_running"
	Enabled  []int  `json:"pfc_enabled"` // priorities with PFC now
	Pause    bool   `json:"obeys_pause"` // PAUSE of the host, which stops all priorities, is obeyed
	RxPaused []int  `json:"rx_paused"`   // priorities that the host has stopped now
	TxPaused []int  `json:"tx_paused"`   // priorities that the host was told to stop
	XOff     int    `json:"xoff"`        // number of waiting frames of a priority from which on the host is told to stop
	XOn      int    `json:"xon"`         // number of waiting frames of a priority down to which the host has to wait
	// frames of a priority that still find room after the host was told to stop
	Headroom  int    `json:"headroom"`
	RxIgnored uint64 `json:"rx_pause_ignored"` // PAUSE frames received and ignored
	RxPause   uint64 `json:"pause_rx_pkts"`    // PAUSE frames received and obeyed
	// MAC Control frames received that are neither a good PFC nor a good PAUSE frame
	Malformed  uint64        `json:"rx_pfc_malformed"`
	Stuck      uint64        `json:"pfc_stuck"`  // pauses of a priority that lasted so long that they were reported
	Priorities []PFCPriority `json:"priorities"` // priorities that have PFC or have counted something
}

// PFCPriority is PFC of one priority, under SAI's names without their number.
type PFCPriority struct {
	Priority        int    `json:"priority"`             // number of the priority, 0 to 7
	RxPackets       uint64 `json:"pfc_rx_pkts"`          // PFC frames received for the priority
	TxPackets       uint64 `json:"pfc_tx_pkts"`          // PFC frames sent for the priority
	RxPauseDuration int64  `json:"rx_pause_duration_ns"` // total time for which the host has stopped the priority
	// share of the last 10 seconds, 0 to 1, in which the host has stopped the priority
	RxPausedShare float64 `json:"rx_paused_share"`
	On2OffRx      uint64  `json:"on2off_rx_pkts"` // times that the priority went from sending to stopped
	Ignored       uint64  `json:"rx_ignored"`     // PFC frames received while the priority had no PFC
}

// newPortPFC returns the JSON object of a port's PFC, with the priorities that have it or have counted; nil without
// PFC.
func newPortPFC(s *model.PFCState) *PFC {
	if s == nil {
		return nil
	}
	p := &PFC{
		Dynamic: s.Settings.Dynamic, Pause: s.Settings.Pause, Enabled: numbersOf(s.Settings.Priorities),
		RxPaused: numbersOf(s.Stopped), TxPaused: numbersOf(s.Stops),
		XOff: s.Settings.XOff, XOn: s.Settings.XOn, Headroom: s.Settings.Headroom,
		RxIgnored: s.Rx.PauseIgnored, RxPause: s.Rx.RxPause, Malformed: s.Rx.Malformed, Stuck: s.Rx.Stuck,
		Priorities: []PFCPriority{},
	}
	if p.Dynamic {
		p.DCBX = s.DCB.String()
	}
	for i := range wire.Priorities {
		rx, tx := s.Rx.Priority[i], s.Tx[i]
		priority := PFCPriority{
			Priority: i, RxPackets: rx.RxPause + rx.RxResume + rx.Ignored, TxPackets: tx.TxPause + tx.TxRefresh + tx.TxResume,
			RxPausedShare: s.Shares[i], RxPauseDuration: int64(rx.Paused), On2OffRx: rx.On2Off, Ignored: rx.Ignored,
		}
		if s.Settings.Priorities>>i&1 == 1 || priority != (PFCPriority{Priority: i}) {
			p.Priorities = append(p.Priorities, priority)
		}
	}
	return p
}

// numbersOf returns the positions of the 1 bits of a bitmap, in ascending order.
func numbersOf(bitmap uint8) []int {
	list := []int{}
	for i := range 8 {
		if bitmap>>i&1 == 1 {
			list = append(list, i)
		}
	}
	return list
}
