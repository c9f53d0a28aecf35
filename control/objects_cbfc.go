package control

import (
	"fmt"
	"strings"
	"time"

	"uelink/cbfc"
	"uelink/dataplane"
)

// CBFC is credit-based flow control of a link port, under SAI's names in lower case.
type CBFC struct {
	Mode                 string            `json:"cbfc_mode"`    // "static" or "dynamic"
	On                   bool              `json:"cbfc_on"`      // in mode dynamic: LLDP has agreed it
	PartnerCBFC          bool              `json:"partner_cbfc"` // the partner says that it has it on
	SenderCreditSize     int               `json:"cbfc_sender_credit_size"`
	SenderPacketOverhead int               `json:"cbfc_sender_packet_overhead"`
	ReceiverCreditSize   int               `json:"cbfc_receiver_credit_size"`
	ReceiverOverhead     int               `json:"cbfc_receiver_packet_overhead"`
	TotalCredits         int               `json:"cbfc_receiver_native_total_credits"` // 0: each channel has its limit
	CCMessageTimer       int64             `json:"cbfc_cc_message_timer"`              // µs; 0: none is sent
	CFMinSpacing         uint32            `json:"cbfc_cf_min_spacing"`                // octets
	CFMaxSpacing         uint32            `json:"cbfc_cf_max_spacing"`                // octets
	CreditTimeout        int64             `json:"credit_timeout"`                     // ns; 0: none
	CreditTimeoutAction  string            `json:"credit_timeout_action"`              // "report" or "reset"
	SenderCreditLimit    int               `json:"cbfc_sender_credit_limit"`           // that the partner grants to all channels together; 0: each has its limit
	CreditPoolShared     int               `json:"credit_pool_shared_size"`            // what of these no channel has reserved
	CreditPoolUsed       int               `json:"credit_pool_used"`                   // what of these is used, also by channels that have ended, and of which the partner may hold frames
	CreditsUsed          int               `json:"cbfc_sender_credits_used"`           // over all channels
	CreditsUsedWatermark int               `json:"cbfc_sender_credits_used_watermark"` // the most that it has been
	Note                 string            `json:"note"`                               // what an operator has to know, in words; mostly empty
	Counters             cbfc.PortCounters `json:"counters"`
	Negotiation          *CBFCNegotiation  `json:"negotiation,omitempty"`
	VCs                  []VirtualChannel  `json:"virtual_channels"` // with credits, or that are to have them
}

// CBFCNegotiation is what LLDP has to do with the CBFC of a link in mode dynamic.
type CBFCNegotiation struct {
	Agreed                bool `json:"agreed_cbfc"`
	AgreedVCs             int  `json:"agreed_vcs"`              // the first of the virtual channels are used
	Leaving               bool `json:"leaving"`                 // withdrawn: channels leave their credits
	PartnerPool           int  `json:"partner_credit_pool"`     // credits; 0: it has not said
	PartnerCreditSize     int  `json:"partner_credit_size"`     // 0: it has not said
	PartnerPacketOverhead int  `json:"partner_packet_overhead"` // of the same word
}

