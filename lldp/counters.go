package lldp

import "encoding/json"

// Counters are the statistics of an agent, under the names of the YANG module
// of 802.1AB; those that it does not have come last.
type Counters struct {
	Tx     TxCounters     `json:"tx-statistics"`
	Rx     RxCounters     `json:"rx-statistics"`
	Remote RemoteCounters `json:"remote-statistics"`
}

// TxCounters count frames sent.
type TxCounters struct {
	TotalFrames       uint64 `json:"total-frames"`
	TotalLengthErrors uint64 `json:"total-length-errors"` // frames in which not all TLVs had room

	Shutdowns uint64 `json:"shutdown-frames"` // of TotalFrames
}

// RxCounters count frames received while the agent received.
type RxCounters struct {
	TotalAgeouts          uint64 `json:"total-ageouts"`
	TotalDiscardedFrames  uint64 `json:"total-discarded-frames"`  // for whatever reason
	ErrorFrames           uint64 `json:"error-frames"`            // with at least one error
	TotalFrames           uint64 `json:"total-frames"`            // all of them
	TotalDiscardedTLVs    uint64 `json:"total-discarded-tlvs"`    // optional TLVs in error
	TotalUnrecognizedTLVs uint64 `json:"total-unrecognized-tlvs"` // of a reserved type, or of an organization that nobody here knows

	Looped   uint64   `json:"looped-frames"` // with the chassis id and port id of this agent
	Discards Discards `json:"discards"`
}

// RemoteCounters count neighbours. An ageout is a deletion too.
type RemoteCounters struct {
	Inserts uint64 `json:"remote-inserts"`
	Deletes uint64 `json:"remote-deletes"`
	Drops   uint64 `json:"remote-drops"` // frames of neighbours for whom there was no room
	Ageouts uint64 `json:"remote-ageouts"`
}

// Discards counts discarded LLDPDUs by what was wrong.
type Discards [NumFaults]uint64

var discardNames = [NumFaults]string{
	FaultHeader:    "header",
	FaultOrder:     "order",
	FaultRepeated:  "repeated",
	FaultOverrun:   "overrun",
	FaultNoEnd:     "no-end",
	FaultEndLength: "end-length",
	FaultChassisID: "chassis-id",
	FaultPortID:    "port-id",
	FaultTTL:       "ttl",
	FaultOrg:       "org",
}

// ByReason are the counts by the names of the reasons; every reason is there.
func (d Discards) ByReason() map[string]uint64 {
	m := make(map[string]uint64, NumFaults-1)
	for f := NoFault + 1; f < NumFaults; f++ {
		m[discardNames[f]] = d[f]
	}
	return m
}

// MarshalJSON makes an object with one number for every reason.
func (d Discards) MarshalJSON() ([]byte, error) { return json.Marshal(d.ByReason()) }

// UnmarshalJSON is the reverse of MarshalJSON. Reasons that it does not know are
// passed over.
func (d *Discards) UnmarshalJSON(b []byte) error {
	var m map[string]uint64
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	for f := NoFault + 1; f < NumFaults; f++ {
		d[f] = m[discardNames[f]]
	}
	return nil
}
