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
	Mode              string `json:"llr_mode"` // "off", "static" or "dynamic"
	Local             bool   `json:"llr_mode_local"`
	Remote            bool   `json:"llr_mode_remote"`
	Profile           string `json:"llr_profile"`
	Dialect           string `json:"dialect"`
	FCS               bool   `json:"fcs"`
	Encapsulation     string `json:"encapsulation"`           // that is configured: "transparent" or "addressed"
	TxEncapsulation   string `json:"tx_encapsulation"`        // in which data frames leave now
	OtherStation      string `json:"other_station,omitempty"` // addressed: the last other station that spoke to this end
	TxStatus          string `json:"tx_status"`               // OFF, INIT, ADVANCE, REPLAY, FLUSH
	RxStatus          string `json:"rx_status"`               // OFF, SEND_ACKS, SEND_NACK, NACK_SENT
	FlushReason       string `json:"flush_reason,omitempty"`
	FlushFrame        string `json:"flush_frame"` // the frame that did not get through: octets and addresses
	Stalled           string `json:"stalled"`     // the frame that no replay brings across, while that is so
	PartnerKnown      bool   `json:"partner_known"`
	PartnerMAC        string `json:"partner_mac,omitempty"`
	PartnerBusy       bool   `json:"partner_busy"`              // it takes no frames now: its edge stands still
	PartnerAway       bool   `json:"partner_away"`              // it has said that it leaves, and has time to come back
	PartnerProblem    string `json:"partner_problem,omitempty"` // what keeps the two ends from working together
	OutstandingFrames int    `json:"outstanding_frames"`
	OutstandingBytes  int64  `json:"outstanding_bytes"`

	// In force, which is the profile's but where that says auto; and what follows from the loop
	// time and the speed of the interface, 0 while that is not known. Times are in nanoseconds.
	MaxOutstandingFrames         int           `json:"max_outstanding_frames"`
	MaxReplayTimer               time.Duration `json:"max_replay_timer"`
	RecommendedOutstandingFrames int           `json:"recommended_outstanding_frames"`
	RecommendedReplayTimer       time.Duration `json:"recommended_replay_timer"`
	RecommendedCreditLimit       int           `json:"recommended_credit_limit"` // of a lossless VC; 0 without CBFC

	LoopTime *LoopTime    `json:"loop_time_ns,omitempty"` // not there while it is not known
	Counters llr.Counters `json:"counters"`

	Negotiation *LLRNegotiation `json:"negotiation,omitempty"` // in mode dynamic
}

// LoopTime is how long the link takes from a frame to its acknowledgement, ns: the shortest since
// LLR is up; the others of the last few thousand acknowledgements, at most an eighth too long.
type LoopTime struct {
	Min int64 `json:"min"`
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// LLRNegotiation is what LLDP has to do with the LLR of a link in mode dynamic. A
// direction is on while both ends offer LLR and this one is willing; before it
// goes off it delivers what is outstanding.
type LLRNegotiation struct {
	Partner       string `json:"partner"` // "none", "present", "aged", "withdrawn" or "ambiguous"
	WillingLocal  bool   `json:"willing_local"`
	WillingRemote bool   `json:"willing_remote"`
	AgreedLocal   bool   `json:"agreed_local"`
	AgreedRemote  bool   `json:"agreed_remote"`
	Retiring      bool   `json:"retiring"` // on its way off
}

// LLRInterface is the LLR side of one link port, under the port's name.
type LLRInterface struct {
	Port        string   `json:"port"`
	Interface   string   `json:"interface"`
	OperStatus  string   `json:"oper_status"`
	ErrorStatus []string `json:"error_status"`
	LLR
	Note string `json:"note"` // what an operator has to know beyond the states, in words; mostly empty
}

// LLRCounters are the LLR counters of one link port, flat.
type LLRCounters struct {
	Port      string `json:"port"`
	Interface string `json:"interface"`
	TxStatus  string `json:"tx_status"`
	RxStatus  string `json:"rx_status"`
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
