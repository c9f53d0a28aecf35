package lldp

import "encoding/json"

// Counters are the statistics of an agent, named as in the YANG module of 802.1AB with underscores
// for hyphens. Counters that the module lacks come last.
type Counters struct {
	Tx     TxCounters     `json:"tx_statistics"`
	Rx     RxCounters     `json:"rx_statistics"`
	Remote RemoteCounters `json:"remote_statistics"`
}

// TxCounters count frames sent.
type TxCounters struct {
	TotalFrames       uint64 `json:"total_frames"`
	TotalLengthErrors uint64 `json:"total_length_errors"` // frames in which not all TLVs had room

	Shutdowns uint64 `json:"shutdown_frames"` // of TotalFrames
}

// RxCounters count frames received while the agent received.
type RxCounters struct {
	TotalAgeouts          uint64 `json:"total_ageouts"`
	TotalDiscardedFrames  uint64 `json:"total_discarded_frames"`  // for any reason
	ErrorFrames           uint64 `json:"error_frames"`            // with at least one error
	TotalFrames           uint64 `json:"total_frames"`            // discarded frames too
	TotalDiscardedTLVs    uint64 `json:"total_discarded_tlvs"`    // optional TLVs in error
	TotalUnrecognizedTLVs uint64 `json:"total_unrecognized_tlvs"` // of a reserved type, or without a provider

	Looped   uint64   `json:"looped_frames"` // with the chassis id and port id of this agent
	Discards Discards `json:"discards"`
}

// RemoteCounters count neighbours. An ageout is a deletion too.
type RemoteCounters struct {
	Inserts uint64 `json:"remote_inserts"`
	Deletes uint64 `json:"remote_deletes"`
	Drops   uint64 `json:"remote_drops"` // frames of neighbours without room in the table
	Ageouts uint64 `json:"remote_ageouts"`
}

// Discards counts discarded LLDPDUs by fault.
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

// ByReason returns the counts by the faults' names, zeros too.
func (d Discards) ByReason() map[string]uint64 {
	m := make(map[string]uint64, NumFaults-1)
	for f := NoFault + 1; f < NumFaults; f++ {
		m[discardNames[f]] = d[f]
	}
	return m
}

// MarshalJSON returns an object with one number for every fault.
func (d Discards) MarshalJSON() ([]byte, error) { return json.Marshal(d.ByReason()) }

// UnmarshalJSON reads the object of MarshalJSON and ignores unknown names.
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
