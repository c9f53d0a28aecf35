package api

import (
	"fmt"
	"strings"
	"time"

	"uelink/cbfc"
	"uelink/dataplane/model"
)

// CBFC is credit-based flow control of a link port, under SAI's names in lower case.
type CBFC struct {
	// mode of CBFC: "static" or "dynamic"
	Mode string `json:"cbfc_mode"`
	// CBFC is on; in mode dynamic: LLDP has agreed on it
	On bool `json:"cbfc_on"`
	// the partner announces that its CBFC is on
	PartnerCBFC bool `json:"partner_cbfc"`
	// octets of a credit for frames sent
	SenderCreditSize int `json:"cbfc_sender_credit_size" unit:"octets"`
	// octets added to a frame sent before its credits are counted
	SenderPacketOverhead int `json:"cbfc_sender_packet_overhead" unit:"octets"`
	// octets of a credit for frames received
	ReceiverCreditSize int `json:"cbfc_receiver_credit_size" unit:"octets"`
	// octets added to a frame received before its credits are counted
	ReceiverOverhead int `json:"cbfc_receiver_packet_overhead" unit:"octets"`
	// credits granted to all channels together; 0: each channel has its limit
	TotalCredits int `json:"cbfc_receiver_native_total_credits"`
	// interval of CC_Updates, µs; 0: none is sent
	CCMessageTimer int64 `json:"cbfc_cc_message_timer" unit:"µs"`
	// shortest time between two CF_Updates, as the octets that the link can send in this time
	CFMinSpacing uint32 `json:"cbfc_cf_min_spacing" unit:"octets"`
	// longest delay of a CF_Update, as the octets that the link can send in this time
	CFMaxSpacing uint32 `json:"cbfc_cf_max_spacing" unit:"octets"`
	// a longer wait for credits counts as a timeout, ns; 0: never
	CreditTimeout int64 `json:"credit_timeout" unit:"ns"`
	// action at a timeout: "report" or "reset"
	CreditTimeoutAction string `json:"credit_timeout_action"`
	// credits that the partner grants to all channels together; 0: each channel has its limit
	SenderCreditLimit int `json:"cbfc_sender_credit_limit"`
	// credits of cbfc_sender_credit_limit that no channel has reserved
	CreditPoolShared int `json:"credit_pool_shared_size"`
	// used credits of cbfc_sender_credit_limit, also by ended channels of which the partner may hold frames
	CreditPoolUsed int `json:"credit_pool_used"`
	CreditsUsed    int `json:"cbfc_sender_credits_used"` // used credits of all channels
	// largest number of credits that all channels have used at a time
	CreditsUsedWatermark int `json:"cbfc_sender_credits_used_watermark"`
	// message for the operator, in words; mostly empty
	Note        string            `json:"note"`
	Counters    cbfc.PortCounters `json:"counters"`
	Negotiation *CBFCNegotiation  `json:"negotiation,omitempty"`
	// channels with credits, or configured for credits
	VCs []VirtualChannel `json:"virtual_channels"`
}

// CBFCNegotiation is the negotiation by LLDP of the CBFC of a link in mode dynamic.
type CBFCNegotiation struct {
	Agreed bool `json:"agreed_cbfc"` // both ends agreed on CBFC by LLDP
	// number of virtual channels that both ends use, from VC 0 on
	AgreedVCs   int  `json:"agreed_vcs"`
	Leaving     bool `json:"leaving"`             // CBFC was withdrawn: channels give up their credits
	PartnerPool int  `json:"partner_credit_pool"` // credits of the partner's buffer; 0: not announced
	// octets of a credit announced by the partner; 0: not announced
	PartnerCreditSize     int `json:"partner_credit_size" unit:"octets"`
	PartnerPacketOverhead int `json:"partner_packet_overhead" unit:"octets"` // overhead of a frame announced by the partner, octets
}

