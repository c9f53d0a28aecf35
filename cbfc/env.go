package cbfc

// Env is the state of the link that its credits depend on.
type Env struct {
	Known   bool   // a partner has sent its start id
	CBFC    bool   // the partner speaks CBFC
	Start   uint32 // the partner's start id
	LLR     bool   // LLR is running: the frames sent have sequence numbers, and arrive in order or not at all
	Bare    uint32 // bitmap of the channels whose frames are sent without LLR even so
	Unacked uint32 // bitmap of the channels with frames that LLR has not seen acknowledged
	Largest int    // octets of the longest frame that may be sent
	Idle    bool   // nothing was received for a while
	Octets  uint64 // octets that the link has had time to carry, since the caller began to count
}
