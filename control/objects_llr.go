package control

import (
	"net"
	"time"

	"uelink/dataplane"
	"uelink/llr"
	"uelink/wire"
)

// LLR is the LLR side of a link port.
type LLR struct {
	Mode            string `json:"llr_mode"`         // mode of LLR: "off", "static" or "dynamic"
	Local           bool   `json:"llr_mode_local"`   // SAI's LLR_MODE_LOCAL: this end receives under LLR
	Remote          bool   `json:"llr_mode_remote"`  // SAI's LLR_MODE_REMOTE: this end sends under LLR
	Profile         string `json:"llr_profile"`      // name of the LLR profile
	Dialect         string `json:"dialect"`          // dialect of the preamble image: "seed" or "ue1"
	FCS             bool   `json:"fcs"`              // the shim carries an FCS image
	Encapsulation   string `json:"encapsulation"`    // configured encapsulation: "transparent" or "addressed"
	TxEncapsulation string `json:"tx_encapsulation"` // encapsulation in which data frames leave now
	// addressed: last station other than the partner that spoke to this end
	OtherStation string `json:"other_station,omitempty"`
	// state of the transmitter: OFF, INIT, ADVANCE, REPLAY or FLUSH
	TxStatus string `json:"tx_status"`
	// state of the receiver: OFF, SEND_ACKS, SEND_NACK or NACK_SENT
	RxStatus          string `json:"rx_status"`
	FlushReason       string `json:"flush_reason,omitempty"`    // reason of the last FLUSH; empty: no FLUSH
	FlushFrame        string `json:"flush_frame"`               // frame that caused the FLUSH: octets and addresses
	Stalled           string `json:"stalled"`                   // frame that no replay brings across now, in words
	PartnerKnown      bool   `json:"partner_known"`             // the partner is known
	PartnerMAC        string `json:"partner_mac,omitempty"`     // address of the partner
	PartnerBusy       bool   `json:"partner_busy"`              // the partner accepts no frames now: its edge stands still
	PartnerAway       bool   `json:"partner_away"`              // the partner announced its stop and has time to come back
	PartnerProblem    string `json:"partner_problem,omitempty"` // problem between the two ends, in words
	OutstandingFrames int    `json:"outstanding_frames"`        // frames sent and not acknowledged
	OutstandingBytes  int64  `json:"outstanding_bytes"`         // octets of the outstanding frames

	// limit of outstanding frames in force: the profile's, or computed from the loop time
	MaxOutstandingFrames int `json:"max_outstanding_frames"`
	// replay timer in force, ns: the profile's, or computed from the loop time
	MaxReplayTimer time.Duration `json:"max_replay_timer"`
	// limit of outstanding frames for the measured loop time; 0: not known
	RecommendedOutstandingFrames int `json:"recommended_outstanding_frames"`
	// replay timer for the measured loop time, ns; 0: not known
	RecommendedReplayTimer time.Duration `json:"recommended_replay_timer"`
	// credit limit of a lossless VC for the measured loop time; 0: not known, or no CBFC
	RecommendedCreditLimit int `json:"recommended_credit_limit"`

	// times from a frame to its acknowledgement; missing while none is known
	LoopTime *LoopTime    `json:"loop_time_ns,omitempty"`
	Counters llr.Counters `json:"counters"`

	Negotiation *LLRNegotiation `json:"negotiation,omitempty"` // mode dynamic: the negotiation by LLDP
}

// LoopTime is how long the link takes from a frame to its acknowledgement, ns: the shortest since
// LLR is up; the others of the last few thousand acknowledgements, at most an eighth too long.
type LoopTime struct {
	Min int64 `json:"min"` // shortest time from a frame to its acknowledgement since LLR is up
	// median time from a frame to its acknowledgement, of the last few thousand, at most an eighth too long
	P50 int64 `json:"p50"`
	// 99th percentile of the time from a frame to its acknowledgement, of the last few thousand, at most an eighth too
	// long
	P99 int64 `json:"p99"`
	// longest time from a frame to its acknowledgement, of the last few thousand, at most an eighth too long
	Max int64 `json:"max"`
}

// LLRNegotiation is what LLDP has to do with the LLR of a link in mode dynamic. A
// direction is on while both ends offer LLR and this one is willing; before it
// goes off it delivers what is outstanding.
type LLRNegotiation struct {
	// state of the partner in LLDP: "none", "present", "aged", "withdrawn" or "ambiguous"
	Partner       string `json:"partner"`
	WillingLocal  bool   `json:"willing_local"`  // this end is willing to receive under LLR
	WillingRemote bool   `json:"willing_remote"` // this end is willing to send under LLR
	AgreedLocal   bool   `json:"agreed_local"`   // both ends agreed that this end receives under LLR
	AgreedRemote  bool   `json:"agreed_remote"`  // both ends agreed that this end sends under LLR
	Retiring      bool   `json:"retiring"`       // LLR is being switched off: outstanding frames are delivered first
}

