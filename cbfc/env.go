package cbfc

// Env is the state of the link that its credits depend on.
type Env struct {
	Known   bool   // a partner has sent its start id
	CBFC    bool   // the partner speaks CBFC
	Start   uint32 // the partner's start id
	LLR     bool   // LLR is running: frames are sequenced, and accepted in order or not at all
	Bare    uint32 // channels whose frames are sent without LLR all the same
	Unacked uint32 // channels with unacknowledged frames
	Largest int    // octets of the longest frame that may be sent
	Idle    bool   // nothing was received for a while
	Octets  uint64 // octets that the link has had time to carry, since the caller began to count
}
