package model

import (
	"time"

	"uelink/hippi"
)

// HIPPIState is the HIPPI-6400-PH side of a link port, with the JSON of the API.
type HIPPIState struct {
	LinkState string `json:"link_state"` // state of figure 20: Normal, Reset-1, Reset-2, Init-1, Init-2 or Shutdown
	Ready     bool   `json:"ready"`      // the link carries frames: both ends are in Normal
	Activity  bool   `json:"activity"`   // activity monitor indication: the signal of the partner is there
	FCS       bool   `json:"fcs"`        // frames of micropackets carry an FCS image
	VC3       bool   `json:"vc3"`        // both ends allow frames on VC3

	PartnerMAC     Address `json:"partner_mac,omitzero"`      // address of the partner
	PartnerProblem string  `json:"partner_problem,omitempty"` // problem between the two ends, in words

	Outstanding int            `json:"outstanding_micropackets"` // micropackets sent and not acknowledged, at most 254
	LoopTime    time.Duration  `json:"loop_time"`                // smoothed time from a micropacket to its acknowledgement, ns; 0: not measured
	Timeouts    HIPPITimeouts  `json:"timeouts"`
	Events      HIPPIEvents    `json:"events"`
	Counters    hippi.Counters `json:"counters"`
	Frames      HIPPICounters  `json:"frames"`
	Channels    []HIPPIChannel `json:"virtual_channels"`
}

// HIPPITimeouts are the values in force of a HIPPI-6400-PH link.
type HIPPITimeouts struct {
	ACK      time.Duration `json:"ack_timeout"`    // ACK indication timeout, ns, as configured or by the measured loop
	Activity time.Duration `json:"activity"`       // time for which a change of the signal must last, ns
	Silence  time.Duration `json:"silence"`        // time without a micropacket after which the signal is gone, ns; 0: the carrier alone counts
	Credit   time.Duration `json:"credit_timeout"` // time without credit after which the link is shut down, ns
	HoldOff  time.Duration `json:"hold_off"`       // time after an Initialize in which the partner's Initialize starts no further one, ns
	DeadMan  time.Duration `json:"dead_man"`       // longest Link Reset or Initialize, ns
	Stall    time.Duration `json:"stall"`          // time without a micropacket until an incomplete frame is given up, ns
	Recover  time.Duration `json:"recover"`        // time between two Link Resets of a link that was shut down, ns; 0: none
	Retries  int           `json:"retries"`        // retransmissions in a row without success before a shutdown
}

// HIPPIEvents are the logged events of table 7 of HIPPI-6400-PH that belong to no virtual channel.
type HIPPIEvents struct {
	ECRCError            uint64 `json:"ecrc_error"`              // micropackets received with a wrong ECRC, and dropped
	ECRCSourceError      uint64 `json:"ecrc_source_error"`       // Messages forwarded with a wrong ECRC
	LCRCError            uint64 `json:"lcrc_error"`              // micropackets received with a wrong LCRC, and dropped
	OverrunError         uint64 `json:"overrun_error"`           // Messages longer than their M_len
	UnderrunError        uint64 `json:"underrun_error"`          // Messages shorter than their M_len
	ResetInitializeError uint64 `json:"reset_initialize_error"`  // Link Resets and Initializes ended by the Dead-man timer
	RetryCount           uint64 `json:"retry_count"`             // retransmission sequences
	RetryFailureError    uint64 `json:"retry_failure_error"`     // shutdowns after too many retransmissions
	RSEQMissingError     uint64 `json:"rseq_missing_error"`      // expired ACK indication timeouts
	RSEQOutOfRangeError  uint64 `json:"rseq_out_of_range_error"` // illegal ACK indications
	TSEQError            uint64 `json:"tseq_error"`              // runs of micropackets with an unexpected TSEQ
	UndefinedTypeValue   int    `json:"undefined_type_value"`    // latest undefined TYPE received
}

// HIPPIChannel is one virtual channel of a HIPPI-6400-PH link, with its logged events.
type HIPPIChannel struct {
	VC         int  `json:"vc"`                    // number of the channel, 0 to 3
	Credits    int  `json:"credits"`               // micropackets that may be sent to the partner
	Leaving    bool `json:"leaving"`               // a frame leaves, or waits for credit or window
	Buffer     int  `json:"buffer"`                // size of this end's VC buffer, in micropackets
	Buffered   int  `json:"buffered_micropackets"` // micropackets in the VC buffer, whose credits are not returned yet
	FreeChunks int  `json:"free_chunks"`           // frames of the channel that may still arrive and wait for their egress

	AdminTailError             uint64 `json:"admin_tail_error"`               // Admin micropackets without TAIL
	CreditOverflowError        uint64 `json:"credit_overflow_error"`          // Link Resets because of more than 255 credits
	CreditTimeoutError         uint64 `json:"credit_timeout_error"`           // shutdowns without credit
	MissingEndOfMessageError   uint64 `json:"missing_end_of_message_error"`   // Messages cut short by the next Message
	MissingStartOfMessageError uint64 `json:"missing_start_of_message_error"` // Messages without a Header, discarded
	RxVCBufferOverflow         uint64 `json:"rx_vc_buffer_overflow"`          // shutdowns because of a full VC buffer
	StallTimeoutError          uint64 `json:"stall_timeout_error"`            // Messages cut short by the Stall timeout
	UndefinedTypeError         uint64 `json:"undefined_type_error"`           // micropackets of an undefined TYPE
}

// HIPPICounters count frames of micropackets of a link.
type HIPPICounters struct {
	TxMicropacketFrames uint64 `json:"tx_micropacket_frames"` // frames of micropackets sent
	RxMicropacketFrames uint64 `json:"rx_micropacket_frames"` // frames of micropackets received undamaged
	// frames of micropackets dropped because they are too short, of an unknown version, or with a reserved value in a
	// field
	RxBadFrame uint64 `json:"rx_bad_frame"`
	RxBadFCS   uint64 `json:"rx_bad_fcs"` // frames of micropackets dropped because their FCS image is wrong
	RxAdmin    uint64 `json:"rx_admin"`   // Admin micropackets received; of many at once only some have an event
	Recoveries uint64 `json:"recoveries"` // Link Resets begun to leave a shutdown (recover)
}

// AdminData is the octets of an Admin micropacket (HIPPI-6400 §6.3.6). HIPPI-6400-SC defines them; a link carries them.
type AdminData = [32]byte