// VirtualChannel is a virtual channel of a link port. Counts of credits are cyclic, of 20 bits.
type VirtualChannel struct {
	VC int `json:"vc"` // number of the virtual channel, 0 to 31
	// the channel is configured for credits for the frames that this end sends
	Lossless bool `json:"lossless"`
	// frames sent on the channel need credits now
	SenderEnable bool `json:"cbfc_sender_enable"`
	// phase of the channel: "best_effort", "draining", "asking" or "lossless"
	Phase string `json:"phase"`
	// reason why the channel is not lossless, in words; empty: no failure
	Failure string `json:"failure"`
	// time until the channel is started again, ns; 0: no retry
	Retry int64 `json:"retry" unit:"ns"`
	// cyclic count of credits that frames sent have consumed (S_VC_CC), 20 bits
	CreditsConsumed uint32 `json:"sender_credits_consumed"`
	// cyclic count of credits that the partner has freed (S_VC_CF), 20 bits
	CreditsFreed uint32 `json:"sender_credits_freed"`
	// credits of frames sent and not freed (S_VC_CU)
	CreditsUsed          int `json:"sender_credits_used"`
	CreditsUsedWatermark int `json:"sender_credits_used_watermark"` // largest number of credits used at a time
	// credits that the partner grants to the channel
	SenderCreditLimit int `json:"sender_credit_limit"`
	// credits of a shared total that only this channel may use
	ReservedCreditSize int `json:"reserved_credit_size"`
	// use of the shared part of the total: "none" or "static"
	ThresholdMode string `json:"threshold_mode"`
	// limit of the credits that the channel may use of the shared part; 0: no limit
	SharedStaticTh int `json:"shared_static_th"`
	// time for which a frame has been waiting for credits, ns
	Blocked int64 `json:"sender_blocked" unit:"ns"`
	// frames received on the channel need credits
	ReceiverEnable bool `json:"cbfc_receiver_enable"`
	// cyclic count of credits that frames received have consumed (R_VC_CC), 20 bits
	RxCreditsConsumed uint32 `json:"receiver_credits_consumed"`
	// cyclic count of credits that this end has freed (R_VC_CF), 20 bits
	RxCreditsFreed uint32 `json:"receiver_credits_freed"`
	// credits of frames in the receive buffer
	RxCreditsHeld int `json:"receiver_credits_held"`
	// credits that this end grants to the channel
	ReceiverCreditLimit int `json:"cbfc_receiver_native_credit_limit"`
	// no credits are in use in either direction: S_CC = S_CF and R_CC = R_CF
	AtRest bool `json:"at_rest"`
	// the two ends seem to count the credits of the channel differently
	CreditsDiffer bool `json:"credits_differ"`
	// message for the operator, in words; mostly empty
	Note     string        `json:"note"`
	Counters cbfc.Counters `json:"counters"`
}

// Values of threshold_mode.
const (
	ThresholdNone   = "none"
	ThresholdStatic = "static"
)

// CBFCInterface is CBFC of a link port, with the name of the port.
type CBFCInterface struct {
	Port       string `json:"port"`
	Interface  string `json:"interface"`
	OperStatus string `json:"oper_status"`
	CBFC
}

// newCBFC returns the JSON object of the state of CBFC on a port, nil for a port without CBFC.
func newCBFC(s *cbfc.State, c *model.CreditState) *CBFC {
	if s == nil || c == nil {
		return nil
	}
	settings := &c.Settings
	o := &CBFC{
		Mode: "static", On: s.On, PartnerCBFC: s.Partner,
		SenderCreditSize: s.Size.Credit, SenderPacketOverhead: s.Size.Overhead,
		ReceiverCreditSize: settings.Size.Credit, ReceiverOverhead: settings.Size.Overhead, TotalCredits: s.Total,
		CCMessageTimer: settings.CCTimer.Microseconds(), CFMinSpacing: settings.CFMinSpacing, CFMaxSpacing: settings.CFMaxSpacing,
		CreditTimeout: int64(settings.Timeout), CreditTimeoutAction: "report",
		SenderCreditLimit: s.Pool.Size, CreditPoolShared: s.Pool.Shared, CreditPoolUsed: s.Pool.Used,
		CreditsUsed: s.Used, CreditsUsedWatermark: s.Watermark, Counters: s.Counters, VCs: []VirtualChannel{},
	}
	if settings.Reset {
		o.CreditTimeoutAction = "reset"
	}
	if c.Dynamic {
		a := &c.Agreed
		o.Mode = "dynamic"
		o.Negotiation = &CBFCNegotiation{
			Agreed: a.On, AgreedVCs: a.VCs, Leaving: c.Leaving, PartnerPool: a.Pool,
			PartnerCreditSize: a.Size.Credit, PartnerPacketOverhead: a.Size.Overhead,
		}
	}
	for i := range s.VCs {
		o.VCs = append(o.VCs, newVirtualChannel(&s.VCs[i], c.Differ>>s.VCs[i].VC&1 != 0))
	}
	o.Note = cbfcNote(o)
	return o
}

