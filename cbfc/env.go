package cbfc

// Env is what a link knows that its credits depend on.
type Env struct {
	Known   bool   // there is a partner that says who it is
	CBFC    bool   // and it speaks CBFC
	Start   uint32 // its start id
	LLR     bool   // LLR is running: frames are sequenced, and accepted in order or not at all
	Bare    uint32 // but those of these channels are not
	Unacked uint32 // channels of which frames are not acknowledged
	Largest int    // octets of the longest frame that may be sent
	Idle    bool   // nothing has come for a while
	Octets  uint64 // that the link has had time for
}
