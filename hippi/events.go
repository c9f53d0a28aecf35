package hippi

import (
	"math"

	"uelink/wire/micropacket"
)

// Count is the number of occurrences of an event. It saturates (HIPPI-6400 §14.2).
// Clauses: HIPPI-6400/maintenance.2.
type Count uint32

// add increases the count of a logged event by one.
func (c *Count) add() {
	if *c < math.MaxUint32 {
		*c++
	}
}

// Events are the logged events of HIPPI-6400 table 7 under their names. A Link Reset and an Initialize leave them
// alone; ClearEvents clears them.
// Clauses: HIPPI-6400/maintenance.2.
type Events struct {
	ECRCError            Count            `json:"ecrc_error"`              // micropackets received with a wrong ECRC, and dropped (9.1.3)
	ECRCSourceError      Count            `json:"ecrc_source_error"`       // Messages forwarded with a wrong ECRC (6.6.3)
	LCRCError            Count            `json:"lcrc_error"`              // micropackets received with a wrong LCRC, and dropped (9.1.1)
	OverrunError         Count            `json:"overrun_error"`           // Messages longer than their M_len (9.2.5)
	UnderrunError        Count            `json:"underrun_error"`          // Messages shorter than their M_len (9.2.5)
	ResetInitializeError Count            `json:"reset_initialize_error"`  // Link Resets and Initializes cut by the Dead-man timer (11.2)
	RetryCount           Count            `json:"retry_count"`             // retransmission sequences (8.4)
	RetryFailureError    Count            `json:"retry_failure_error"`     // shutdowns after too many retransmissions (8.4)
	RSEQMissingError     Count            `json:"rseq_missing_error"`      // expired ACK indication timeouts (8.2)
	RSEQOutOfRangeError  Count            `json:"rseq_out_of_range_error"` // illegal ACK indications (8.2)
	TSEQError            Count            `json:"tseq_error"`              // runs of micropackets with an unexpected TSEQ (9.1.2)
	UndefinedTypeValue   micropacket.Type `json:"undefined_type_value"`    // the latest undefined TYPE (9.1.4)

	// Of each virtual channel. VC[1-2]_Admin_Tail_Error counts for all four: nothing keeps a partner from sending Admin
	// micropackets on VC0 or VC3.

	AdminTailError             [VCs]Count `json:"admin_tail_error"`               // Admin micropackets with TAIL 0 (9.2.1)
	CreditOverflowError        [VCs]Count `json:"credit_overflow_error"`          // Link Resets because of more than 255 credits (8.1)
	CreditTimeoutError         [VCs]Count `json:"credit_timeout_error"`           // shutdowns without credit (8.1)
	MissingEndOfMessageError   [VCs]Count `json:"missing_end_of_message_error"`   // Messages cut by the next (9.2.3)
	MissingStartOfMessageError [VCs]Count `json:"missing_start_of_message_error"` // Messages without a Header, discarded (9.2.2)
	RxVCBufferOverflow         [VCs]Count `json:"rx_vc_buffer_overflow"`          // shutdowns because of a full VC buffer (13.2)
	StallTimeoutError          [VCs]Count `json:"stall_timeout_error"`            // Messages cut by the Stall timeout (9.2.4)
	UndefinedTypeError         [VCs]Count `json:"undefined_type_error"`           // micropackets of an undefined TYPE (9.1.4)
}

// Counters are counters that HIPPI-6400 does not have.
type Counters struct {
	TxMicropackets    uint64 `json:"tx_micropackets"`     // micropackets sent
	TxRetransmitted   uint64 `json:"tx_retransmitted"`    // micropackets sent again
	TxCreditOnly      uint64 `json:"tx_credit_only"`      // Credit-only micropackets sent for the first time
	TxNull            uint64 `json:"tx_null"`             // Null micropackets sent
	TxMessages        uint64 `json:"tx_messages"`         // Messages and Admin micropackets given to the output buffer
	TxRejected        uint64 `json:"tx_rejected"`         // requests rejected: too long, or not allowed on the VC
	TxShutdownDiscard uint64 `json:"tx_shutdown_discard"` // Messages taken and discarded during a shutdown (13.2)
	// Messages not acknowledged as a whole when the output buffer was emptied; some may have arrived
	TxLostAtReset uint64 `json:"tx_lost_at_reset"`

	// Micropackets sent once whose time to their acknowledgement was measured, one at a time
	Loops uint64 `json:"loops"`
	// Sum of the times measured; the mean of an interval is its growth by the growth of loops
	LoopsTime uint64 `json:"loops_time_ns"`

	RxMicropackets uint64 `json:"rx_micropackets"`  // micropackets received, damaged ones included
	RxStomped      uint64 `json:"rx_stomped"`       // micropackets nullified by the sender
	RxUnheard      uint64 `json:"rx_unheard"`       // micropackets discarded because of the state of the link
	RxStaleFrames  uint64 `json:"rx_stale_frames"`  // frames overtaken by a later frame, received twice, or alone far ahead
	RxMessages     uint64 `json:"rx_messages"`      // Messages and Admin micropackets indicated without an error
	RxMessageError uint64 `json:"rx_message_error"` // Messages and Admin micropackets indicated with an error
	RxRefused      uint64 `json:"rx_refused"`       // Messages refused by the next layer, and discarded
	// Messages whose Header was in a VC buffer when the buffer was emptied
	RxLostAtReset uint64 `json:"rx_lost_at_reset"`
	Shutdowns     uint64 `json:"shutdowns"`   // times the link was shut down
	LinkResets    uint64 `json:"link_resets"` // Link Resets begun
	Initializes   uint64 `json:"initializes"` // Initializes begun
}