// newVirtualChannel returns the JSON object of a virtual channel. With differ both ends count its credits differently.
func newVirtualChannel(s *cbfc.VCState, differ bool) VirtualChannel {
	tx, rx := &s.Sender, &s.Receiver
	v := VirtualChannel{
		VC: s.VC, Lossless: s.Wanted, SenderEnable: s.Phase == cbfc.Lossless, Phase: s.Phase.String(), Failure: s.DescribeFailure(),
		Retry: int64(s.Retry), CreditsConsumed: tx.Consumed, CreditsFreed: tx.Freed, CreditsUsed: tx.Used,
		CreditsUsedWatermark: tx.Watermark, SenderCreditLimit: tx.Limit, Blocked: int64(tx.Blocked),
		ReceiverEnable: rx.Enabled, RxCreditsConsumed: rx.Consumed, RxCreditsFreed: rx.Freed, RxCreditsHeld: rx.Held,
		ReceiverCreditLimit: rx.Limit, AtRest: s.AtRest(), CreditsDiffer: differ, Counters: s.Counters,
		ReservedCreditSize: int(s.Profile.Reserved), ThresholdMode: ThresholdStatic, SharedStaticTh: int(s.Profile.Static),
	}
	if s.Profile.NoShared {
		v.ThresholdMode = ThresholdNone
	}
	v.Note = channelNote(&v)
	return v
}

// cbfcNote returns in words, for the operator, the first problem of the CBFC of a link: no agreement by LLDP, another
// size of credits, a partner without CBFC, or frames too long for a limit; "" for none.
func cbfcNote(c *CBFC) string {
	n := c.Negotiation
	switch {
	case n != nil && n.Leaving:
		return "LLDP: CBFC ends: the channels return their credits"
	case n != nil && !n.Agreed:
		return "LLDP: CBFC is not agreed"
	case n != nil && n.PartnerCreditSize != 0 &&
		(n.PartnerCreditSize != c.SenderCreditSize || n.PartnerPacketOverhead != c.SenderPacketOverhead):
		return fmt.Sprintf("the partner counts in credits of %d octets, overhead %d, this end of %d, overhead %d",
			n.PartnerCreditSize, n.PartnerPacketOverhead, c.SenderCreditSize, c.SenderPacketOverhead)
	case !c.PartnerCBFC:
		return "the partner does not speak CBFC"
	case c.Counters.TooLong > 0:
		return "frames were dropped that cost more than the limit of their channel (tx_drop_over_limit)"
	}
	return ""
}

// channelNote returns the problems of a virtual channel in words, for the operator, beyond its phase; "" for none.
func channelNote(v *VirtualChannel) string {
	var notes []string
	if v.Failure != "" {
		text := v.Failure
		if v.Retry > 0 {
			text += ", tried again in " + time.Duration(v.Retry).Round(100*time.Millisecond).String()
		}
		notes = append(notes, text)
	}
	if v.Blocked >= int64(time.Millisecond) {
		notes = append(notes, "waiting time for credits: "+time.Duration(v.Blocked).Round(time.Millisecond).String())
	}
	if v.CreditsDiffer {
		notes = append(notes, "the two ends count credits differently")
	}
	if v.Counters.Overruns > 0 {
		notes = append(notes, "the partner has sent more than its credits")
	}
	return strings.Join(notes, "; ")
}

// NewCBFCInterface returns the CBFC state of a link port; p.CBFC must not be nil.
func NewCBFCInterface(p Port) CBFCInterface {
	return CBFCInterface{Port: p.Name, Interface: p.Interface, OperStatus: p.OperStatus, CBFC: *p.CBFC}
}
