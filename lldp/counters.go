package lldp

import "encoding/json"

// Counters are the statistics of an agent, under the names of the YANG module of
// 802.1AB with underscores for its hyphens; those that it does not have come last.
type Counters struct {
	Tx     TxCounters     `json:"tx_statistics"`
	Rx     RxCounters     `json:"rx_statistics"`
	Remote RemoteCounters `json:"remote_statistics"`
}

// TxCounters count frames sent.
type TxCounters struct {
	TotalFrames       uint64 `json:"total_frames"`        // LLDPDUs sent, shutdown LLDPDUs included
	TotalLengthErrors uint64 `json:"total_length_errors"` // LLDPDUs sent without TLVs that had no room

	Shutdowns uint64 `json:"shutdown_frames"` // shutdown LLDPDUs sent
}

// RxCounters count frames received while the agent received.
type RxCounters struct {
	TotalAgeouts         uint64 `json:"total_ageouts"`          // neighbours removed because their TTL ran out
	TotalDiscardedFrames uint64 `json:"total_discarded_frames"` // LLDPDUs discarded, for any reason
	ErrorFrames          uint64 `json:"error_frames"`           // LLDPDUs received with at least one error
	TotalFrames          uint64 `json:"total_frames"`           // LLDPDUs received, discarded LLDPDUs included
	TotalDiscardedTLVs   uint64 `json:"total_discarded_tlvs"`   // optional TLVs discarded because of an error
	// TLVs of a reserved type, or organizationally specific and known to no provider
	TotalUnrecognizedTLVs uint64 `json:"total_unrecognized_tlvs"`

	Looped   uint64   `json:"looped_frames"` // LLDPDUs received with the chassis id and port id of this agent
	Discards Discards `json:"discards"`      // LLDPDUs discarded, by fault
}

// RemoteCounters count neighbours. An ageout is a deletion too.
type RemoteCounters struct {
	Inserts uint64 `json:"remote_inserts"` // neighbours added
	Deletes uint64 `json:"remote_deletes"` // neighbours removed, for any reason
	Drops   uint64 `json:"remote_drops"`   // LLDPDUs of new neighbours dropped because the table was full
	Ageouts uint64 `json:"remote_ageouts"` // neighbours removed because their TTL ran out
}

// Discards counts discarded LLDPDUs by what was wrong.
type Discards [NumFaults]uint64

var discardNames = [NumFaults]string{
	FaultHeader:    "header",
	FaultOrder:     "order",
	FaultRepeated:  "repeated",
	FaultOverrun:   "overrun",
	FaultNoEnd:     "no_end",
	FaultEndLength: "end_length",
	FaultChassisID: "chassis_id",
	FaultPortID:    "port_id",
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
