package analyzer

// Counts is the counters of a flow, in frames or micropackets.
type Counts struct {
	Frames       uint64 `json:"frames"` // frames whose number arrived for the first time
	Octets       uint64 `json:"octets"`
	Resent       uint64 `json:"resent_frames"` // frames whose number had arrived before
	ResentOctets uint64 `json:"resent_octets"`
	Lost         uint64 `json:"lost"`        // copies that the wire dropped or let go damaged
	Skipped      uint64 `json:"skipped"`     // numbers that had neither left nor been lost when a higher number left
	Unrepaired   uint64 `json:"unrepaired"`  // numbers lost or skipped of which no good copy has left since
	Missing      uint64 `json:"missing"`     // numbers passed over by the sender that never arrived
	Twice        uint64 `json:"twice"`       // good copies that left after the number was acknowledged
	Nacks        uint64 `json:"nacks"`       // requests that arrived
	FalseNacks   uint64 `json:"false_nacks"` // requests for a number that has left whole and in turn
	FalseAcks    uint64 `json:"false_acks"`  // numbers acknowledged that had arrived, and had not left whole
	Strays       uint64 `json:"strays"`      // numbers that left, or were acknowledged, without a frame that arrived
	Restarts     uint64 `json:"restarts"`    // by LLR_INIT, by a Link Reset, or by a jump to other numbers
	Unmeasured   uint64 `json:"unmeasured"`  // resent frames whose first copy came before the last restart
}

// Flow is what became of the numbered frames, or micropackets, of one way, in the wire's clock.
type Flow struct {
	Counts
	DataToAck    Times `json:"data_to_ack"`    // from arrival until the acknowledgement leaves; frames sent once
	NackToResent Times `json:"nack_to_resent"` // from the leaving of a request until the number arrives again
	LostToGood   Times `json:"lost_to_good"`   // from the arrival of the first lost copy until a good one leaves
}

func (f *flow) report() Flow {
	r := Flow{Counts: f.counts, DataToAck: f.dataToAck.Times(), NackToResent: f.nackToResent.Times(),
		LostToGood: f.lostToGood.Times()}
	r.Unrepaired += f.open
	return r
}

// clear sets all counts to 0 and empties the histograms. Known numbers stay, also lost ones without a good copy.
func (f *flow) clear() {
	f.counts = Counts{}
	f.dataToAck, f.nackToResent, f.lostToGood = Histogram{}, Histogram{}, Histogram{}
}
