package cbfc

import "time"

// VCs is the number of virtual channels of a link.
const VCs = 32

// Settings is the configuration of one end of a link. The zero value has no lossless channel.
type Settings struct {
	On       bool         // this end speaks CBFC
	Size     Size         // the unit in which both directions count credits
	Lossless uint32       // bit n: this end wants credits for its frames on VC n
	Limit    [VCs]uint16  // by VC: credits that this receiver grants, up to MaxLimit; 0: none
	Total    uint16       // credits that this receiver grants to all channels together, instead of their limits; 0: none
	Profile  [VCs]Profile // by VC: the channel's part of a total or of the pool
	Pool     uint16       // credits that the channels of Pooled use together at most, whatever the partner grants; 0: no bound
	Pooled   uint32       // bit n: VC n takes its credits from the pool also where the partner grants a limit to each channel

	CCTimer      time.Duration // CC_MESSAGE_TIMER: interval of CC_Updates while credits are in use; 0: no CC_Updates
	CFMinSpacing uint32        // least time between two CF_Updates, in octets that the link has time for
	CFMaxSpacing uint32        // longest time until freed credits are reported, in octets that the link has time for
	Timeout      time.Duration // a longer wait for credits counts as a timeout; 0: never
	Reset        bool          // a timeout restarts the channel
}

// Profile is SAI's CBFC_CREDIT_PROFILE: a channel's part of a port total.
type Profile struct {
	Reserved uint16 // RESERVED_CREDIT_SIZE: credits that no other channel may use
	Static   uint16 // SHARED_STATIC_TH: the most credits of the shared part that the channel uses; 0: no limit
	NoShared bool   // THRESHOLD_MODE_NONE: the channel uses no credits of the shared part
}

// PortCounters counts the messages of a link.
type PortCounters struct {
	CCUpdateTx  uint64 `json:"cbfc_num_cc_update_messages_tx"` // CC_Update messages sent
	CFUpdateTx  uint64 `json:"cbfc_num_cf_update_messages_tx"` // CF_Update messages sent
	CCUpdateRx  uint64 `json:"cbfc_num_cc_update_messages_rx"` // CC_Update messages received
	CFUpdateRx  uint64 `json:"cbfc_num_cf_update_messages_rx"` // CF_Update messages received
	CCUpdateBad uint64 `json:"rx_cc_update_malformed"`         // CC_Update messages dropped because they are malformed
	// frames dropped because they cost more than the limit of their channel
	TooLong uint64 `json:"tx_drop_over_limit"`
}

// Counters counts what happens to the credits of one channel.
type Counters struct {
	// counts of CF_Updates ignored because they would free more credits than are used
	CFIgnored uint64 `json:"cf_update_ignored"`
	// counts of CC_Updates ignored because they lie behind the frames received
	CCBackwards   uint64 `json:"cc_update_backwards"`
	Repaired      uint64 `json:"credits_repaired"`        // credits of lost frames that CC_Updates freed
	Repairs       uint64 `json:"cc_update_repairs"`       // CC_Updates that freed credits of lost frames
	Overruns      uint64 `json:"credit_overruns"`         // frames received beyond the limit that this end granted
	BlockedFrames uint64 `json:"sender_blocked_frames"`   // frames that waited for credits at the front of the queue
	BlockedTime   uint64 `json:"sender_blocked_time_ns"`  // time that frames waited for credits, without a wait under way
	Starts        uint64 `json:"starts"`                  // times the channel came under credits
	Timeouts      uint64 `json:"credit_timeouts"`         // waits for credits that were longer than credit_timeout
	Refused       uint64 `json:"vc_refused"`              // starts of the channel that failed
	Unknown       uint64 `json:"rx_vc_unknown"`           // messages received about a channel that has no credits here
	Stale         uint64 `json:"rx_vc_transaction_stale"` // VC messages received of a finished transaction
}

// pooled reports whether a channel takes its credits from this end's pool, whatever the partner grants.
func (s *Settings) pooled(vc uint8) bool { return s.Pool > 0 && s.Pooled>>vc&1 != 0 }
