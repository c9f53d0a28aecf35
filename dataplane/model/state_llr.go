package model

import (
	"time"

	"uelink/llr"
	"uelink/wire"
)

// LLRState is the LLR side of a link port, with the JSON of the API.
type LLRState struct {
	Mode    LLRMode      `json:"llr_mode"`        // mode of LLR: "off", "static" or "dynamic"
	Local   bool         `json:"llr_mode_local"`  // SAI's LLR_MODE_LOCAL: this end receives under LLR
	Remote  bool         `json:"llr_mode_remote"` // SAI's LLR_MODE_REMOTE: this end sends under LLR
	Profile string       `json:"llr_profile"`     // name of the LLR profile
	Dialect wire.Dialect `json:"dialect"`         // dialect of the preamble image: "seed" or "ue1"
	FCS     bool         `json:"fcs"`             // the shim carries an FCS image

	// configured encapsulation: "transparent" or "addressed"
	Encapsulation Encapsulation `json:"encapsulation"`
	Sends         Encapsulation `json:"tx_encapsulation"` // encapsulation in which data frames leave now
	// addressed: last station other than the partner that spoke to this end
	OtherStation Address `json:"other_station,omitzero"`

	TxStatus    llr.TxState `json:"tx_status"`              // state of the transmitter: OFF, INIT, ADVANCE, REPLAY or FLUSH
	RxStatus    llr.RxState `json:"rx_status"`              // state of the receiver: OFF, SEND_ACKS, SEND_NACK or NACK_SENT
	FlushReason string      `json:"flush_reason,omitempty"` // reason of the last FLUSH; empty: no FLUSH
	FlushFrame  string      `json:"flush_frame"`            // frame that caused the FLUSH: octets and addresses
	Stalled     string      `json:"stalled"`                // frame that replays do not get to the partner now, in words

	PartnerKnown   bool    `json:"partner_known"`             // the partner is known
	PartnerMAC     Address `json:"partner_mac,omitzero"`      // address of the partner
	PartnerBusy    bool    `json:"partner_busy"`              // the partner accepts no frames now: its edge stands still
	PartnerAway    bool    `json:"partner_away"`              // the partner announced its stop and has time to come back
	PartnerProblem string  `json:"partner_problem,omitempty"` // problem between the two ends, in words

	OutstandingFrames int   `json:"outstanding_frames"` // frames sent and not acknowledged
	OutstandingBytes  int64 `json:"outstanding_bytes"`  // octets of the outstanding frames

	// limit of outstanding frames in force: the profile's, or computed from the loop time
	MaxOutstandingFrames int `json:"max_outstanding_frames"`
	// replay timer in force, ns: the profile's, or computed from the loop time
	MaxReplayTimer time.Duration `json:"max_replay_timer"`
	// length of the replay timer at present, ns: longer than max_replay_timer while the partner acknowledges late
	ReplayTimer time.Duration `json:"replay_timer"`
	// reason for the timer's length: "configured", "loop_time", "start", "raised" or "slow_partner"
	ReplayTimerReason string         `json:"replay_timer_reason"`
	Replay            llr.ReplayKind `json:"replay"`    // configured kind of replay: "go_back_n", "auto" or "selective"
	ReplayTx          llr.ReplayKind `json:"replay_tx"` // kind of replay in force for frames sent: "go_back_n" or "selective"
	ReplayRx          llr.ReplayKind `json:"replay_rx"` // kind of replay in force for frames received: "go_back_n" or "selective"
	// reason for go-back-N in a direction: "configured", "window", "memory", "partner" or "next_init"; empty: none
	ReplayReason string `json:"replay_reason"`
	// frames received behind a missing frame, and kept until it arrives
	KeptFrames int `json:"kept_frames"`
	// kind of replay advised by the recent losses: "selective" if its goodput is above 1.1 times that of go-back-N
	RecommendedReplay llr.ReplayKind `json:"recommended_replay"`
	// share of new frames, not replays, among the frames sent by go-back-N, by the recent losses; 0: not known
	GoBackNGoodput float64 `json:"go_back_n_goodput"`
	// share of new frames among the frames sent, as expected of selective replay; 0: not known
	SelectiveGoodput float64 `json:"selective_goodput"`
	// limit of outstanding frames for the measured loop time; 0: not known
	RecommendedOutstandingFrames int `json:"recommended_outstanding_frames"`
	// replay timer for the measured loop time, ns; 0: not known
	RecommendedReplayTimer time.Duration `json:"recommended_replay_timer"`
	// limit of the credits of a lossless VC for the measured loop time; 0: not known, or no CBFC
	RecommendedCreditLimit int `json:"recommended_credit_limit"`

	// times from a frame to its acknowledgement; nil while none is known
	LoopTime *llr.LoopTime `json:"loop_time_ns,omitempty"`

	TxSeq      uint32         `json:"tx_seq"`      // sequence number of the next new frame
	RxNextSeq  uint32         `json:"rx_next_seq"` // sequence number of the frame that is expected next
	StateTimes llr.StateTimes `json:"state_times"` // time in each state
	// times between the acknowledgements sent; nil before the second one
	TxAckSpacing *llr.Spacing `json:"tx_ack_spacing_ns,omitempty"`
	// times between the acknowledgements received; nil before the second one
	RxAckSpacing *llr.Spacing `json:"rx_ack_spacing_ns,omitempty"`

	Counters    llr.Counters    `json:"counters"`
	Negotiation *LLRNegotiation `json:"negotiation,omitempty"` // only in mode dynamic, else nil
}

// Established reports whether LLR carries frames in both directions: the transmitter is in ADVANCE or REPLAY, the
// receiver is on, and the partner is known.
func (s *LLRState) Established() bool {
	return (s.TxStatus == llr.TxAdvance || s.TxStatus == llr.TxReplay) && s.RxStatus != llr.RxOff && s.PartnerKnown
}

// LLRNegotiation is the part of LLDP in the LLR of a link in mode dynamic. A direction is on while both ends offer LLR
// and this end is willing; before it goes off, outstanding frames are delivered.
type LLRNegotiation struct {
	// state of the partner in LLDP: "none", "present", "aged", "withdrawn" or "ambiguous"
	Partner       string `json:"partner"`
	WillingLocal  bool   `json:"willing_local"`  // this end is willing to receive under LLR
	WillingRemote bool   `json:"willing_remote"` // this end is willing to send under LLR
	AgreedLocal   bool   `json:"agreed_local"`   // both ends agreed that this end receives under LLR
	AgreedRemote  bool   `json:"agreed_remote"`  // both ends agreed that this end sends under LLR
	Retiring      bool   `json:"retiring"`       // LLR is being switched off: outstanding frames are delivered first
}