// VirtualChannel is a virtual channel of a link port. Counts of credits are cyclic, of 20 bits.
type VirtualChannel struct {
	VC                   int           `json:"vc"`                 // INDEX, 0 to 31
	Lossless             bool          `json:"lossless"`           // what this end sends on it is to be so
	SenderEnable         bool          `json:"cbfc_sender_enable"` // and is: it needs credits
	Phase                string        `json:"phase"`              // "best_effort", "draining", "asking" or "lossless"
	Failure              string        `json:"failure"`            // why it is not; empty: nothing failed
	Retry                int64         `json:"retry"`              // until it is tried again, ns; 0: it is not
	CreditsConsumed      uint32        `json:"sender_credits_consumed"`
	CreditsFreed         uint32        `json:"sender_credits_freed"`
	CreditsUsed          int           `json:"sender_credits_used"`
	CreditsUsedWatermark int           `json:"sender_credits_used_watermark"`
	SenderCreditLimit    int           `json:"sender_credit_limit"`  // that the partner grants
	ReservedCreditSize   int           `json:"reserved_credit_size"` // of a total that the partner grants: what no other channel takes
	ThresholdMode        string        `json:"threshold_mode"`       // what it takes of the shared part: "none", or "static"
	SharedStaticTh       int           `json:"shared_static_th"`     // and at most so many credits; 0: no limit
	Blocked              int64         `json:"sender_blocked"`       // for how long a frame has been waiting for credits, ns
	ReceiverEnable       bool          `json:"cbfc_receiver_enable"`
	RxCreditsConsumed    uint32        `json:"receiver_credits_consumed"`
	RxCreditsFreed       uint32        `json:"receiver_credits_freed"`
	RxCreditsHeld        int           `json:"receiver_credits_held"`
	ReceiverCreditLimit  int           `json:"cbfc_receiver_native_credit_limit"` // that this end grants
	AtRest               bool          `json:"at_rest"`                           // S_CC = S_CF and R_CC = R_CF: nothing is in use
	CreditsDiffer        bool          `json:"credits_differ"`                    // the two ends seem to count its credits differently
	Note                 string        `json:"note"`                              // what an operator has to know, in words; mostly empty
	Counters             cbfc.Counters `json:"counters"`
}

// What threshold_mode may be.
const (
	ThresholdNone   = "none"
	ThresholdStatic = "static"
)

// CBFCInterface is CBFC of one link port, under the port's name.
type CBFCInterface struct {
	Port       string `json:"port"`
	Interface  string `json:"interface"`
	OperStatus string `json:"oper_status"`
	CBFC
}

// newCBFC is the object of the CBFC of a port, nil for none.
func newCBFC(s *cbfc.State, c *dataplane.CreditState) *CBFC {
	if s == nil || c == nil {
		return nil
	}
	of := &c.Settings
	o := &CBFC{
		Mode: "static", On: s.On, PartnerCBFC: s.Partner,
		SenderCreditSize: s.Size.Credit, SenderPacketOverhead: s.Size.Overhead,
		ReceiverCreditSize: of.Size.Credit, ReceiverOverhead: of.Size.Overhead, TotalCredits: s.Total,
		CCMessageTimer: of.CCTimer / int64(time.Microsecond), CFMinSpacing: of.CFMinSpacing, CFMaxSpacing: of.CFMaxSpacing,
		CreditTimeout: of.Timeout, CreditTimeoutAction: "report",
		SenderCreditLimit: s.Pool.Size, CreditPoolShared: s.Pool.Shared, CreditPoolUsed: s.Pool.Used,
		CreditsUsed: s.Used, CreditsUsedWatermark: s.Watermark, Counters: s.Counters, VCs: []VirtualChannel{},
	}
	if of.Reset {
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

func newVirtualChannel(s *cbfc.VCState, differ bool) VirtualChannel {
	tx, rx := &s.Sender, &s.Receiver
	v := VirtualChannel{
		VC: s.VC, Lossless: s.Wanted, SenderEnable: s.Phase == cbfc.Lossless, Phase: s.Phase.String(), Failure: s.Why(),
		Retry: s.Retry, CreditsConsumed: tx.Consumed, CreditsFreed: tx.Freed, CreditsUsed: tx.Used,
		CreditsUsedWatermark: tx.Watermark, SenderCreditLimit: tx.Limit, Blocked: tx.Blocked,
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

// cbfcNote is what an operator has to know of the CBFC of a link; "" if that is nothing.
func cbfcNote(c *CBFC) string {
	n := c.Negotiation
	switch {
	case n != nil && n.Leaving:
		return "LLDP: CBFC is given up"
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

// channelNote is what an operator has to know of a channel beyond its phase; "" if that is nothing.
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
		notes = append(notes, "waits for credits for "+time.Duration(v.Blocked).Round(time.Millisecond).String())
	}
	if v.CreditsDiffer {
		notes = append(notes, "the two ends count credits differently")
	}
	if v.Counters.Overruns > 0 {
		notes = append(notes, "the partner has sent more than its credits")
	}
	return strings.Join(notes, "; ")
}

func cbfcInterface(p Port) CBFCInterface {
	return CBFCInterface{Port: p.Name, Interface: p.Interface, OperStatus: p.OperStatus, CBFC: *p.CBFC}
}
