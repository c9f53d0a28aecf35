package api

import (
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
)

// Types of the LLR side of a link port, with their JSON.
type (
	LLR            = model.LLRState
	LLRNegotiation = model.LLRNegotiation // of the LLR of a link in mode dynamic
	LoopTime       = llr.LoopTime         // of a link, ns
	StateTimes     = llr.StateTimes       // of LLR's states, ns
	AckSpacing     = llr.Spacing          // between acknowledgements, ns
)

// LLRInterface is the LLR side of a link port, with the name of the port.
// Clauses: SAI-LLR/objects.1.
type LLRInterface struct {
	Port        string   `json:"port"`
	Interface   string   `json:"interface"`
	OperStatus  string   `json:"oper_status"`
	ErrorStatus []string `json:"error_status"`
	LLR
	Note string `json:"note"` // message for the operator beyond the states, in words; mostly empty
}

// LLRCounters has the LLR counters of a link port, flat.
// Clauses: SAI-LLR/counter.13.
type LLRCounters struct {
	Port      string      `json:"port"`        // name of the port
	Interface string      `json:"interface"`   // network interface of the port
	TxStatus  llr.TxState `json:"tx_status"`   // state of the transmitter: OFF, INIT, ADVANCE, REPLAY or FLUSH
	RxStatus  llr.RxState `json:"rx_status"`   // state of the receiver: OFF, SEND_ACKS, SEND_NACK or NACK_SENT
	TxSeq     uint32      `json:"tx_seq"`      // sequence number of the next new frame
	RxNextSeq uint32      `json:"rx_next_seq"` // sequence number of the frame that is expected next
	TxBare    uint64      `json:"tx_bare"`     // frames sent without a sequence number
	RxBare    uint64      `json:"rx_bare"`     // frames received without a sequence number
	StateTimes
	// times between the acknowledgements sent; nil before the second one
	TxAckSpacing *AckSpacing `json:"tx_ack_spacing_ns,omitempty"`
	// times between the acknowledgements received; nil before the second one
	RxAckSpacing *AckSpacing `json:"rx_ack_spacing_ns,omitempty"`
	llr.Counters
}

// LLRProfile is a profile under SONiC's names. Times are in nanoseconds, as in SAI. 0 is off for the timeouts, and
// auto for the replay timer and the frames.
// Clauses: SAI-LLR/objects.1.
type LLRProfile struct {
	Name                 string        `json:"name"`                   // name of the profile
	MaxOutstandingFrames int           `json:"max_outstanding_frames"` // limit of frames not acknowledged; 0: auto
	MaxOutstandingBytes  int64         `json:"max_outstanding_bytes"`  // limit of octets not acknowledged
	MaxReplayTimer       time.Duration `json:"max_replay_timer"`       // time without an acknowledgement before a replay, ns; 0: auto
	MaxReplayCount       uint8         `json:"max_replay_count"`       // replays without progress before a flush; 255: no limit
	HoldTimeout          time.Duration `json:"hold_timeout"`           // silence of the partner before a flush, ns; 0: no wait
	PCSLostTimeout       time.Duration `json:"pcs_lost_timeout"`       // time without carrier before a flush, ns; 0: never
	DataAgeTimeout       time.Duration `json:"data_age_timeout"`       // age of the oldest frame before a flush, ns; 0: never
	InitAction           string        `json:"init_action"`            // frames during the handshake: "discard", "block" or "best_effort"
	FlushAction          string        `json:"flush_action"`           // frames after a flush, as in init_action
	ReInitOnFlush        bool          `json:"re_init_on_flush"`       // LLR starts again by itself after a flush
	Replay               string        `json:"replay"`                 // how lost frames are sent again: "go_back_n", "auto" or "selective"
	CtlOSSpacingBytes    int           `json:"ctlos_spacing_bytes"`    // octets received between two acknowledgements under load
}

// NewLLRInterface returns the LLR state of a link port; p.LLR must not be nil.
func NewLLRInterface(p Port) LLRInterface {
	return LLRInterface{
		Port: p.Name, Interface: p.Interface, OperStatus: p.OperStatus,
		ErrorStatus: p.ErrorStatus, LLR: *p.LLR, Note: llrNote(p),
	}
}

// NewLLRCounters returns the LLR counters of a link port; p.LLR must not be nil.
func NewLLRCounters(p Port) LLRCounters {
	return LLRCounters{
		Port: p.Name, Interface: p.Interface, TxStatus: p.LLR.TxStatus,
		RxStatus: p.LLR.RxStatus, TxSeq: p.LLR.TxSeq, RxNextSeq: p.LLR.RxNextSeq, TxBare: p.Counters.TxBare,
		RxBare: p.Counters.RxBare, StateTimes: p.LLR.StateTimes, TxAckSpacing: p.LLR.TxAckSpacing,
		RxAckSpacing: p.LLR.RxAckSpacing, Counters: p.LLR.Counters,
	}
}

// NewLLRProfile returns an LLR profile as an object of the API.
func NewLLRProfile(name string, p llr.Profile) LLRProfile {
	return LLRProfile{
		Name:                 name,
		MaxOutstandingFrames: p.MaxOutstandingFrames,
		MaxOutstandingBytes:  p.MaxOutstandingBytes,
		MaxReplayTimer:       p.MaxReplayTimer,
		MaxReplayCount:       p.MaxReplayCount,
		HoldTimeout:          p.HoldTimeout,
		PCSLostTimeout:       p.PCSLostTimeout,
		DataAgeTimeout:       p.DataAgeTimeout,
		InitAction:           p.InitAction.String(),
		FlushAction:          p.FlushAction.String(),
		ReInitOnFlush:        p.ReInitOnFlush,
		Replay:               p.Replay.String(),
		CtlOSSpacingBytes:    p.CtlOSSpacingBytes,
	}
}
