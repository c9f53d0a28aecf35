package cbfc

// VCs is how many virtual channels a link can have.
const VCs = 32

// Settings is what one end of a link is set to. The zero value has no lossless channel.
type Settings struct {
	On       bool        // this end speaks CBFC
	Size     Size        // of what it sends and of what it receives
	Lossless uint32      // bit n: what it sends on VC n is to be under credits
	Limit    [VCs]uint16 // by VC: credits that its receiver grants, up to MaxLimit; 0: none
	Total    uint16      // credits that it grants to all channels together, instead of their limits
	Profile  [VCs]Profile

	CCTimer      int64  // CC_MESSAGE_TIMER: a CC_Update each so many ns while credits are in use; 0: none
	CFMinSpacing uint32 // octets of the link's time between two CF_Updates, at least
	CFMaxSpacing uint32 // and until a CF_Update of what is freed, at most
	Timeout      int64  // a channel that waits so long for credits is told, ns; 0: never
	Reset        bool   // and begins anew
}

// Profile is SAI's CBFC_CREDIT_PROFILE: a channel's part of a port total.
type Profile struct {
	Reserved uint16 // RESERVED_CREDIT_SIZE: credits that nobody else has
	Static   uint16 // SHARED_STATIC_TH: most credits of the shared part; 0: no limit
	NoShared bool   // THRESHOLD_MODE_NONE: it has none of the shared part
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