// LLRInterface is the LLR side of one link port, under the port's name.
type LLRInterface struct {
	Port        string   `json:"port"`
	Interface   string   `json:"interface"`
	OperStatus  string   `json:"oper_status"`
	ErrorStatus []string `json:"error_status"`
	LLR
	Note string `json:"note"` // message for the operator beyond the states, in words; mostly empty
}

// LLRCounters are the LLR counters of one link port, flat.
type LLRCounters struct {
	Port      string `json:"port"`      // name of the port
	Interface string `json:"interface"` // network interface of the port
	TxStatus  string `json:"tx_status"` // state of the transmitter: OFF, INIT, ADVANCE, REPLAY or FLUSH
	RxStatus  string `json:"rx_status"` // state of the receiver: OFF, SEND_ACKS, SEND_NACK or NACK_SENT
	llr.Counters
}

// LLRProfile is one profile under SONiC's names. Times are in nanoseconds, as
// SAI's are; 0 is off for the two timeouts, and auto for the replay timer and the frames.
type LLRProfile struct {
	Name                 string        `json:"name"`
	MaxOutstandingFrames int           `json:"max_outstanding_frames"`
	MaxOutstandingBytes  int64         `json:"max_outstanding_bytes"`
	MaxReplayTimer       time.Duration `json:"max_replay_timer"`
	MaxReplayCount       uint8         `json:"max_replay_count"`
	HoldTimeout          time.Duration `json:"hold_timeout"`
	PCSLostTimeout       time.Duration `json:"pcs_lost_timeout"`
	DataAgeTimeout       time.Duration `json:"data_age_timeout"`
	InitAction           string        `json:"init_action"`
	FlushAction          string        `json:"flush_action"`
	ReInitOnFlush        bool          `json:"re_init_on_flush"`
	CtlOSSpacingBytes    int           `json:"ctlos_spacing_bytes"`
}

// newLLR is the object of the LLR side of a port, nil for nil.
func newLLR(s *dataplane.LLRState) *LLR {
	if s == nil {
		return nil
	}
	l := &LLR{
		Mode: s.Mode.String(), Local: s.Local, Remote: s.Remote, Profile: s.Profile, Dialect: s.Dialect.String(), FCS: s.FCS,
		Encapsulation: s.Encapsulation.String(), TxEncapsulation: s.Sends.String(),
		TxStatus: s.TxStatus.String(), RxStatus: s.RxStatus.String(), FlushReason: s.FlushReason, FlushFrame: s.FlushFrame,
		Stalled: s.Stalled, PartnerKnown: s.PartnerKnown, PartnerBusy: s.PartnerBusy, PartnerAway: s.PartnerAway, PartnerProblem: s.PartnerProblem,
		OutstandingFrames: s.OutstandingFrames, OutstandingBytes: s.OutstandingBytes, Counters: s.Counters,
		MaxOutstandingFrames: s.MaxOutstandingFrames, MaxReplayTimer: s.MaxReplayTimer,
		RecommendedOutstandingFrames: s.Advice.MaxOutstandingFrames, RecommendedReplayTimer: s.Advice.MaxReplayTimer,
		RecommendedCreditLimit: s.AdvisedLimit,
	}
	l.setOptional(s)
	return l
}

// setOptional tells what a link knows only at times.
func (l *LLR) setOptional(s *dataplane.LLRState) {
	if s.LoopTime != nil {
		loop := LoopTime(*s.LoopTime)
		l.LoopTime = &loop
	}
	if s.PartnerKnown {
		l.PartnerMAC = net.HardwareAddr(s.PartnerMAC[:]).String()
	}
	if s.OtherStation != (wire.MAC{}) {
		l.OtherStation = net.HardwareAddr(s.OtherStation[:]).String()
	}
	if s.Negotiation != nil {
		n := LLRNegotiation(*s.Negotiation)
		l.Negotiation = &n
	}
}

func llrInterface(p Port) LLRInterface {
	return LLRInterface{
		Port: p.Name, Interface: p.Interface, OperStatus: p.OperStatus,
		ErrorStatus: p.ErrorStatus, LLR: *p.LLR, Note: llrNote(p),
	}
}

func llrCounters(p Port) LLRCounters {
	return LLRCounters{
		Port: p.Name, Interface: p.Interface, TxStatus: p.LLR.TxStatus,
		RxStatus: p.LLR.RxStatus, Counters: p.LLR.Counters,
	}
}

func llrProfile(name string, p llr.Profile) LLRProfile {
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
		CtlOSSpacingBytes:    p.CtlOSSpacingBytes,
	}
}
