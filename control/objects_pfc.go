package control

import (
	"uelink/dataplane"
	"uelink/wire"
)

// PFC is priority-based flow control of an edge port with its host.
type PFC struct {
	Dynamic    bool          `json:"pfc_dynamic"` // DCBX agrees on the priorities
	DCBX       string        `json:"pfc_dcbx"`    // if so, "agreed", "not_agreed" or "not_running"
	Enabled    []int         `json:"pfc_enabled"` // priorities that have PFC now
	RxPaused   []int         `json:"rx_paused"`   // priorities that the host has stopped now
	TxPaused   []int         `json:"tx_paused"`   // priorities that the host was told to stop
	XOff       int           `json:"xoff"`
	XOn        int           `json:"xon"`
	Headroom   int           `json:"headroom"`
	RxIgnored  uint64        `json:"rx_pause_ignored"`
	RxPause    uint64        `json:"pause_rx_pkts"`
	Malformed  uint64        `json:"rx_pfc_malformed"`
	Stuck      uint64        `json:"pfc_stuck"`
	Priorities []PFCPriority `json:"priorities"` // of those that have PFC, or have counted something
}

// PFCPriority is PFC of one priority, under SAI's names without their number.
type PFCPriority struct {
	Priority        int    `json:"priority"`
	RxPackets       uint64 `json:"pfc_rx_pkts"`
	TxPackets       uint64 `json:"pfc_tx_pkts"`
	RxPauseDuration int64  `json:"rx_pause_duration_ns"` // for how long it has been stopped
	On2OffRx        uint64 `json:"on2off_rx_pkts"`       // how often it was stopped
	Ignored         uint64 `json:"rx_ignored"`           // frames for it while it has no PFC
}

func newPortPFC(s *dataplane.PFCState) *PFC {
	if s == nil {
		return nil
	}
	p := &PFC{
		Dynamic: s.Settings.Dynamic, Enabled: numbersOf(s.Settings.Priorities),
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
		one := PFCPriority{
			Priority: i, RxPackets: rx.RxPause + rx.RxResume + rx.Ignored, TxPackets: tx.TxPause + tx.TxRefresh + tx.TxResume,
			RxPauseDuration: rx.Paused, On2OffRx: rx.On2Off, Ignored: rx.Ignored,
		}
		if s.Settings.Priorities>>i&1 == 1 || one != (PFCPriority{Priority: i}) {
			p.Priorities = append(p.Priorities, one)
		}
	}
	return p
}

// numbersOf is the bits that are set.
func numbersOf(bitmap uint8) []int {
	list := []int{}
	for i := range 8 {
		if bitmap>>i&1 == 1 {
			list = append(list, i)
		}
	}
	return list
}
